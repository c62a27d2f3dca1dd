// What changes with the profiles: which pods are members, and which of them groups select into leaves.

#include "model/cluster/cluster_state.hpp"

#include <set>
#include <utility>
#include <vector>

namespace echelon::model {

Change Cluster::reprofile(Profiles profiles) {
    Change change;
    std::vector<PodRow*> members;
    for (const auto& row : state_->pods) {
        if (!row->pod.membership)
            continue;
        members.push_back(row.get());
        state_->touch(row->pod, change);
        state_->note_nomination(*row, false);
        state_->leave_leaf(*row);
    }
    state_->profiles = std::move(profiles);
    std::set<GroupKey> places;  // Only pods of our profiles are in selected leaves.
    for (auto* row : members) {
        const auto place = row->pod.membership->leaf;
        const auto* selected = state_->selected_leaves.find(place);
        if (selected != nullptr)
            places.insert(place);
        state_->reselect_leaf(*row, selected != nullptr ? GroupKey(selected->group) : place, change);
        state_->enter_leaf(*row);
        state_->note_nomination(*row, true);
    }
    for (const auto& place : places)
        state_->remove_selected_leaf(place, change);
    for (const auto* row : members)
        state_->touch(row->pod, change);
    state_->apply_late_devices(change);
    state_->co_located = {};
    state_->add_co_located(change);
    change.may_free_room = true;
    static_cast<void>(state_->take_moved_pods());
    change.moved_pods.reset();
    return change;
}

}  // namespace echelon::model
