#include "kube/dialects/kai.hpp"

#include "kube/dialects/group_reading.hpp"
#include "kube/json/quoted_text.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
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
constexpr std::int64_t least_protected_priority = 100;  // For a PodGroup without `preemptibility`.

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

// An unknown value protects the pods (A3).
void read_preemptibility(const Field& spec, Group& root) {
    const std::string word = spec.text("preemptibility");
    if (word == "preemptible")
        return;
    root.protected_from = word.empty() ? least_protected_priority : std::numeric_limits<std::int64_t>::min();
    if (!word.empty() && word != "non-preemptible")
        root.warnings.push_back(fmt::format("spec.preemptibility is {}, taken for non-preemptible", shown(word)));
}

struct Part {
    Group group;
    std::string name;
    std::string parent;
    std::optional<std::int64_t> members;
    std::optional<std::int64_t> groups;
};

Part read_part(const Field& item, const GroupKey& root) {
    Part part;
    part.name = item.required_text("name");
    part.parent = item.text("parent");
    part.group.key = part_key(root.name, part.name);
    part.group.parent = part.parent.empty() ? root : part_key(root.name, part.parent);
    part.members = item.pods("minMember", 0);
    part.groups = item.groups("minSubGroup", 0);
    read_constraint(item.at("topologyConstraint"), false, part.group);
    return part;
}

// Sets kinds and minimums of the parts, and checks their names and parents. Problems go to the root, which makes the
// whole gang Invalid.
void link_parts(std::vector<Part>& parts, Group& root) {
    std::map<std::string_view, std::int64_t> children;  // Part -> number of children.
    for (const Part& part : parts) {
        if (!children.emplace(part.name, 0).second)
            complain(root, fmt::format("spec.subGroups: {} is given twice", shown(part.name)));
    }
    for (const Part& part : parts) {
        if (part.parent.empty())
            continue;
        if (const auto parent = children.find(part.parent); parent != children.end()) {
            ++parent->second;
        } else {
            complain(root, fmt::format("spec.subGroups: the parent {} of {} doesn't exist", shown(part.parent),
                                       shown(part.name)));
        }
    }
    for (Part& part : parts) {
        const std::int64_t below = children.at(part.name);
        part.group.kind = below > 0 ? GroupKind::composite : GroupKind::leaf;
        if (below == 0 && part.groups)
            complain(root, fmt::format("spec.subGroups: {} has no groups below it, but minSubGroup", shown(part.name)));
        if (below > 0 && part.members)
            complain(root, fmt::format("spec.subGroups: {} has groups below it, but minMember", shown(part.name)));
        if (below > 0 && part.groups.value_or(0) > below) {
            complain(root, fmt::format("spec.subGroups: minSubGroup of {} is {}, but it has {} groups",
                                       shown(part.name), *part.groups, below));
        }
        part.group.minimum = below > 0 ? part.groups : std::optional(part.members.value_or(0));
    }
}

// Checks that each part is below the root, and not too deep. Linear: each depth is computed once.
void check_depths(const std::vector<Part>& parts, const model::Limits& limits, Group& root) {
    constexpr std::int64_t unknown = 0;
    constexpr std::int64_t in_progress = -1;
    std::map<std::string_view, std::size_t> by_name;
    for (std::size_t index = 0; index < parts.size(); ++index)
        by_name.emplace(parts[index].name, index);
    std::vector<std::int64_t> depths(parts.size(), unknown);  // The root has 1.
    for (std::size_t start = 0; start < parts.size(); ++start) {
        std::vector<std::size_t> path;
        std::int64_t above = 1;
        for (std::size_t here = start;;) {
            if (depths[here] == in_progress)
                return complain(root, fmt::format("spec.subGroups: {} is below itself", shown(parts[here].name)));
            if (depths[here] != unknown) {
                above = depths[here];
                break;
            }
            depths[here] = in_progress;
            path.push_back(here);
            const auto parent = parts[here].parent.empty() ? by_name.end() : by_name.find(parts[here].parent);
            if (parent == by_name.end())
                break;
            here = parent->second;
        }
        for (; !path.empty(); path.pop_back())
            depths[path.back()] = ++above;
    }
    const auto deepest = std::ranges::max_element(depths);
    if (const Bound bound = depth_bound(limits); deepest != depths.end() && *deepest > bound.most)
        complain(root, fmt::format("spec.subGroups: {}", beyond(*deepest, bound)));
}

// Pods without a part are extras (Z19). Their leaf is no part, so `minSubGroup` doesn't count it.
void make_root_of(const std::vector<Part>& parts, std::optional<std::int64_t> minimum, Group& root) {
    const auto children = std::ranges::count_if(parts, [](const Part& part) { return part.parent.empty(); });
    root.kind = GroupKind::composite;
    root.minimum = minimum;
    root.policy.counted_children = children;
    if (minimum.value_or(0) > children) {
        complain(root,
                 fmt::format("spec.minSubGroup is {}, but there are {} groups below the root", *minimum, children));
    }
    model::SubGroupSelector rest;
    rest.leaf.key = {"kai-rest", root.key.name + "/-"};
    rest.leaf.parent = root.key;
    rest.leaf.minimum = 0;
    root.sorts.push_back(std::move(rest));
}

}  // namespace

model::GroupSet read_kai_group(const Field& object, const Metadata& metadata) {
    const Field spec = object.at("spec");
    Group root;
    root.key = root_key(metadata.full_name());
    read_identity(object, metadata, root);
    read_constraint(spec.at("topologyConstraint"), true, root);
    root.priority_class = spec.text("priorityClassName");
    if (root.priority_class.empty()) {
        root.priority = default_priority;
        root.policy.takes_default_priority = true;
    }
    read_preemptibility(spec, root);

    const auto members = spec.pods("minMember", 0);
    const auto groups = spec.groups("minSubGroup", 0);
    std::vector<Part> parts;
    for (const Field& item : spec.at("subGroups").items(group_bound(object.limits()))) {
        parts.push_back(read_part(item, root.key));
    }
    if (parts.empty()) {
        root.minimum = members.value_or(1);
        if (groups)
            complain(root, "spec.minSubGroup is stated, but there are no subGroups");
    } else {
        make_root_of(parts, groups, root);
        link_parts(parts, root);
        check_depths(parts, object.limits(), root);
    }
    model::GroupSet out{.owner = root.key, .uid = metadata.uid, .created = metadata.created};
    // In a broken list all parts are children of the root, so that their pods see its problem.
    const bool is_broken = !root.problem.empty();
    if (is_broken)
        root.policy.counted_children = 0;
    out.groups.push_back(std::move(root));
    std::set<GroupKey> known;
    for (Part& part : parts) {
        if (is_broken)
            part.group.parent = out.owner;
        if (known.insert(part.group.key).second)
            out.groups.push_back(std::move(part.group));
    }
    return out;
}

void warn_of_gpu_shares(const Metadata& pod, model::Membership& membership) {
    for (const std::string_view share : {"gpu-fraction", "gpu-memory"}) {
        if (!pod.annotations.has(share))
            continue;
        model::Group& supplement = membership.declared.edit().emplace_back(supplement_to(membership.leaf));
        supplement.warnings.push_back(
            fmt::format("{} is not counted: KAI Scheduler shares out parts of GPUs, kube-scheduler does not", share));
    }
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
