// How groups get pods that name no group themselves: by the pods' names (Z36), whatever the order of groups and pods.

#include "base/split.hpp"
#include "model/cluster/cluster_state.hpp"

#include <utility>
#include <vector>

namespace echelon::model {

std::optional<Membership> Cluster::State::given_membership(const Pod& pod) const {
    if (named_pods.empty() || pod.membership)
        return std::nullopt;
    const auto* leaf = named_pods.leaf_of(pod.full_name());
    if (leaf == nullptr)
        return std::nullopt;
    return Membership{.leaf = *leaf, .declared = {}, .rank = -1, .attempt = {}};
}

void Cluster::State::name_pods(const GroupKey& group, Change& change) {
    NamedPods::Leaves now;
    if (const auto* declared = forest.find(group)) {
        for (const auto& selector : declared->sorts) {
            const auto* names = selected_names(selector);
            if (names == nullptr)
                continue;
            const auto ns = group.name.str().substr(0, group.name.str().find('/') + 1);
            for (const auto& name : *names)
                now.emplace(ns + name, selector.leaf.key);
        }
    }
    for (const auto& pod : named_pods.assign(group, std::move(now)))
        renew_given_membership(pod, change);
}

void Cluster::State::renew_given_membership(const std::string& pod, Change& change) {
    const auto [ns, name] = base::split_at_slash(pod);
    auto* named = pods.named(ns, name);
    if (named == nullptr)
        return;
    auto& row = *named;
    if (row.pod.membership && !row.is_named_by_group)
        return;  // The pod names a group itself.
    auto bare = row.pod;
    bare.membership.reset();
    auto given = given_membership(bare);
    if (given == row.pod.membership)
        return;
    touch(row.pod, change);
    note_nomination(row, false);
    leave_leaf(row);
    row.is_named_by_group = given.has_value();
    row.pod.membership = std::move(given);
    enter_leaf(row);
    note_nomination(row, true);
    touch(row.pod, change);
    change.member_arrived = change.member_arrived ||
                            (affected.is_tracked(row.pod) && member_status_of(row.pod, true) == MemberStatus::waiting);
}

}  // namespace echelon::model
