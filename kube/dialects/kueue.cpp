#include "kube/dialects/kueue.hpp"

#include "kube/dialects/group_reading.hpp"
#include "kube/json/quoted_text.hpp"
#include "model/facts/topology.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;

constexpr std::string_view group_key = "kueue.x-k8s.io/podset-group-name";
constexpr std::string_view slice_key = "kueue.x-k8s.io/workload-slice-name";

GroupKey root_key(std::string name) {
    return {"kueue-workload", std::move(name)};
}

GroupKey leaf_key(const std::string& root, const std::string& part) {
    return {"kueue-podset", root + "/" + part};
}

// The admitted count by PodSet.
std::map<std::string, std::int64_t> admitted_counts(const Field& status) {
    std::map<std::string, std::int64_t> counts;
    const Field assignments = status.at("admission").at("podSetAssignments");
    for (const Field& assignment : assignments.items(group_bound(status.limits()))) {
        if (const auto count = assignment.pods("count", 0))
            counts[assignment.text("name")] = *count;
    }
    return counts;
}

// Kueue deactivates an admitted Workload once all its admissions together have lasted this long.
std::int64_t end_of(const Field& object) {
    constexpr std::int64_t longest = 1'000'000'000'000;  // Seconds.
    const auto most = object.at("spec").integer("maximumExecutionTimeSeconds", 1, longest);
    const Field status = object.at("status");
    // As Kueue spells it.
    const auto past = status.integer("accumulatedPastExexcutionTimeSeconds", 0, longest).value_or(0);
    for (const Field& condition : status.at("conditions").items(group_bound(object.limits()))) {
        if (most && condition.text("type") == "Admitted" && condition.text("status") == "True") {
            const auto since = condition.seconds("lastTransitionTime");
            return since > 0 ? since + std::max<std::int64_t>(0, *most - past) : 0;
        }
    }
    return 0;
}

// The PodSets of a leader and its workers, which are placed together.
struct Pair {
    Group group;
    std::vector<std::size_t> leaves;
};

void check_pair(const Pair& pair, const std::vector<Group>& leaves, Group& root) {
    const std::string& name = pair.group.key.name;
    const auto is_single = [&leaves](std::size_t leaf) { return leaves[leaf].minimum == 1; };
    if (pair.leaves.size() != 2 || std::ranges::none_of(pair.leaves, is_single)) {
        return complain(root, fmt::format("the PodSet group {} isn't a leader of one pod and its workers",
                                          shown(name.substr(root.key.name.size() + 1))));
    }
    const Group& one = leaves[pair.leaves.front()];
    const Group& other = leaves[pair.leaves.back()];
    if (one.required != other.required || one.preferred != other.preferred) {
        complain(root, fmt::format("the PodSets {} and {} are one group, but ask for unlike levels",
                                   shown(one.key.name.str()), shown(other.key.name.str())));
    }
}

// Moves the request of both PodSets to the composite over them.
void join_pair(Pair& pair, std::vector<Group>& leaves, Group& root) {
    check_pair(pair, leaves, root);
    for (const std::size_t index : pair.leaves) {
        leaves[index].parent = pair.group.key;
        pair.group.required =
            leaves[index].required;  // Kept on the leaf as well, since the pods' annotations must agree with it (Z30).
        pair.group.preferred = std::exchange(leaves[index].preferred, {});
    }
}

}  // namespace

Group supplement_without_level(const GroupKey& key) {
    Group group;
    group.key = key;
    group.only_supplements = true;
    group.topology_group = kueue_group;
    group.required.emplace_back(model::whole_cluster_level);
    return group;
}

namespace {

// The name of the PodSet group, from either place.
std::string pod_set_group_name(const Field& pod_set, const Field& annotations) {
    std::string name = annotations.text(group_key);
    return name.empty() ? pod_set.at("topologyRequest").text("podSetGroupName") : name;
}

bool is_replaced(const Field& status) {
    const auto conditions = status.at("conditions").items(group_bound(status.limits()));
    return std::ranges::any_of(conditions, [](const Field& condition) {
        return condition.text("type") == "Finished" && condition.text("status") == "True" &&
               condition.text("reason") == "WorkloadSliceReplaced";
    });
}

// Makes the groups those of an elastic job: each Workload that is not replaced declares them, and the oldest
// one decides.
void share_with_other_slices(model::GroupSet& set) {
    for (Group& group : std::exchange(set.groups, {})) {
        group.policy.oldest_pod_decides = true;
        set.shared.push_back(std::move(group));
    }
}

}  // namespace

model::GroupSet read_kueue_workload(const Field& object, const Metadata& metadata) {
    const std::string first_slice = metadata.annotations.text(slice_key);
    Group root;
    root.key = root_key(first_slice.empty() ? metadata.full_name() : metadata.ns + "/" + first_slice);
    root.kind = GroupKind::composite;
    root.policy.needs_pods = true;
    if (first_slice.empty())
        read_identity(object, metadata, root);
    const auto admitted = admitted_counts(object.at("status"));
    model::GroupSet out{.owner = root_key(metadata.full_name()), .uid = metadata.uid, .created = metadata.created};
    std::vector<Group> leaves;
    std::map<std::string, Pair> pairs;
    std::set<std::string> names;
    const auto ends = end_of(object);
    for (const Field& item : object.at("spec").at("podSets").items(group_bound(object.limits()))) {
        Group leaf;
        const std::string name = item.required_text("name");
        leaf.key = leaf_key(root.key.name, name);
        leaf.parent = root.key;
        const auto declared = item.pods("count", 0).value_or(1);
        const auto found = admitted.find(name);
        leaf.minimum = found == admitted.end() ? declared : found->second;
        leaf.expected = leaf.minimum;
        leaf.ends = ends;
        if (!names.insert(name).second) {
            item.wrong("name", fmt::format("{} is given twice", shown(name)));
            continue;
        }
        const Field annotations = item.at("template").at("metadata").at("annotations");
        read_topology_requests(item, annotations, leaf);
        if (is_unconstrained(annotations) || item.at("topologyRequest").flag("unconstrained", false))
            out.shared.push_back(supplement_without_level(leaf.key));
        if (std::string group = pod_set_group_name(item, annotations); !group.empty()) {
            Pair& pair = pairs[group];
            pair.group.key = {"kueue-podset-group", root.key.name + "/" + group};
            pair.group.kind = GroupKind::composite;
            pair.group.parent = root.key;
            pair.leaves.push_back(leaves.size());
        }
        leaves.push_back(std::move(leaf));
    }
    for (auto& [name, pair] : pairs) {
        join_pair(pair, leaves, root);
        out.groups.push_back(std::move(pair.group));
    }
    out.groups.insert(out.groups.begin(), std::move(root));
    std::ranges::move(leaves, std::back_inserter(out.groups));
    if (is_replaced(object.at("status")))
        return {.owner = out.owner, .uid = out.uid, .created = out.created};
    if (!first_slice.empty())
        share_with_other_slices(out);
    return out;
}

std::optional<model::Membership> kueue_membership(const Metadata& pod) {
    const std::string first_slice = pod.annotations.text(slice_key);
    const std::string workload = first_slice.empty() ? pod.annotations.text("kueue.x-k8s.io/workload") : first_slice;
    const std::string part = pod.labels.text("kueue.x-k8s.io/podset");
    if (workload.empty() || part.empty())
        return std::nullopt;
    model::Membership out;
    out.leaf = leaf_key(pod.ns + "/" + workload, part);
    return out;
}

std::optional<model::Membership> kueue_pod_group_membership(const Metadata& pod) {
    constexpr std::string_view total_key = "kueue.x-k8s.io/pod-group-total-count";
    const std::string name = pod.labels.text("kueue.x-k8s.io/pod-group-name");
    if (name.empty())
        return std::nullopt;
    Group leaf;
    leaf.key = {"kueue-pod-group", pod.ns + "/" + name};
    leaf.minimum = read_count(pod.annotations, total_key, 1, leaf);
    leaf.expected = leaf.minimum;
    if (!pod.annotations.has(total_key))
        complain(leaf, fmt::format("the annotation {} is missing", total_key));
    read_kueue_topology_request(pod.annotations, leaf.minimum, leaf);
    model::Membership out;
    out.leaf = leaf.key;
    out.declared.push_back(std::move(leaf));
    return out;
}

std::optional<std::int64_t> kueue_rank(const Metadata& pod) {
    auto rank = count_in(pod.labels.text("kueue.x-k8s.io/pod-group-pod-index"), 0);
    if (const std::string label = pod.annotations.text("kueue.x-k8s.io/pod-group-pod-index-label");
        !rank && !label.empty()) {
        rank = count_in(pod.labels.text(label), 0);
    }
    return rank ? std::optional(rank_in_pod_set(pod, *rank)) : std::nullopt;
}

std::int64_t rank_in_pod_set(const Metadata& pod, std::int64_t index) {
    const auto offset = count_in(pod.annotations.text("kueue.x-k8s.io/pod-index-offset"), 0).value_or(0);
    return index >= offset ? index - offset : index;
}

}  // namespace echelon::kube
