#include "app/leadership.hpp"

#include <utility>

namespace echelon::app {

bool Leadership::update(std::optional<Instant> until) {
    const std::lock_guard lock(mutex_);
    if (until) {
        // Writes that were requested under an expired lead stay dropped.
        if (lead_ && lead_->until() > std::chrono::steady_clock::now()) {
            lead_->renew(*until);
        } else {
            lead_ = std::make_shared<kube::Lead>(*until);
        }
        has_led_ = true;
    } else if (lead_) {
        lead_->end();
    }
    until_ = until.value_or(Instant::min());
    return std::exchange(was_leading_, until.has_value()) != until.has_value();
}

bool Leadership::has_lost() const {
    if (mode_ == config::LeaderMode::none || leads())
        return false;
    return mode_ == config::LeaderMode::own || has_led_;
}

std::shared_ptr<const kube::Lead> Leadership::current() const {
    const std::lock_guard lock(mutex_);
    return lead_;
}

}  // namespace echelon::app
