#include "app/ready_checks.hpp"

#include <algorithm>
#include <utility>

namespace echelon::app {

std::vector<server::Check> checks_of(const std::vector<kube::WatchStatus>& all, const engine::PublishedState& published,
                                     std::optional<bool> leads) {
    if (all.empty())
        return {{"watcher", "starting"}};
    std::vector<server::Check> checks;
    for (const auto& status : all) {
        const bool is_applied = std::ranges::find(published.unsynced, status.what) == published.unsynced.end();
        if (status.listed && is_applied) {
            checks.push_back(
                {status.what, "", status.trouble.empty() && !status.served ? "not served" : status.trouble});
        } else {
            checks.push_back({status.what, status.trouble.empty() ? "not listed yet" : status.trouble});
        }
    }
    for (auto& sentence : kube::unreadable_in(all))
        checks.push_back({"unreadable", "", std::move(sentence)});
    if (leads)
        checks.push_back({"leader", *leads ? "" : "this echelon doesn't lead"});
    return checks;
}

}  // namespace echelon::app
