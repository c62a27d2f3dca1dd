// How groups get pods that name no group themselves: by the pods' names (Z36), whatever the order of groups and pods.

#include "model/cluster/cluster_state.hpp"

#include <utility>
#include <vector>

namespace echelon::model {

std::optional<Membership> Cluster::State::given_membership(const Pod& pod) const {
    if (named_pods.empty() || pod.membership)
        return std::nullopt;
    const auto named = named_pods.find(pod.full_name());
    if (named == named_pods.end())
        return std::nullopt;
    return Membership{.leaf = *named->second.begin(), .declared = {}, .rank = -1, .attempt = any_attempt};
}

void Cluster::State::name_pods(const GroupKey& group, Change& change) {
    std::map<std::string, GroupKey> now;
    if (const auto* declared = forest.find(group)) {
        for (const auto& selector : declared->sorts) {
            const auto* names = selected_names(selector);
            if (names == nullptr)
                continue;
            const auto ns = group.name.substr(0, group.name.find('/') + 1);
            for (const auto& name : *names)
                now.emplace(ns + name, selector.leaf.key);
        }
    }
    const auto known = names_in.find(group);
    if (known == names_in.end() && now.empty())
        return;
    auto before = known == names_in.end() ? std::map<std::string, GroupKey>{} : std::move(known->second);
    std::set<std::string> touched;
    for (const auto& [pod, leaf] : before) {
        if (const auto here = now.find(pod); here != now.end() && here->second == leaf)
            continue;
        touched.insert(pod);
        const auto leaves_of = named_pods.find(pod);
        leaves_of->second.erase(leaf);
        if (leaves_of->second.empty())
            named_pods.erase(leaves_of);
    }
    for (const auto& [pod, leaf] : now) {
        if (named_pods[pod].insert(leaf).second)
            touched.insert(pod);
    }
    if (now.empty()) {
        names_in.erase(group);
    } else {
        names_in.insert_or_assign(group, std::move(now));
    }
    for (const auto& pod : touched)
        renew_given_membership(pod, change);
}

void Cluster::State::renew_given_membership(const std::string& pod, Change& change) {
    const auto slash = pod.find('/');
    const auto named =
        by_name.find(ByName::Name(std::string_view(pod).substr(0, slash), std::string_view(pod).substr(slash + 1)));
    if (named == by_name.end())
        return;
    auto& row = **pods.find((*named)->pod.uid);
    if (row.pod.membership && !row.is_named_by_group)
        return;  // The pod names a group itself.
    auto bare = row.pod;
    bare.membership.reset();
    auto given = given_membership(bare);
    if (given == row.pod.membership)
        return;
    mark_root_changed(row.pod, change);
    note_nomination(row, false);
    leave_leaf(row);
    row.is_named_by_group = given.has_value();
    row.pod.membership = std::move(given);
    enter_leaf(row);
    note_nomination(row, true);
    mark_root_changed(row.pod, change);
    change.member_arrived =
        change.member_arrived || (is_tracked(row.pod) && pod_standing_of(row.pod, true) == Standing::waiting);
}

}  // namespace echelon::model
