#include "model/cluster/affected_gangs.hpp"

#include "model/gang/tree_walk.hpp"

#include <algorithm>

namespace echelon::model {

bool AffectedGangs::is_tracked(const Pod& pod) const {
    if (!pod.membership)
        return false;
    const auto profile = profiles_.find(pod.scheduler_name);
    return profile != profiles_.end() && (profile->second.gang || profile->second.topology);
}

void AffectedGangs::add_gang_of(const Pod& pod, Roots& roots) const {
    if (!pod.membership)
        return;
    roots.insert(forest_.root_of(pod.membership->leaf));
    for (const auto& group : pod.membership->declared.values()) {
        if (group.only_supplements)
            roots.insert(forest_.root_of(group.key));
    }
    add_declared_by(pod, roots);
}

std::optional<GroupKey> AffectedGangs::anchor_near(const Pod& pod) const {
    if (!pod.membership || co_location_.empty())
        return std::nullopt;
    const auto root = forest_.root_of(pod.membership->leaf);
    const bool is_co_located = co_location_.is_anchor(root) ||
                               std::ranges::any_of(pod.membership->declared.values(),
                                                   [](const Group& group) { return group.anchor.has_value(); });
    auto anchor = is_co_located ? anchor_of(root) : std::nullopt;
    return anchor && co_location_.is_anchor(*anchor) ? anchor : std::nullopt;
}

void AffectedGangs::add_declared_by(const Pod& pod, Roots& roots) const {
    if (!is_tracked(pod))
        return;
    const auto& declared = pod.membership->declared.values();
    for (const auto& group : declared)
        add_children_of_missing(group, roots);
    if (std::ranges::none_of(declared, [](const Group& group) { return group.policy.oldest_pod_decides; }))
        return;
    for (const auto& group : declared)
        add_around(group.key, roots);
}

void AffectedGangs::add_children_of_missing(const Group& declared, Roots& roots) const {
    if (declared.only_supplements || forest_.find(declared.key) != nullptr)
        return;
    for (const auto& child : forest_.children(declared.key))
        roots.insert(forest_.root_of(child));
}

void AffectedGangs::add_around(const std::vector<GroupKey>& groups, Roots& roots) const {
    GroupRoots known(forest_);
    for (const auto& group : groups)
        add_around(group, known, roots);
}

void AffectedGangs::add_around(const GroupKey& group, Roots& roots) const {
    GroupRoots known(forest_);
    add_around(group, known, roots);
}

void AffectedGangs::add_around(const GroupKey& group, GroupRoots& known, Roots& roots) const {
    known.add(group, roots);
    known.add_below(group, roots);
    known.add_listers(group, roots);
    for (const auto& described : forest_.described(group))
        known.add(described, roots);
    // Listed groups that name the group are its children; other listed groups aren't affected.
    const auto* declared = forest_.find(group);
    if (declared == nullptr || !forest_.lists_neighbours(*declared))
        return;
    for (const auto& listed : declared->listed) {
        const auto* child = forest_.find(listed);
        if (child == nullptr) {
            known.add(listed, roots);
        } else if (child->parent != group) {
            known.add(*child, roots);
        }
    }
}

void AffectedGangs::add_users_of(const std::string& priority_class, bool is_default, Roots& roots) const {
    for (const auto& key : forest_.keys()) {
        const auto* group = forest_.find(key);
        if (group->priority_class == priority_class || (is_default && group->policy.takes_default_priority))
            roots.insert(forest_.root_of(key));
    }
}

std::optional<GroupKey> AffectedGangs::anchor_of(const GroupKey& root) const {
    if (co_location_.is_anchor(root))
        return root;
    TreeWalk walk(forest_, root);
    for (std::int64_t taken = 0; walk.goes_on() && taken < limits_.groups; ++taken) {
        if (const auto step = walk.take(); step.group != nullptr && step.group->anchor)
            return step.group->anchor;
    }
    return std::nullopt;
}

AffectedGangs::Roots AffectedGangs::gangs_around(const GroupKey& anchor) const {
    Roots roots;
    const auto* leaves = co_location_.leaves_of(anchor);
    if (leaves == nullptr)
        return roots;
    roots.insert(forest_.root_of(anchor));
    for (const auto& [leaf, count] : *leaves)
        roots.insert(forest_.root_of(leaf));
    return roots;
}

}  // namespace echelon::model
