#include "kube/dialects/upstream.hpp"

#include "kube/core/priority_class.hpp"
#include "kube/dialects/group_reading.hpp"
#include "kube/dialects/label_gang.hpp"
#include "kube/json/quoted_text.hpp"
#include "model/gang/sub_group_selection.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;

constexpr std::int64_t deepest_tree = 4;     // S3, leaf included.
constexpr std::size_t most_conditions = 64;  // Further conditions of an object are ignored.
constexpr std::string_view of_pods = "minCount";
constexpr std::string_view of_groups = "minGroupCount";
constexpr std::string_view replica_mark = "workloadRef.podGroupReplicaKey";

// Exactly one of `basic` and `gang` must be set. `count`: the field of `gang` with the minimum.
void read_policy(const Field& policy, std::string_view count, Group& group) {
    const Field gang = policy.at("gang");
    const bool basic = policy.has("basic");
    if (basic && gang.exists()) {
        complain(group, fmt::format("{} states both basic and gang", policy.path()));
    } else if (basic) {
        group.basic = true;
        group.minimum = 1;
    } else if (!gang.exists()) {
        complain(group, fmt::format("{} states neither basic nor gang", policy.path()));
    }
    if (!gang.exists())
        return;
    const bool counts_groups = count == of_groups;
    const std::optional<std::int64_t> minimum = counts_groups ? gang.groups(count, 1) : gang.pods(count, 1);
    if (!gang.has(count))
        policy.fault().note_missing(fmt::format("{}.{}", gang.path(), count));
    if (!basic)
        group.minimum = minimum;
}

void read_levels(const Field& constraints, Group& group) {
    const Field topology = constraints.at("topology");
    const std::vector<Field> items = topology.items();
    if (items.size() > 1)
        topology.wrong(fmt::format("must have at most 1 entry, not {}", items.size()));
    for (const Field& item : items) {
        if (!item.has("key"))
            item.fault().note_missing(item.path() + ".key");
        std::string key = item.text("key");
        if (is_level_key(key)) {
            group.required.push_back(std::move(key));
        } else {
            complain(group, fmt::format("{}.key is {}, which isn't a label key", item.path(), shown(key)));
        }
    }
}

// 1.36 has the strings `Pod` and `PodGroup`, 1.37 an object with one of two keys. The default is single (S28).
void read_disruption_mode(const Field& spec, Group& group) {
    const Field mode = spec.at("disruptionMode");
    group.disruption = model::DisruptionMode::single;
    if (!mode.exists())
        return;
    const Value& value = mode.value();
    const bool is_struct = value.is_object();
    const auto says = [&](std::string_view key, std::string_view word) {
        return is_struct ? mode.has(key) : value.is_text() && value.text() == word;
    };
    const bool goes_whole = says("all", "PodGroup");
    const bool goes_singly = says("single", "Pod");
    if (goes_whole && goes_singly) {
        complain(group, fmt::format("{} states both single and all", mode.path()));
    } else if (goes_whole == goes_singly) {
        complain(group, fmt::format("{} is {}, which is neither single nor all", mode.path(), shown(value)));
    } else if (goes_whole) {
        group.disruption = model::DisruptionMode::all;
    }
}

// 1.37 has `workloadRef.workloadName`, 1.36 `podGroupTemplateRef.workload.workloadName`.
std::string workload_of(const Field& spec) {
    std::string name = spec.at("workloadRef").text("workloadName");
    if (name.empty())
        name = spec.at("podGroupTemplateRef").at("workload").text("workloadName");
    return name;
}

// The type of the condition whether the group was placed; 1.36 has another name for it.
std::string placed_type(std::string_view api_version, std::string_view kind) {
    const bool is_first = api_version == "scheduling.k8s.io/v1alpha2";
    return is_first ? std::string(kind) + "Scheduled" : std::string(kind) + "InitiallyScheduled";
}

// Reads the condition without faults: an unreadable status must not make the group Invalid.
model::PlacedCondition read_placed(const Field& object) {
    using Status = model::PlacedCondition::Status;
    const auto part = [](const Value& of, std::string_view key) { return of.is_object() ? of.find(key) : Value(); };
    const Value& root = object.value();
    model::PlacedCondition placed;
    placed.type = placed_type(root.text_of("apiVersion"), root.text_of("kind"));
    placed.version = part(root, "metadata").text_of("resourceVersion");
    const Value conditions = part(part(root, "status"), "conditions");
    if (!conditions.is_list())
        return placed;
    for (const Value& each : conditions.items(most_conditions)) {
        if (each.text_of("type") != placed.type)
            continue;
        placed.status = each.text_of("status") == "True" ? Status::met : Status::not_met;
        placed.message = each.text_of("message");
        const Value generation = part(each, "observedGeneration");
        if (generation.type() == Value::Type::integer)
            placed.generation = generation.integer();
        if (generation.type() == Value::Type::natural)
            placed.generation = static_cast<std::int64_t>(generation.natural());
    }
    return placed;
}

Group read_group(const Field& object, const Metadata& metadata, std::string_view kind, std::string_view count) {
    const Field spec = object.at("spec");
    Group group;
    group.key = {std::string(kind), metadata.full_name()};
    read_identity(object, metadata, group);
    read_policy(spec.at("schedulingPolicy"), count, group);
    read_levels(spec.at("schedulingConstraints"), group);
    read_preferred_level(metadata.annotations, preferred_topology_annotation, group);
    group.priority = spec.integer("priority", least_int32, most_int32);
    group.priority_class = spec.text("priorityClassName");
    group.preempts = read_preempts(spec);
    read_disruption_mode(spec, group);
    group.placed = read_placed(object);
    group.policy.one_priority_per_tree = true;
    group.policy.max_depth = deepest_tree;
    group.policy.workload = workload_of(spec);
    if (const std::string parent = spec.text("parentCompositePodGroupName"); !parent.empty()) {
        group.parent = GroupKey{"compositepodgroup", metadata.ns + "/" + parent};
    }
    return group;
}

}  // namespace

Group read_pod_group(const Field& object, const Metadata& metadata) {
    Group group = read_group(object, metadata, "podgroup", of_pods);
    group.kind = GroupKind::leaf;
    group.policy.requires_workload_ref = group.parent.has_value();
    return group;
}

Group read_composite_pod_group(const Field& object, const Metadata& metadata) {
    Group group = read_group(object, metadata, "compositepodgroup", of_groups);
    group.kind = GroupKind::composite;
    group.policy.requires_workload_ref = true;
    return group;
}

std::optional<model::GroupSet> read_workload(const Field& object, const Metadata& metadata) {
    if (object.text("apiVersion") != "scheduling.k8s.io/v1alpha1")
        return std::nullopt;
    model::GroupSet out{.owner = {"workload", metadata.full_name()}, .uid = metadata.uid, .created = metadata.created};
    std::set<std::string> names;
    for (const Field& item : object.at("spec").at("podGroups").items(group_bound(object.limits()))) {
        Group group;
        const std::string name = item.required_text("name");
        group.key = {"workload-podgroup", metadata.full_name() + "/" + name};
        group.kind = GroupKind::leaf;
        read_identity(object, metadata, group);
        read_policy(item.at("policy"), of_pods, group);
        read_preferred_level(metadata.annotations, preferred_topology_annotation, group);
        if (!names.insert(name).second)
            item.wrong("name", fmt::format("{} is given twice", shown(name)));
        model::SubGroupSelector replicas;
        replicas.keys.push_back(model::selector_key(replica_mark));
        replicas.leaf = group;
        replicas.leaf.key.kind = "workload-replica";
        group.sorts.push_back(std::move(replicas));
        out.groups.push_back(std::move(group));
    }
    return out;
}

std::optional<model::Membership> pod_group_membership(const Field& spec, std::string_view ns) {
    const std::string name = spec.at("schedulingGroup").text("podGroupName");
    if (name.empty())
        return std::nullopt;
    model::Membership out;
    out.leaf = {"podgroup", fmt::format("{}/{}", ns, name)};
    return out;
}

std::optional<model::Membership> workload_membership(const Field& spec, std::string_view ns) {
    const Field reference = spec.at("workloadRef");
    if (!reference.exists())
        return std::nullopt;
    const std::string workload = reference.required_text("name");
    const std::string group = reference.required_text("podGroup");
    model::Membership out;
    out.leaf = {"workload-podgroup", fmt::format("{}/{}/{}", ns, workload, group)};
    return out;
}

void add_replica_key(const Field& spec, model::Labels& labels) {
    if (std::string key = spec.at("workloadRef").text("podGroupReplicaKey"); !key.empty())
        labels.emplace(model::selector_key(replica_mark), std::move(key));
}

}  // namespace echelon::kube
