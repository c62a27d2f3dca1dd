#include "app/tls_watch.hpp"

namespace echelon::app {

namespace {

constexpr std::chrono::minutes complaint_gap{10};

}  // namespace

void TlsWatch::look(const base::Result<bool>& reloaded, Instant now) {
    if (reloaded && *reloaded)
        inform_("the changed TLS files are in use");
    const auto before = trouble();
    if (reloaded && before.empty())
        return;
    std::string sentence;
    if (const auto usable = check_(); !usable)
        sentence = "the changed TLS files aren't used, the old ones stay: " + usable.error().sentence;
    {
        const std::lock_guard lock(mutex_);
        trouble_ = sentence;
    }
    const bool is_due = !reloaded || sentence != before || now - complained_at_ >= complaint_gap;
    if (sentence.empty() || !is_due)
        return;
    complained_at_ = now;
    complain_(sentence);
}

std::string TlsWatch::trouble() const {
    const std::lock_guard lock(mutex_);
    return trouble_;
}

}  // namespace echelon::app
