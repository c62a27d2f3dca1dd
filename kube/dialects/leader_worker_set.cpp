#include "kube/dialects/leader_worker_set.hpp"

#include "base/kubernetes_names.hpp"
#include "kube/core/pod_decoder.hpp"
#include "kube/dialects/group_reading.hpp"
#include "kube/json/quoted_text.hpp"
#include "model/gang/sub_group_selection.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;

constexpr const char* name_label = "leaderworkerset.sigs.k8s.io/name";
constexpr const char* index_label = "leaderworkerset.sigs.k8s.io/group-index";
constexpr const char* group_key_label = "leaderworkerset.sigs.k8s.io/group-key";
constexpr const char* size_key = "leaderworkerset.sigs.k8s.io/size";
constexpr const char* sub_group_size_key = "leaderworkerset.sigs.k8s.io/subgroup-size";
constexpr const char* sub_group_label = "leaderworkerset.sigs.k8s.io/subgroup-index";
constexpr const char* sub_group_key_label = "leaderworkerset.sigs.k8s.io/subgroup-key";
constexpr const char* exclusive_key = "leaderworkerset.sigs.k8s.io/exclusive-topology";
constexpr const char* sub_group_exclusive_key = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology";
constexpr const char* policy_key = "leaderworkerset.sigs.k8s.io/subgroup-policy-type";

// Kinds of the object's two groups: for leaves with a leader, and for the others.
constexpr const char* of_leaders = "leaderworkerset";
constexpr const char* of_workers = "leaderworkerset-workers";
constexpr const char* of_replica = "lws-group";
constexpr const char* of_sub_group = "lws-subgroup";

// For `Group::about`: sub-groups whose pods are created later. No label has this value.
constexpr const char* sub_groups_to_come = "*";

bool is_leader(const Metadata& pod) {
    return pod.labels.text("leaderworkerset.sigs.k8s.io/worker-index") == "0";
}

// The group of the LeaderWorkerSet that describes a leaf with a leader, or one without.
GroupKey description_of(const Metadata& pod, bool has_leader) {
    return {has_leader ? of_leaders : of_workers, fmt::format("{}/{}", pod.ns, pod.labels.text(name_label))};
}

// The supplement for exclusive topology: a level, and for a leaf that its other pods come late. `group`: a leaf, or a
// replica with sub-groups.
Group exclusive_supplement(const Group& group, const Metadata& pod, const char* level_key) {
    Group supplement = supplement_to(group.key);
    read_required_level(pod.annotations, level_key, supplement, base::is_label_key);
    if (group.kind == GroupKind::leaf && pod.annotations.has(exclusive_key)) {
        supplement.expected = group.expected;
        supplement.start_set = group.described_by->kind == of_leaders ? 1 : 0;
    }
    return supplement;
}

// How a replica of `size` pods is divided into sub-groups of `each`. If the leader is left over, it joins the first
// sub-group.
struct SubGroups {
    std::int64_t size = 0;
    std::int64_t each = 0;
    bool is_leader_apart = false;

    [[nodiscard]] bool has_extra_leader() const {
        return !is_leader_apart && size % each != 0 && (size - 1) % each == 0;
    }
    [[nodiscard]] bool divides() const { return (is_leader_apart || has_extra_leader() ? size - 1 : size) % each == 0; }
    [[nodiscard]] std::int64_t count() const {
        return is_leader_apart ? 1 + (size - 1) / each : (has_extra_leader() ? size - 1 : size) / each;
    }
    // Those without the leader. The controller counts from the leader on if the whole size is divisible, which beside a
    // leader that is apart happens only for sub-groups of one pod.
    [[nodiscard]] model::PartNumbers of_workers() const {
        const std::int64_t first = is_leader_apart && each > 1 ? 0 : 1;
        return {.first = first, .end = is_leader_apart ? first + count() - 1 : count()};
    }
    [[nodiscard]] std::int64_t size_of(std::int64_t index) const {
        return each + (index == 0 && has_extra_leader() ? 1 : 0);
    }
};

SubGroups read_sub_groups(const Metadata& pod, Group& gang) {
    if (has_leaf_for_pod_set(pod)) {
        const auto size = gang.minimum.value_or(2);
        return {.size = size, .each = size - 1, .is_leader_apart = true};
    }
    const auto each = read_count(pod.annotations, sub_group_size_key, 1, gang);
    const std::string policy = pod.annotations.text(policy_key);
    if (!policy.empty() && policy != "LeaderWorker" && policy != "LeaderExcluded") {
        complain(gang,
                 fmt::format("{} is {}, which is neither LeaderWorker nor LeaderExcluded", policy_key, shown(policy)));
    }
    const SubGroups sub_groups{
        .size = gang.minimum.value_or(0), .each = each.value_or(1), .is_leader_apart = policy == "LeaderExcluded"};
    if (gang.minimum && each && !sub_groups.divides())
        complain(gang,
                 fmt::format("{} is {}, which doesn't divide the size {}", sub_group_size_key, *each, *gang.minimum));
    if (const Bound bound = declared_bound(pod.annotations.limits()); gang.minimum && sub_groups.count() > bound.most)
        complain(gang, fmt::format("{}: {}", sub_group_size_key, beyond(sub_groups.count(), bound, " sub-groups")));
    return sub_groups;
}

Group sub_group_of(const Metadata& pod, const Group& gang, const std::string& name, std::int64_t size,
                   bool has_leader) {
    Group leaf;
    leaf.key = {of_sub_group, fmt::format("{}/{}", gang.key.name, name)};
    leaf.parent = gang.key;
    leaf.minimum = size;
    leaf.expected = size;
    leaf.described_by = description_of(pod, has_leader);
    leaf.policy.oldest_pod_decides = true;
    return leaf;
}

// Makes the gang a composite over all sub-groups. Returns the leaf of the pod.
Group split_into_sub_groups(const Metadata& pod, const SubGroups& sub_groups, Group& gang) {
    gang.kind = GroupKind::composite;
    gang.expected.reset();
    gang.described_by.reset();
    gang.minimum = sub_groups.count();
    gang.policy.oldest_pod_decides = true;
    if (sub_groups.is_leader_apart && is_leader(pod))
        return sub_group_of(pod, gang, "leader", 1, true);
    const auto index = read_count(pod.labels, sub_group_label, 0, gang).value_or(0);
    const bool has_leader = index == 0 && !sub_groups.is_leader_apart;
    return sub_group_of(pod, gang, std::to_string(index), sub_groups.size_of(index), has_leader);
}

// The supplement by which a leader declares the sub-groups of workers that may not exist yet.
Group sub_groups_of_workers(const Metadata& leader, const SubGroups& sub_groups, const Group& gang) {
    Group sub_group = sub_group_of(leader, gang, "", sub_groups.each, false);
    Group added = exclusive_supplement(sub_group, leader, sub_group_exclusive_key);
    sub_group.required = std::move(added.required);
    sub_group.problem = std::move(added.problem);
    sub_group.start_set = added.start_set;
    Group supplement = supplement_to(gang.key);
    // The leader's own sub-group is declared as its leaf.
    supplement.sorts.push_back(model::selector_of_parts(std::move(sub_group), sub_groups.of_workers()));
    return supplement;
}

bool waits_for_ready_leader(const Field& spec) {
    const std::string policy = spec.text("startupPolicy");
    if (!policy.empty() && policy != "LeaderCreated" && policy != "LeaderReady")
        spec.wrong("startupPolicy", fmt::format("must be LeaderCreated or LeaderReady, not {}", shown(policy)));
    return policy == "LeaderReady";
}

}  // namespace

model::GroupSet read_leader_worker_set(const Field& object, const Metadata& metadata) {
    const Field spec = object.at("spec");
    const Field worker = spec.at("leaderWorkerTemplate").at("workerTemplate");
    Group leaders;
    leaders.key = {of_leaders, metadata.full_name()};
    leaders.policy.needs_pods = true;
    read_identity(object, metadata, leaders);
    if (waits_for_ready_leader(spec))
        leaders.start_set = 1;
    if (worker.exists())
        read_late_template(worker, leaders);
    const Field& notes = metadata.annotations;
    if (!leaders.start_set && !notes.has(exclusive_key) && !notes.has(sub_group_exclusive_key))
        leaders.late_claims.clear();  // No devices are held for them.
    Group workers = leaders;
    workers.key.kind = of_workers;
    if (workers.start_set)
        workers.start_set = 0;
    model::GroupSet out{.owner = leaders.key, .uid = metadata.uid, .created = metadata.created};
    out.groups = {std::move(leaders), std::move(workers)};
    return out;
}

std::optional<model::Membership> leader_worker_set_membership(const Metadata& pod) {
    const std::string name = pod.labels.text(name_label);
    const std::string index = pod.labels.text(index_label);
    if (name.empty() || index.empty() || !pod.labels.has(group_key_label))
        return std::nullopt;
    Group gang;
    gang.key = {of_replica, fmt::format("{}/{}/{}", pod.ns, name, index)};
    gang.minimum = read_count(pod.annotations, size_key, 1, gang);
    gang.expected = gang.minimum;
    gang.described_by = description_of(pod, true);
    if (!pod.annotations.has(size_key))
        complain(gang, fmt::format("the annotation {} is missing", size_key));

    model::Membership out;
    std::optional<SubGroups> sub_groups;
    if (pod.annotations.has(sub_group_size_key) || has_leaf_for_pod_set(pod)) {
        sub_groups = read_sub_groups(pod, gang);
        out.declared.push_back(split_into_sub_groups(pod, *sub_groups, gang));
    }
    const bool comes_late = pod.annotations.has(exclusive_key);
    const Group replica = gang;
    out.declared.push_back(std::move(gang));
    out.leaf = out.declared.front().key;
    if (comes_late)
        out.declared.push_back(exclusive_supplement(replica, pod, exclusive_key));
    if (sub_groups && (comes_late || pod.annotations.has(sub_group_exclusive_key)))
        out.declared.push_back(exclusive_supplement(out.declared.front(), pod, sub_group_exclusive_key));
    if (sub_groups && is_leader(pod) && replica.problem.empty())
        out.declared.push_back(sub_groups_of_workers(pod, *sub_groups, replica));
    return out;
}

bool has_leaf_for_pod_set(const Metadata& pod) {
    const std::string admitted_as = pod.labels.text("kueue.x-k8s.io/podset");
    const std::string role = pod.annotations.text("kueue.x-k8s.io/role-hash");
    const std::string& pod_set = admitted_as.empty() ? role : admitted_as;
    const bool is_apart = is_leader(pod) ? pod_set == "leader" : pod_set.starts_with("worker");
    return is_apart && count_in(pod.annotations.text(size_key), 2) && !pod.annotations.has(sub_group_size_key) &&
           !pod.annotations.has("kueue.x-k8s.io/podset-group-name");
}

bool is_leaf_of_leader_worker_set(const GroupKey& key) {
    return key.kind == of_replica || key.kind == of_sub_group;
}

bool is_replica_of_leader_worker_set(const GroupKey& key) {
    return key.kind == of_replica;
}

void attach_replica(const GroupKey& parent, const Metadata& pod, model::Membership& replica) {
    const auto is_top = [](const Group& group) { return !group.only_supplements && !group.parent; };
    const auto top = std::ranges::find_if(replica.declared.edit(), is_top);
    const std::string old_name = top->key.name;
    const std::string name = fmt::format("{}/{}", parent.name, pod.labels.text(index_label));
    const auto move = [&](GroupKey& key) { key.name = name + key.name.str().substr(old_name.size()); };
    for (Group& group : replica.declared.edit()) {
        move(group.key);
        if (group.parent)
            move(*group.parent);
    }
    move(replica.leaf);
    top->parent = parent;
}

namespace {

Group supplement_about(const Metadata& pod, const char* label) {
    Group group;
    group.about = model::LabelledPods{label, pod.labels.text(label)};
    return group;
}

// The size of the replica, its level, and late workers.
Group whole_replica_of(const Metadata& pod) {
    Group group = supplement_about(pod, group_key_label);
    group.minimum = read_count(pod.annotations, size_key, 1, group);
    group.expected = group.minimum;
    group.described_by = description_of(pod, true);
    read_required_level(pod.annotations, exclusive_key, group, base::is_label_key);
    if (pod.annotations.has(exclusive_key))
        group.start_set = 1;
    return group;
}

// True if the pods of other sub-groups may not exist yet.
bool has_late_sub_groups(const Metadata& pod) {
    Group ignored;
    ignored.minimum = count_in(pod.annotations.text(size_key));
    return pod.annotations.has(exclusive_key) && pod.annotations.has(sub_group_size_key) &&
           read_sub_groups(pod, ignored).count() > 1;
}

}  // namespace

std::vector<Group> supplements_of_replica(const Metadata& pod) {
    std::vector<Group> out;
    if (!pod.labels.has(group_key_label))
        return out;
    if (pod.annotations.has(size_key) || pod.annotations.has(exclusive_key))
        out.push_back(whole_replica_of(pod));
    if (!pod.annotations.has(sub_group_exclusive_key))
        return out;
    out.push_back(supplement_about(pod, sub_group_key_label));
    read_required_level(pod.annotations, sub_group_exclusive_key, out.back(), base::is_label_key);
    if (has_late_sub_groups(pod)) {
        out.push_back(supplement_about(pod, sub_group_key_label));
        out.back().about.edit().value = sub_groups_to_come;
    }
    return out;
}

}  // namespace echelon::kube
