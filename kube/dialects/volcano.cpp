#include "kube/dialects/volcano.hpp"

#include "base/kubernetes_names.hpp"
#include "kube/core/pod_constraints.hpp"
#include "kube/core/protection.hpp"
#include "kube/dialects/group_reading.hpp"
#include "kube/json/quoted_text.hpp"
#include "model/facts/topology.hpp"
#include "model/gang/sub_group_selection.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
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
using model::Requirement;
using model::SubGroupSelector;

constexpr std::string_view topology_api = "topology.volcano.sh";
constexpr std::string_view task_key = "volcano.sh/task-spec";

GroupKey root_key(std::string name) {
    return {"volcano-podgroup", std::move(name)};
}

GroupKey task_leaf_key(const std::string& root, std::string_view task) {
    return {"volcano-task", fmt::format("{}/{}", root, task)};
}

// A hard constraint must name exactly one tier; otherwise it is a problem.
void read_levels(const Field& topology, Group& group) {
    if (!topology.exists())
        return;
    group.topology_group = topology_api;
    const std::string mode = topology.text("mode");
    const std::string name = topology.text("highestTierName");
    const auto tier = topology.integer("highestTierAllowed", 0, most_int32);
    if (mode == "soft") {
        group.preferred.emplace_back(model::narrowest_tier_level);
    } else if (!mode.empty() && mode != "hard") {
        topology.wrong("mode", fmt::format("must be hard or soft, not {}", shown(mode)));
    } else if (tier && !name.empty()) {
        complain(group, fmt::format("{} states both highestTierAllowed and highestTierName", topology.path()));
    } else if (tier) {
        group.required.push_back(model::tier_level(*tier));
    } else if (!name.empty()) {
        group.required.push_back(name);
    } else {
        complain(group, fmt::format("{} is hard, but names no tier", topology.path()));
    }
}

// The leaf of all other pods: extras, which count toward the minimum of the whole tree.
SubGroupSelector rest_of(const Group& root) {
    SubGroupSelector rest;
    rest.leaf.key = {"volcano-rest", root.key.name + "/-"};
    rest.leaf.parent = root.key;
    rest.leaf.minimum = 0;
    return rest;
}

// One policy: its composite, and the selector of the leaves below it.
std::pair<Group, SubGroupSelector> read_policy(const Field& item, const std::string& name, Group& root) {
    Group policy;
    policy.key = {"volcano-policy", root.key.name + "/" + name};
    policy.kind = GroupKind::composite;
    policy.parent = root.key;
    policy.minimum = item.groups("minSubGroups", 0).value_or(0);

    SubGroupSelector leaf_selector;
    if (const Field selector = item.at("labelSelector"); selector.exists())
        leaf_selector.labels = read_label_selector(selector);
    for (const Field& key : item.at("matchLabelKeys").items()) {
        leaf_selector.keys.push_back(key.text());
        if (!base::is_label_key(leaf_selector.keys.back()))
            complain(root,
                     fmt::format("{} is {}, which isn't a label key", key.path(), shown(leaf_selector.keys.back())));
    }
    leaf_selector.leaf.key = {"volcano-subgroup", policy.key.name};
    leaf_selector.leaf.parent = policy.key;
    leaf_selector.leaf.minimum = item.pods("subGroupSize", 1).value_or(1);
    if (leaf_selector.keys.empty()) {
        leaf_selector.leaf.key.name = leaf_selector.leaf.key.name + "/-";
        policy.warnings.push_back("without matchLabelKeys all pods that it selects are one group");
    }
    const Field topology = item.at("networkTopology");
    read_levels(topology, leaf_selector.leaf);
    if (!leaf_selector.leaf.problem.empty())
        complain(root, std::exchange(leaf_selector.leaf.problem, {}));  // Visible even before a pod comes.
    return {std::move(policy), std::move(leaf_selector)};
}

void read_policies(const Field& policies, model::GroupSet& set) {
    Group& root = set.groups.front();
    std::vector<Group> composites;
    std::set<std::string> names;
    std::size_t index = 0;
    for (const Field& item : policies.items(group_bound(policies.limits()))) {
        const auto own = item.text("name");
        const auto name = own.empty() ? fmt::format("policy-{}", index) : own;  // A name is optional (Z28).
        ++index;
        auto [policy, leaf_selector] = read_policy(item, name, root);
        if (!names.insert(policy.key.name).second) {
            complain(root, fmt::format("{}: {} is given twice", policies.path(), shown(name)));
            continue;
        }
        root.sorts.push_back(std::move(leaf_selector));
        composites.push_back(std::move(policy));
    }
    root.sorts.push_back(rest_of(root));
    std::ranges::move(composites, std::back_inserter(set.groups));
}

SubGroupSelector task_of(const Group& root, std::string key) {
    SubGroupSelector leaf_selector;
    leaf_selector.keys.push_back(std::move(key));
    leaf_selector.leaf.key = {"volcano-task", root.key.name};
    leaf_selector.leaf.parent = root.key;
    leaf_selector.leaf.minimum = 0;
    return leaf_selector;
}

// One leaf per task. The label has precedence over the annotation.
void read_tasks(const std::vector<std::pair<std::string, std::int64_t>>& tasks, model::GroupSet& set) {
    Group& root = set.groups.front();
    const std::vector<std::string> keys = {std::string(task_key), model::selector_key(task_key)};
    std::vector<Group> leaves;
    for (const auto& [task, minimum] : tasks) {
        Group leaf;
        leaf.key = task_leaf_key(root.key.name, task);
        leaf.parent = root.key;
        leaf.minimum = minimum;
        leaves.push_back(std::move(leaf));
    }
    for (const std::string& key : keys) {
        for (std::size_t index = 0; index < tasks.size(); ++index) {
            SubGroupSelector leaf_selector;
            leaf_selector.labels.push_back(
                {.key = key, .op = Requirement::Operator::in, .values = {tasks[index].first}});
            leaf_selector.leaf = leaves[index];
            leaf_selector.is_declared = true;
            root.sorts.push_back(std::move(leaf_selector));
        }
        root.sorts.push_back(task_of(root, key));  // For tasks that aren't listed.
    }
    root.sorts.push_back(rest_of(root));
    std::ranges::move(leaves, std::back_inserter(set.groups));
}

std::vector<std::pair<std::string, std::int64_t>> read_task_minimums(const Field& tasks) {
    std::vector<std::pair<std::string, std::int64_t>> minimums;
    for (const auto& [task, count] : tasks.members(group_bound(tasks.limits()))) {
        if (const auto minimum = tasks.pods(task, 0))
            minimums.emplace_back(task, *minimum);
    }
    return minimums;
}

}  // namespace

model::GroupSet read_volcano_group(const Field& object, const Metadata& metadata) {
    const Field spec = object.at("spec");
    Group root;
    root.key = root_key(metadata.full_name());
    read_identity(object, metadata, root);
    read_levels(spec.at("networkTopology"), root);
    root.priority_class = spec.text("priorityClassName");
    if (is_unpreemptable(metadata))
        root.protected_from = std::numeric_limits<std::int64_t>::min();
    const std::int64_t members = spec.pods("minMember", 0).value_or(0);
    const auto tasks = read_task_minimums(spec.at("minTaskMember"));
    std::int64_t in_tasks = 0;
    for (const auto& [task, minimum] : tasks) {
        in_tasks += minimum;
    }
    const Field policies = spec.at("subGroupPolicy");
    const bool has_policies = policies.exists() && !policies.items(group_bound(policies.limits())).empty();
    const bool has_tasks = !tasks.empty() && in_tasks <= members;
    root.minimum = members;
    if (has_policies || has_tasks) {
        root.kind = GroupKind::composite;
        root.minimum.reset();
        root.floor = has_policies || members > in_tasks ? members : 0;
    }
    model::GroupSet out{.owner = root.key, .uid = metadata.uid, .created = metadata.created};
    if (!has_policies && !tasks.empty() && !has_tasks) {
        root.warnings.push_back(
            fmt::format("minTaskMember has no effect: its sum is {}, more than minMember {}", in_tasks, members));
    }
    out.groups.push_back(std::move(root));
    if (has_policies) {
        read_policies(policies, out);
    } else if (has_tasks) {
        read_tasks(tasks, out);
    }
    return out;
}

std::optional<model::Membership> volcano_membership(const Metadata& pod) {
    std::string name = pod.annotations.text("scheduling.k8s.io/group-name");
    if (name.empty())
        name = pod.annotations.text("scheduling.volcano.sh/group-name");
    if (name.empty())
        return std::nullopt;
    model::Membership out;
    out.leaf = root_key(pod.ns + "/" + name);
    return out;
}

void add_volcano_selector_keys(const Metadata& pod, model::Labels& labels) {
    if (std::string task = pod.annotations.text(task_key); !task.empty() && !pod.labels.has(task_key))
        labels.emplace(model::selector_key(task_key), std::move(task));
}

}  // namespace echelon::kube
