#include "kube/dialects/role_based_group.hpp"

#include "base/kubernetes_names.hpp"
#include "kube/core/pod_decoder.hpp"
#include "kube/dialects/group_reading.hpp"
#include "kube/dialects/koordinator.hpp"
#include "kube/dialects/leader_worker_set.hpp"
#include "kube/dialects/scheduler_plugins.hpp"
#include "kube/json/quoted_text.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;

constexpr std::string_view gang_mark = "pod-group.scheduling.sigs.k8s.io/name";
constexpr std::string_view timeout_key = "rbg.workloads.x-k8s.io/group-gang-scheduling-timeout";
constexpr std::string_view workload_type_key = "rbg.workloads.x-k8s.io/role-workload-type";

// Labels and annotations of pods in one version of the API.
struct PodKeys {
    std::string_view group;
    std::string_view role;
    std::string_view instance;
    std::string_view index;
    std::string_view exclusive;
};

constexpr PodKeys versions[] = {
    {.group = "rbg.workloads.x-k8s.io/group-name",
     .role = "rbg.workloads.x-k8s.io/role-name",
     .instance = "rbg.workloads.x-k8s.io/role-instance-name",
     .index = "rbg.workloads.x-k8s.io/component-index",
     .exclusive = "rbg.workloads.x-k8s.io/group-exclusive-topology"},
    {.group = "rolebasedgroup.workloads.x-k8s.io/name",
     .role = "rolebasedgroup.workloads.x-k8s.io/role",
     .instance = "instance.workloads.x-k8s.io/instance-name",
     .index = "component.rolebasedgroup.workloads.x-k8s.io/index",
     .exclusive = "rolebasedgroup.workloads.x-k8s.io/exclusive-topology"},
};

GroupKey root_key(std::string name) {
    return {"rolebasedgroup", std::move(name)};
}

GroupKey role_key(std::string_view root, std::string_view role) {
    return {"rolebasedgroup-role", fmt::format("{}/{}", root, role)};
}

std::int64_t sum_of_components(const Field& components) {
    std::int64_t sum = 0;
    for (const Field& component : components.items(group_bound(components.limits())))
        sum += component.pods("size", 0).value_or(1);
    return sum;
}

// True if LeaderWorkerSets create the pods, and so number and label the instances.
bool is_made_by_leader_worker_sets(const Field& role) {
    return role.at("workload").text("kind") == "LeaderWorkerSet" ||
           role.at("annotations").text(workload_type_key).ends_with("/LeaderWorkerSet");
}

// Pods per instance of the role; nullopt: each pod is an instance.
std::optional<std::int64_t> read_instance_size(const Field& role) {
    if (const Field pattern = role.at("leaderWorkerPattern"); pattern.exists())
        return pattern.pods("size", 1).value_or(1);
    if (const Field pattern = role.at("customComponentsPattern"); pattern.exists())
        return sum_of_components(pattern.at("components"));
    const bool is_instance_set = role.at("workload").text("kind") == "InstanceSet";
    if (is_instance_set && role.at("components").exists())
        return sum_of_components(role.at("components"));
    if (is_made_by_leader_worker_sets(role) || (is_instance_set && role.at("leaderWorkerSet").exists()))
        return role.at("leaderWorkerSet").pods("size", 1).value_or(1);
    return std::nullopt;
}

// How many pods are created first; nullopt: all at once.
std::optional<std::int64_t> read_start_set(const Field& role, std::int64_t instance_size) {
    if (!role.at("dependencies").items(group_bound(role.limits())).empty())
        return 0;
    if (role.text("podManagementPolicy") == "OrderedReady")
        return instance_size;
    return std::nullopt;
}

void read_late_pods(const Field& role, Group& group) {
    const Field instances = role.at("leaderWorkerPattern");
    if (instances.has("leaderTemplatePatch") || instances.has("workerTemplatePatch"))
        return;
    for (const Field& pod :
         {instances.at("template"), role.at("standalonePattern").at("template"), role.at("template")}) {
        if (pod.exists())
            return read_late_template(pod, group);
    }
}

// One role: its group, and the selectors that sort pods into it.
class Role {
public:
    Role(const Field& item, const Group& root) : name_(item.required_text("name")) {
        group_.key = role_key(root.key.name, name_);
        group_.parent = root.key;
        read_pods(item);
    }

    [[nodiscard]] const std::string& name() const { return name_; }

    void add_to(model::GroupSet& set) && {
        for (const PodKeys& keys : versions)
            set.groups.front().sorts.push_back(selector(keys));
        set.groups.push_back(std::move(group_));
    }

private:
    void read_pods(const Field& item) {
        const std::optional<std::int64_t> size = read_instance_size(item);
        const std::int64_t replicas = item.pods("replicas", 0).value_or(1);
        const std::int64_t pods = replicas * size.value_or(1);
        if (const Bound bound = member_bound(item.limits()); pods > bound.most)
            return item.excessive(beyond(pods, bound, " pods of all its instances"));
        if (!is_made_by_leader_worker_sets(item))
            group_.start_set = read_start_set(item, size.value_or(1));
        if (size && !group_.start_set)
            return read_instances(replicas, *size);
        group_.minimum = pods;
        group_.expected = pods;
        if (group_.start_set)
            read_late_pods(item, group_);
    }

    void read_instances(std::int64_t replicas, std::int64_t size) {
        group_.kind = GroupKind::composite;
        group_.minimum = replicas;
        Group& instance = instance_.emplace();
        instance.key = {"rolebasedgroup-instance", group_.key.name};
        instance.parent = group_.key;
        instance.minimum = size;
        instance.expected = size;
    }

    [[nodiscard]] model::SubGroupSelector selector(const PodKeys& keys) const {
        model::SubGroupSelector out;
        out.labels.push_back(
            {.key = std::string(keys.role), .op = model::Requirement::Operator::in, .values = {name_}});
        out.leaf = instance_ ? *instance_ : group_;
        out.is_declared = !instance_;
        if (instance_)
            out.keys.emplace_back(keys.instance);
        return out;
    }

    std::string name_;
    Group group_;
    std::optional<Group> instance_;  // Template of the instances; nullopt: the role is a leaf.
};

void read_timeouts(const Field& spec, const Field& annotations, Group& root) {
    read_timeout(spec.at("podGroupPolicy").at("kubeScheduling"), root);
    if (!annotations.has(timeout_key))
        return;
    const std::string text = annotations.text(timeout_key);
    const auto seconds = count_in(text, 0);
    if (!seconds)
        return complain(root, fmt::format("the annotation {} is {}, which isn't a number", timeout_key, shown(text)));
    if (*seconds > 0)
        set_timeout(*seconds, timeout_key, spec.limits(), root);
}

// A supplement for the PodGroup of scheduler-plugins that the controller writes for the same pods. It keeps that
// PodGroup from being a second gang.
Group supplement_of_pod_group(const GroupKey& root) {
    Group group = supplement_to({std::string(scheduler_plugins_leaf), root.name});
    group.policy.needs_pods = true;
    return group;
}

model::Membership member_of(const Metadata& pod, const PodKeys& keys, const GroupKey& root, const std::string& role) {
    const GroupKey parent = role_key(root.name, role);
    model::Membership out;
    if (auto replica = leader_worker_set_membership(pod)) {
        out = std::move(*replica);
        attach_replica(parent, pod, out);
    } else {
        out.leaf = root;
        out.rank = count_in(pod.labels.text(keys.index), 0).value_or(-1);
    }
    if (pod.annotations.has(keys.exclusive)) {
        Group& supplement = out.declared.edit().emplace_back(supplement_to(parent));
        read_required_level(pod.annotations, keys.exclusive, supplement, base::is_label_key);
    }
    out.declared.push_back(supplement_of_pod_group(root));
    return out;
}

}  // namespace

model::GroupSet read_role_based_group(const Field& object, const Metadata& metadata) {
    const Field spec = object.at("spec");
    Group root;
    root.key = root_key(metadata.full_name());
    root.kind = GroupKind::composite;
    root.policy.needs_pods = true;
    read_identity(object, metadata, root);
    read_timeouts(spec, metadata.annotations, root);
    model::GroupSet out{.owner = root.key, .uid = metadata.uid, .created = metadata.created};
    out.groups.push_back(root);
    std::set<std::string> names;
    for (const Field& item : spec.at("roles").items(group_bound(spec.limits()))) {
        Role role(item, root);
        if (!names.insert(role.name()).second) {
            item.wrong("name", fmt::format("{} is given twice", shown(role.name())));
            continue;
        }
        std::move(role).add_to(out);
    }
    return out;
}

std::optional<model::Membership> role_based_group_membership(const Metadata& pod) {
    const std::string marked = pod.labels.text(gang_mark);
    if (marked.empty() || states_koordinator_minimum(pod))
        return std::nullopt;
    for (const PodKeys& keys : versions) {
        const std::string role = pod.labels.text(keys.role);
        if (pod.labels.text(keys.group) == marked && !role.empty())
            return member_of(pod, keys, root_key(fmt::format("{}/{}", pod.ns, marked)), role);
    }
    return std::nullopt;
}

}  // namespace echelon::kube
