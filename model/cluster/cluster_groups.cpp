// How group objects change the cluster: which trees they affect before and after.

#include "model/cluster/cluster_state.hpp"

#include <algorithm>
#include <vector>

namespace echelon::model {

void Cluster::State::on(const GroupSeen& event, Change& change) {
    Change around;
    affected.add_around(event.group.key, around.gangs);
    if (!forest.see(event.group))
        return;
    renew_around(event.group.key);
    ask_levels();
    reselect_pods(event.group.key, change);
    name_pods(event.group.key, change);
    change.gangs.merge(around.gangs);
    affected.add_around(event.group.key, change.gangs);
}

void Cluster::State::on(const GroupGone& event, Change& change) {
    Change around;
    affected.add_around(event.key, around.gangs);
    if (!forest.forget(event.key, event.uid))
        return;
    renew_around(event.key);
    ask_levels();
    reselect_pods(event.key, change);
    name_pods(event.key, change);
    change.gangs.merge(around.gangs);
    affected.add_around(event.key, change.gangs);
}

void Cluster::State::on(const GroupSetSeen& event, Change& change) {
    Change before;
    const auto touched = sets.touched_by(event.set, forest);
    affected.add_around(touched, before.gangs);
    sets.see(event.set, forest);
    have_groups_ends =
        have_groups_ends || std::ranges::any_of(event.set.groups, [](const Group& each) { return each.ends > 0; });
    apply_group_set_difference(touched, before, change);
}

void Cluster::State::on(const GroupSetGone& event, Change& change) {
    Change before;
    affected.add_around(sets.keys_of(event.owner), before.gangs);
    apply_group_set_difference(sets.forget(event.owner, event.uid, forest), before, change);
}

void Cluster::State::renew_around(const GroupKey& changed) {
    late_pod_classes.renew_with_described(changed);
    if (co_location.is_anchor(changed))
        touched_anchors.insert(changed);
}

void Cluster::State::apply_group_set_difference(const std::vector<GroupKey>& touched, Change& before, Change& change) {
    if (touched.empty())
        return;
    for (const auto& key : touched)
        renew_around(key);
    ask_levels();
    change.gangs.merge(before.gangs);
    for (const auto& key : touched) {
        reselect_pods(key, change);
        name_pods(key, change);
    }
    affected.add_around(touched, change.gangs);
}

}  // namespace echelon::model
