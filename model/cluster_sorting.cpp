// How groups sort the pods that name them into leaves, in whatever order groups and pods come.
//
// A pod's membership is kept with the leaf that it is sorted into, so that nothing else knows of sorting. A leaf that
// no object declares is made when its first pod comes, and goes with the last one.

#include "model/cluster_state.hpp"

#include <algorithm>
#include <vector>

namespace echelon::model {

std::optional<SortedLeaf> Cluster::State::leaf_of(const PodSeen& event) const {
    const auto& pod = event.pod;
    if (sorters.empty() || !pod.membership || !sorters.contains(pod.membership->leaf) || !takes_part(pod))
        return std::nullopt;
    return sorted_leaf(*forest.find(pod.membership->leaf), LabelViews(event.labels.begin(), event.labels.end()));
}

bool Cluster::State::is_sorted_away(const GroupKey& group) const {
    if (!sorted_into.contains(group) || leaves.contains(group))
        return false;
    const auto* declared = forest.find(group);
    return declared != nullptr && declared->kind == GroupKind::leaf;
}

void Cluster::State::note_sorted(const GroupKey& group, const SortedLeaf& leaf, Change& change) {
    change.gangs.insert(forest.root_of(group));
    sorted_into[group].insert(leaf.leaf.key);
    sorted_from.insert_or_assign(leaf.leaf.key, SortedFrom{group, leaf.is_made});
    if (leaf.is_made)
        forest.see(leaf.leaf);
}

void Cluster::State::forget_sorted(const GroupKey& leaf, Change& change) {
    const auto found = sorted_from.find(leaf);
    if (found == sorted_from.end() || leaves.contains(leaf))
        return;
    const auto [group, is_made] = found->second;
    sorted_from.erase(found);
    const auto into = sorted_into.find(group);
    into->second.erase(leaf);
    if (into->second.empty())
        sorted_into.erase(into);
    change.gangs.insert(forest.root_of(leaf));
    if (is_made)
        forest.forget(leaf, {});
    ask_levels();
    change.gangs.insert(forest.root_of(group));
}

void Cluster::State::sort_anew(const GroupKey& group, Change& change) {
    const auto* declared = forest.find(group);
    const bool sorts = declared != nullptr && !declared->sorts.empty();
    if (!sorts && !sorters.contains(group))
        return;
    if (sorts) {
        sorters.insert(group);
    } else {
        sorters.erase(group);
    }
    std::set<GroupKey> places = {group};
    if (const auto into = sorted_into.find(group); into != sorted_into.end())
        places.insert(into->second.begin(), into->second.end());
    std::vector<std::string> uids;
    for (const auto& place : places) {
        const auto leaf = leaves.find(place);
        if (leaf == leaves.end())
            continue;
        for (const auto* row : leaf->second.ours) {
            uids.push_back(row->pod.uid);
        }
    }
    std::ranges::sort(uids);
    for (const auto& uid : uids) {
        auto& row = **pods.find(uid);
        touch_root(row.pod, change);
        leave_leaf(row);
        row.pod.membership->move_to(group);
        if (const auto leaf = sorts ? sorted_leaf(*forest.find(group), book.read(row.labels)) : std::nullopt) {
            note_sorted(group, *leaf, change);
            row.pod.membership->move_to(leaf->leaf.key);
        }
        enter_leaf(row);
        touch_root(row.pod, change);
    }
    for (const auto& place : places) {
        forget_sorted(place, change);
    }
}

}  // namespace echelon::model
