// How groups select leaves for the pods that name them, whatever the order of groups and pods.
//
// A pod's membership is stored with the selected leaf, so that no other code knows selectors. A leaf that no object
// declares is created with its first pod, and removed with its last.

#include "model/cluster/cluster_state.hpp"

#include <algorithm>
#include <vector>

namespace echelon::model {

std::optional<SelectedLeaf> Cluster::State::leaf_of(const PodSeen& event) const {
    const auto& pod = event.pod;
    if (!pod.membership || !selected_leaves.does_select(pod.membership->leaf) || !affected.is_tracked(pod))
        return std::nullopt;
    return select_leaf(*forest.find(pod.membership->leaf), LabelViews(event.labels.begin(), event.labels.end()));
}

bool Cluster::State::is_selected_elsewhere(const GroupKey& group) const {
    if (!selected_leaves.has_leaves(group) || leaves.contains(group))
        return false;
    const auto* declared = forest.find(group);
    return declared != nullptr && declared->kind == GroupKind::leaf;
}

void Cluster::State::add_selected_leaf(const GroupKey& group, const SelectedLeaf& leaf, Change& change) {
    change.gangs.insert(forest.root_of(group));
    selected_leaves.add(leaf.leaf.key, {.group = group, .is_made = leaf.is_made});
    if (leaf.is_made)
        forest.see(leaf.leaf);
}

void Cluster::State::remove_selected_leaf(const GroupKey& leaf, Change& change) {
    if (leaves.contains(leaf))
        return;
    const auto removed = selected_leaves.remove(leaf);
    if (!removed)
        return;
    change.gangs.insert(forest.root_of(leaf));
    if (removed->is_made)
        forest.forget(leaf, {});
    ask_levels();
    change.gangs.insert(forest.root_of(removed->group));
}

void Cluster::State::reselect_leaf(PodRow& row, const GroupKey& group, Change& change) {
    row.pod.membership->replace_content(group);
    if (!selected_leaves.does_select(group) || !affected.is_tracked(row.pod))
        return;
    if (const auto leaf = select_leaf(*forest.find(group), strings.read(row.labels))) {
        add_selected_leaf(group, *leaf, change);
        row.pod.membership->replace_content(leaf->leaf.key);
    }
}

void Cluster::State::reselect_pods(const GroupKey& group, Change& change) {
    const auto* declared = forest.find(group);
    const bool selects = declared != nullptr && selects_by_labels(*declared);
    if (!selects && !selected_leaves.does_select(group))
        return;
    selected_leaves.set_selects(group, selects);
    auto places = selected_leaves.leaves_of(group);
    places.insert(group);
    std::vector<std::string> uids;
    for (const auto& place : places) {
        const auto leaf = leaves.find(place);
        if (leaf == leaves.end())
            continue;
        for (const auto* row : leaf->second.ours()) {
            uids.push_back(row->pod.uid);
        }
    }
    std::ranges::sort(uids);
    for (const auto& uid : uids) {
        auto& row = *pods.find(uid);
        touch(row.pod, change);
        leave_leaf(row);
        reselect_leaf(row, group, change);
        enter_leaf(row);
        touch(row.pod, change);
    }
    for (const auto& place : places) {
        remove_selected_leaf(place, change);
    }
}

}  // namespace echelon::model
