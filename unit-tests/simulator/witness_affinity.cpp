// Are members kept apart from the pods that required anti-affinity keeps them away from?

#include "unit-tests/simulator/witness.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace echelon::simulator {

void Witness::check_d14_kept_apart(const model::Pod& pod, const std::string& node) {
    const auto there = view_.nodes.find(node);
    if (there == view_.nodes.end())
        return;
    // kube-scheduler's own filters judge the member before its call. Pods that come later are a matter of luck.
    auto called = Time::max();
    for (const auto& [number, call] : calls_) {
        if (call.uid == pod.uid)
            called = std::min(called, call.arrived);
    }
    const auto place_of = [&](const model::Pod& other) {
        const auto since = placed_since_.find(other.uid);
        return since != placed_since_.end() && since->second < called ? other.node.str() : std::string();
    };
    if (const auto* other = kept_apart_by(view_, pod, there->second, place_of))
        fail("D14",
             fmt::format("{} goes to \"{}\", from which {} keeps it away", about(pod.uid), node, about(other->uid)));
}

}  // namespace echelon::simulator
