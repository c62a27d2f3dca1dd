// How group objects change the cluster: which trees they affect before and after.

#include "model/cluster/cluster_state.hpp"

#include <algorithm>
#include <vector>

namespace echelon::model {

void Cluster::State::on(const GroupSeen& event, Change& change) {
    Change around;
    mark_neighbours_changed(event.group.key, around);
    if (!forest.see(event.group))
        return;
    keep_late_shapes(event.group.key);
    ask_levels();
    reselect_pods(event.group.key, change);
    name_pods(event.group.key, change);
    change.gangs.merge(around.gangs);
    mark_neighbours_changed(event.group.key, change);
}

void Cluster::State::on(const GroupGone& event, Change& change) {
    Change around;
    mark_neighbours_changed(event.key, around);
    if (!forest.forget(event.key, event.uid))
        return;
    keep_late_shapes(event.key);
    ask_levels();
    reselect_pods(event.key, change);
    name_pods(event.key, change);
    change.gangs.merge(around.gangs);
    mark_neighbours_changed(event.key, change);
}

void Cluster::State::on(const GroupSetSeen& event, Change& change) {
    Change before;
    const auto touched = sets.touched_by(event.set, forest);
    mark_neighbours_changed(touched, before);
    sets.see(event.set, forest);
    apply_group_set_difference(touched, before, change);
}

void Cluster::State::on(const GroupSetGone& event, Change& change) {
    Change before;
    mark_neighbours_changed(sets.keys_of(event.owner), before);
    apply_group_set_difference(sets.forget(event.owner, event.uid, forest), before, change);
}

void Cluster::State::apply_group_set_difference(const std::vector<GroupKey>& touched, Change& before, Change& change) {
    if (touched.empty())
        return;
    for (const auto& key : touched) {
        keep_late_shapes(key);
    }
    ask_levels();
    change.gangs.merge(before.gangs);
    for (const auto& key : touched) {
        reselect_pods(key, change);
        name_pods(key, change);
    }
    mark_neighbours_changed(touched, change);
}

// For the group, and for those that it describes.
void Cluster::State::keep_late_shapes(const GroupKey& key) {
    retain_late_class(key);
    for (const auto& described : forest.described(key)) {
        retain_late_class(described);
    }
}

void Cluster::State::mark_declared_changed(const Pod& pod, Change& change) const {
    if (!is_tracked(pod))
        return;
    const auto& declared = pod.membership->declared.values();
    if (std::ranges::none_of(declared, [](const Group& group) { return group.policy.oldest_pod_decides; }))
        return;
    for (const auto& group : declared)
        mark_neighbours_changed(group.key, change);
}

void Cluster::State::mark_neighbours_changed(const std::vector<GroupKey>& keys, Change& change) const {
    GroupRoots roots(forest);
    for (const auto& key : keys)
        mark_neighbours_changed(key, roots, change);
}

void Cluster::State::mark_neighbours_changed(const GroupKey& key, Change& change) const {
    GroupRoots roots(forest);
    mark_neighbours_changed(key, roots, change);
}

// A group may connect trees: those below it with the one above it. Lists of groups must agree with it.
void Cluster::State::mark_neighbours_changed(const GroupKey& key, GroupRoots& roots, Change& change) const {
    roots.add(key, change.gangs);
    roots.add_below(key, change.gangs);
    roots.add_listers(key, change.gangs);
    for (const auto& described : forest.described(key)) {
        roots.add(described, change.gangs);
    }
    // Listed groups that name the group are its children; other listed groups aren't affected.
    const auto* group = forest.find(key);
    if (group == nullptr || !forest.lists_neighbours(*group))
        return;
    for (const auto& listed : group->listed) {
        const auto* child = forest.find(listed);
        if (child == nullptr) {
            roots.add(listed, change.gangs);
        } else if (child->parent != key) {
            roots.add(*child, change.gangs);
        }
    }
}

}  // namespace echelon::model
