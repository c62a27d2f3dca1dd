#include "app/upstream_notice.hpp"

#include "app/log.hpp"
#include "kube/watch/upstream_kinds.hpp"

#include <algorithm>

namespace echelon::app {

void UpstreamNotice::note(const model::Event& event) {
    if (kube::names_upstream_group(event))
        is_named_ = true;
}

std::vector<std::string> UpstreamNotice::sentences(const std::vector<kube::WatchStatus>& watched) const {
    return kube::missing_of_upstream(watched, is_named_);
}

void UpstreamNotice::log_once(const std::vector<kube::WatchStatus>& watched) {
    if (has_logged_ || watched.empty() || !std::ranges::all_of(watched, &kube::WatchStatus::listed))
        return;
    has_logged_ = true;
    for (const auto& sentence : sentences(watched))
        log_line(config::LogLevel::info, {.caller = "upstream"}, sentence);
}

}  // namespace echelon::app
