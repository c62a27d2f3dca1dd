// I5, D14: are members in the domains that their groups require, and apart from pods that anti-affinity keeps away?

#include "unit-tests/simulator/witness.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace echelon::simulator {

namespace {

// The group requires the level or a narrower one.
bool holds_together(const model::Group& group, const std::string& level) {
    static const std::vector<std::string> levels{block_key, rack_key, host_key};
    const auto rank = std::ranges::find(levels, level);
    return rank != levels.end() && std::ranges::any_of(group.required, [&](const std::string& own) {
               const auto found = std::ranges::find(levels, own);
               return found != levels.end() && found >= rank;
           });
}

}  // namespace

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

// The pod goes into the domain where all the others are that the level holds together.
void Witness::check_i5_together(const model::Pod& pod, const model::Node& node, const std::string& level,
                                const model::GroupKey& group, std::span<const model::Pod* const> others) {
    const auto domain = domain_of(node, level);
    if (!domain) {
        return fail("I5", fmt::format("{} goes to \"{}\", outside the level {} of \"{}\"", about(pod.uid), node.name,
                                      level, group.name));
    }
    std::set<std::string> domains;
    for (const auto* other : others) {
        const auto where = view_.nodes.find(node_of(*other));
        if (where != view_.nodes.end() && !other->deleting && !other->is_finished())
            domains.insert(domain_of(where->second, level).value_or("outside"));
    }
    if (domains.size() == 1 && *domains.begin() != *domain) {
        fail("I5",
             fmt::format("{} goes to {} while \"{}\" is in {}", about(pod.uid), *domain, group.name, *domains.begin()));
    }
}

void Witness::check_i5_topology_held(const model::Pod& pod, const std::string& node) {
    const auto there = view_.nodes.find(node);
    if (there == view_.nodes.end())
        return fail("I3", fmt::format("{} is bound to \"{}\", which doesn't exist", about(pod.uid), node));
    const auto tree = tree_of(view_, *root_of(view_, pod));
    for (const auto& key : ancestry(view_, pod)) {
        auto others = tree.members;
        std::erase_if(others, [&](const auto* other) {
            const auto line = ancestry(view_, *other);
            return std::ranges::find(line, key) == line.end();
        });
        for (const auto& level : view_.group(key)->required)
            check_i5_together(pod, there->second, level, key, others);
    }
    const auto anchor = anchor_near(view_, tree);
    const auto* base = anchor ? view_.group(*anchor) : nullptr;
    if (base == nullptr || root_of(view_, *anchor) != *anchor)
        return;
    for (const auto& level : base->required) {
        if (holds_together(*view_.group(tree.root), level))
            check_i5_beside(pod, there->second, level, *anchor);
    }
}

// X5: one of the others is, or has a seat, in the domain. One that is leaving it may have been there when the seat was
// chosen. Those outside every domain say nothing.
void Witness::check_i5_beside(const model::Pod& pod, const model::Node& node, const std::string& level,
                              const model::GroupKey& anchor) {
    std::set<std::optional<std::string>> domains;
    bool is_any_to_stay = false;
    for (const auto* other : members_around(view_, anchor)) {
        const auto seat = pinned_.find(other->uid);
        const auto bound = view_.nodes.find(node_of(*other));
        const auto promised = seat == pinned_.end() ? view_.nodes.end() : view_.nodes.find(seat->second);
        const bool is_there = bound != view_.nodes.end() && !other->is_finished();
        const auto where = is_there ? bound : promised;
        if (where == view_.nodes.end() || other->uid == pod.uid || !domain_of(where->second, level))
            continue;
        domains.insert(domain_of(where->second, level));
        is_any_to_stay = is_any_to_stay || !other->deleting;
    }
    if (is_any_to_stay && !domains.contains(domain_of(node, level))) {
        fail("I5", fmt::format("{} goes to \"{}\", outside the {} of \"{}\" and those beside it", about(pod.uid),
                               node.name, level, anchor.name));
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
