#include "kube/leader_worker_set.hpp"

#include "kube/group_reading.hpp"
#include "kube/shown.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using model::Group;
using model::GroupKind;

constexpr const char* size_key = "leaderworkerset.sigs.k8s.io/size";
constexpr const char* part_size_key = "leaderworkerset.sigs.k8s.io/subgroup-size";
constexpr const char* part_label = "leaderworkerset.sigs.k8s.io/subgroup-index";
constexpr const char* exclusive_key = "leaderworkerset.sigs.k8s.io/exclusive-topology";
constexpr const char* part_exclusive_key = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology";
constexpr const char* policy_key = "leaderworkerset.sigs.k8s.io/subgroup-policy-type";

void read_exclusive(const Field& annotations, const char* key, Group& group) {
    if (!annotations.has(key))
        return;
    std::string level = annotations.text(key);
    if (is_label_key(level)) {
        group.required.push_back(std::move(level));
    } else {
        complain(group, fmt::format("the annotation {} is {}, which isn't a label key", key, shown(level)));
    }
}

// How a replica of `size` pods is cut into parts of `each`; an odd leader joins the first part.
struct Parts {
    std::int64_t size = 0;
    std::int64_t each = 0;
    bool is_leader_apart = false;

    [[nodiscard]] bool has_odd_leader() const { return !is_leader_apart && size % each != 0 && (size - 1) % each == 0; }
    [[nodiscard]] bool is_even() const { return (is_leader_apart || has_odd_leader() ? size - 1 : size) % each == 0; }
    [[nodiscard]] std::int64_t count() const {
        return is_leader_apart ? 1 + (size - 1) / each : (has_odd_leader() ? size - 1 : size) / each;
    }
    [[nodiscard]] std::int64_t size_of(std::int64_t index) const {
        return each + (index == 0 && has_odd_leader() ? 1 : 0);
    }
};

// The leaf below a gang that is cut into parts; the gang becomes a composite over all of them.
Group read_part(const Metadata& pod, Group& gang) {
    Group leaf;
    leaf.parent = gang.key;
    const auto each = read_count(pod.annotations, part_size_key, 1, gang);
    const std::string policy = pod.annotations.text(policy_key);
    if (!policy.empty() && policy != "LeaderWorker" && policy != "LeaderExcluded") {
        complain(gang,
                 fmt::format("{} is {}, which is neither LeaderWorker nor LeaderExcluded", policy_key, shown(policy)));
    }
    const Parts parts{
        .size = gang.minimum.value_or(0), .each = each.value_or(1), .is_leader_apart = policy == "LeaderExcluded"};
    if (gang.minimum && each && !parts.is_even())
        complain(gang, fmt::format("{} is {}, which doesn't divide the size {}", part_size_key, *each, *gang.minimum));
    gang.kind = GroupKind::composite;
    gang.expected.reset();
    gang.minimum = parts.count();
    const bool is_leader = pod.labels.text("leaderworkerset.sigs.k8s.io/worker-index") == "0";
    if (parts.is_leader_apart && is_leader) {
        leaf.key = {"lws-subgroup", gang.key.name + "/leader"};
        leaf.minimum = 1;
        return leaf;
    }
    const auto index = read_count(pod.labels, part_label, 0, gang);
    leaf.key = {"lws-subgroup", fmt::format("{}/{}", gang.key.name, index.value_or(0))};
    leaf.minimum = parts.size_of(index.value_or(0));
    leaf.expected = leaf.minimum;
    read_exclusive(pod.annotations, part_exclusive_key, leaf);
    return leaf;
}

}  // namespace

std::optional<model::Membership> leader_worker_set_membership(const Metadata& pod) {
    const std::string name = pod.labels.text("leaderworkerset.sigs.k8s.io/name");
    const std::string index = pod.labels.text("leaderworkerset.sigs.k8s.io/group-index");
    if (name.empty() || index.empty() || !pod.labels.has("leaderworkerset.sigs.k8s.io/group-key"))
        return std::nullopt;
    Group gang;
    gang.key = {"lws-group", fmt::format("{}/{}/{}", pod.ns, name, index)};
    gang.minimum = read_count(pod.annotations, size_key, 1, gang);
    gang.expected = gang.minimum;
    if (!pod.annotations.has(size_key))
        complain(gang, fmt::format("the annotation {} is missing", size_key));
    read_exclusive(pod.annotations, exclusive_key, gang);

    model::Membership out;
    const bool comes_late = pod.annotations.has(exclusive_key);
    if (comes_late && pod.annotations.has(part_exclusive_key)) {
        complain(gang,
                 fmt::format("{} and {} together can't be kept: workers are created after their leader has a node",
                             exclusive_key, part_exclusive_key));
    }
    if (pod.annotations.has(part_size_key) && !comes_late) {
        Group leaf = read_part(pod, gang);
        out.leaf = leaf.key;
        out.declared.push_back(std::move(leaf));
    } else {
        gang.start_set = 1;
        out.leaf = gang.key;
    }
    out.declared.push_back(std::move(gang));
    return out;
}

bool add_replica_size(const Metadata& pod, model::Group& group) {
    if (!pod.labels.has("leaderworkerset.sigs.k8s.io/group-key"))
        return false;
    const auto size = count_in(pod.annotations.text(size_key), 1);
    if (!size)
        return false;
    group.minimum = size;
    group.expected = size;
    group.start_set = 1;
    return true;
}

}  // namespace echelon::kube
