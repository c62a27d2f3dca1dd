#include "kube/kai.hpp"

#include "kube/group_reading.hpp"
#include "kube/shown.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;

constexpr std::string_view root_kind = "kai-podgroup";
constexpr std::string_view part_kind = "kai-subgroup";
constexpr std::int64_t default_priority = 50;

GroupKey root_key(std::string name) {
    return {std::string(root_kind), std::move(name)};
}

GroupKey part_key(const std::string& root, const std::string& part) {
    return {std::string(part_kind), root + "/" + part};
}

void read_constraint(const Field& constraint, bool needs_topology, Group& group) {
    const std::string topology = constraint.text("topology");
    std::string required = constraint.text("requiredTopologyLevel");
    std::string preferred = constraint.text("preferredTopologyLevel");
    if (needs_topology && topology.empty()) {
        if (!required.empty() || !preferred.empty())
            group.warnings.push_back(fmt::format("{} has no effect without a topology", constraint.path()));
        return;
    }
    group.topology = topology;
    if (!required.empty())
        group.required.push_back(std::move(required));
    if (!preferred.empty())
        group.preferred.push_back(std::move(preferred));
}

struct Part {
    Group group;
    std::string name;
    std::string parent;
    bool states_members = false;
    bool states_groups = false;
    std::optional<std::int64_t> members;
    std::optional<std::int64_t> groups;
};

Part read_part(const Field& item, const GroupKey& root) {
    Part part;
    part.name = item.required_text("name");
    part.parent = item.text("parent");
    part.group.key = part_key(root.name, part.name);
    part.group.parent = part.parent.empty() ? root : part_key(root.name, part.parent);
    part.members = item.integer("minMember", 0, most_int32);
    part.groups = item.integer("minSubGroup", 0, most_int32);
    read_constraint(item.at("topologyConstraint"), false, part.group);
    return part;
}

// What the parts mean together; faults go to the root, which makes the whole gang Invalid.
void relate(std::vector<Part>& parts, Group& root) {
    for (Part& part : parts) {
        const auto is_same = [&part](const Part& other) { return other.name == part.name; };
        if (std::ranges::count_if(parts, is_same) > 1)
            complain(root, fmt::format("spec.subGroups: {} is given twice", shown(part.name)));
        const auto is_parent = [&part](const Part& other) { return other.name == part.parent; };
        if (!part.parent.empty() && std::ranges::none_of(parts, is_parent)) {
            complain(root, fmt::format("spec.subGroups: the parent {} of {} doesn't exist", shown(part.parent),
                                       shown(part.name)));
        }
        const auto children =
            std::ranges::count_if(parts, [&part](const Part& other) { return other.parent == part.name; });
        part.group.kind = children > 0 ? GroupKind::composite : GroupKind::leaf;
        if (children == 0 && part.groups)
            complain(root, fmt::format("spec.subGroups: {} has no groups below it, but minSubGroup", shown(part.name)));
        if (children > 0 && part.members)
            complain(root, fmt::format("spec.subGroups: {} has groups below it, but minMember", shown(part.name)));
        if (children > 0 && part.groups.value_or(0) > children) {
            complain(root, fmt::format("spec.subGroups: minSubGroup of {} is {}, but it has {} groups",
                                       shown(part.name), *part.groups, children));
        }
        part.group.minimum = children > 0 ? part.groups : std::optional(part.members.value_or(0));
    }
}

// A cycle hangs nowhere: nothing of it is reached from the root.
void refuse_cycles(const std::vector<Part>& parts, Group& root) {
    for (const Part& part : parts) {
        const Part* here = &part;
        for (std::size_t steps = 0; here != nullptr && !here->parent.empty(); ++steps) {
            if (steps > parts.size())
                return complain(root, fmt::format("spec.subGroups: {} is below itself", shown(part.name)));
            const auto next = std::ranges::find(parts, here->parent, &Part::name);
            here = next == parts.end() ? nullptr : &*next;
        }
    }
}

}  // namespace

model::GroupSet read_kai_group(const Field& object, const Metadata& metadata) {
    const Field spec = object.at("spec");
    Group root;
    root.key = root_key(metadata.full_name());
    read_identity(object, metadata, root);
    read_constraint(spec.at("topologyConstraint"), true, root);
    root.priority_class = spec.text("priorityClassName");
    if (root.priority_class.empty())
        root.priority = default_priority;

    const auto members = spec.integer("minMember", 0, most_int32);
    const auto groups = spec.integer("minSubGroup", 0, most_int32);
    std::vector<Part> parts;
    for (const Field& item : spec.at("subGroups").items()) {
        parts.push_back(read_part(item, root.key));
    }
    if (parts.empty()) {
        root.minimum = members.value_or(1);
        if (groups)
            complain(root, "spec.minSubGroup is stated, but there are no subGroups");
    } else {
        root.kind = GroupKind::composite;
        root.minimum = groups;
        const auto children = std::ranges::count_if(parts, [](const Part& part) { return part.parent.empty(); });
        if (groups.value_or(0) > children) {
            complain(root,
                     fmt::format("spec.minSubGroup is {}, but there are {} groups below the root", *groups, children));
        }
        // Of pods without a part: extras, which no part counts (Z19).
        model::Sorting rest;
        rest.leaf.key = {"kai-rest", root.key.name + "/-"};
        rest.leaf.parent = root.key;
        rest.leaf.minimum = 0;
        root.sorts.push_back(std::move(rest));
        relate(parts, root);
        refuse_cycles(parts, root);
    }
    model::GroupSet out{.owner = root.key, .uid = metadata.uid, .created = metadata.created};
    const bool is_broken = !root.problem.empty();
    out.groups.push_back(std::move(root));
    for (Part& part : parts) {
        // Of a broken list the parts hang at the root, so that their pods are told what is wrong with it.
        if (is_broken)
            part.group.parent = out.owner;
        const bool is_known = std::ranges::find(out.groups, part.group.key, &Group::key) != out.groups.end();
        if (!is_known)
            out.groups.push_back(std::move(part.group));
    }
    return out;
}

std::optional<model::Membership> kai_membership(const Metadata& pod) {
    const std::string name = pod.annotations.text("pod-group-name");
    if (name.empty())
        return std::nullopt;
    const std::string part = pod.labels.text("kai.scheduler/subgroup-name");
    const GroupKey root = root_key(pod.ns + "/" + name);
    model::Membership out;
    out.leaf = part.empty() ? root : part_key(root.name, part);
    return out;
}

}  // namespace echelon::kube
