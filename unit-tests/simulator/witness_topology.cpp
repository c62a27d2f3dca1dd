// I5, D14: are members in the domains that their groups require, and apart from pods that anti-affinity keeps away?

#include "unit-tests/simulator/witness.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace echelon::simulator {

// A member that was read as unbound may have another seat by now, or none.
std::string Witness::node_of(const model::Pod& pod) const {
    const auto binding = bindings_.find(pod.uid);
    if (!pod.node.empty() || binding == bindings_.end())
        return pod.node.str();
    const auto seat = pinned_.find(pod.uid);
    const bool is_given_up = binding->second.state == Binding::State::may_post &&
                             (seat == pinned_.end() || seat->second != binding->second.node);
    return is_given_up ? "" : binding->second.node;
}

void Witness::check_i5_topology_held(const model::Pod& pod, const std::string& node) {
    const auto there = view_.nodes.find(node);
    if (there == view_.nodes.end())
        return fail("I3", fmt::format("{} is bound to \"{}\", which doesn't exist", about(pod.uid), node));
    for (const auto& key : ancestry(view_, pod)) {
        for (const auto& level : view_.group(key)->required) {
            const auto domain = domain_of(there->second, level);
            if (!domain) {
                return fail("I5", fmt::format("{} goes to \"{}\", outside the level {} of \"{}\"", about(pod.uid), node,
                                              level, key.name));
            }
            std::set<std::string> others;
            for (const auto& [uid, other] : view_.pods) {
                const auto line = ancestry(view_, other);
                const auto where = view_.nodes.find(node_of(other));
                if (where == view_.nodes.end() || other.deleting || other.is_finished() ||
                    std::ranges::find(line, key) == line.end())
                    continue;
                others.insert(domain_of(where->second, level).value_or("outside"));
            }
            if (others.size() == 1 && *others.begin() != *domain) {
                fail("I5", fmt::format("{} goes to {} while \"{}\" is in {}", about(pod.uid), *domain, key.name,
                                       *others.begin()));
            }
        }
    }
}

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
