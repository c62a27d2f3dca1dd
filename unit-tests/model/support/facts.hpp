#pragma once

// How does a test of the model state facts? Nodes, pods and groups in a line each.

#include "model/cluster/cluster.hpp"
#include "model/topology/presets.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace echelon::model::facts {

inline constexpr const char* block = "example.com/block";
inline constexpr const char* rack = "example.com/rack";
inline constexpr const char* host = "kubernetes.io/hostname";

inline Node node(std::string name, Labels labels = {}, std::int64_t gpus = 8) {
    Node node;
    node.name = std::move(name);
    node.labels = std::move(labels);
    node.allocatable = {{"cpu", 64'000}, {"gpu", gpus}, {"pods", 110}};
    return node;
}

inline Node racked(std::string name, std::string in_block, std::string in_rack, std::int64_t gpus = 8) {
    return node(std::move(name), {{block, std::move(in_block)}, {rack, std::move(in_rack)}}, gpus);
}

inline Pod pod(const std::string& name, std::int64_t gpus = 1) {
    Pod pod;
    pod.uid = "uid-" + name;
    pod.ns = "default";
    pod.name = name;
    pod.scheduler_name = "default-scheduler";
    pod.pod_class.requests = {{"gpu", gpus}, {"pods", 1}};
    return pod;
}

inline GroupKey leaf_key(const std::string& name) {
    return {"podgroup", "default/" + name};
}

inline GroupKey composite_key(const std::string& name) {
    return {"compositepodgroup", "default/" + name};
}

inline Pod member(const std::string& name, const std::string& group, std::int64_t gpus = 1) {
    auto member = pod(name, gpus);
    member.membership = Membership{leaf_key(group), {}, -1, {}};
    return member;
}

inline Pod bound(Pod pod, std::string node) {
    pod.node = std::move(node);
    pod.phase = PodPhase::running;
    return pod;
}

inline Group leaf(const std::string& name, std::int64_t minimum, const std::string& parent = {}) {
    Group group;
    group.key = leaf_key(name);
    group.minimum = minimum;
    group.uid = "uid-" + name;
    group.policy.one_priority_per_tree = true;
    group.policy.max_depth = 4;
    if (!parent.empty()) {
        group.parent = composite_key(parent);
        group.policy.workload = "work";
        group.policy.requires_workload_ref = true;
    }
    return group;
}

inline Group composite(const std::string& name, std::int64_t minimum, const std::string& parent = {}) {
    auto group = leaf(name, minimum, parent);
    group.key = composite_key(name);
    group.kind = GroupKind::composite;
    group.policy.workload = "work";
    group.policy.requires_workload_ref = true;
    return group;
}

inline Topology topology(std::string name, std::vector<std::string> levels) {
    return {std::move(name), TopologySource::object, "Topology.kueue.x-k8s.io", std::move(levels), {}};
}

// A member of a gang that exists by labels alone; `group` empty: a gang of one leaf.
inline Pod labelled(const std::string& name, const std::string& gang, std::int64_t gang_minimum,
                    const std::string& group = {}, std::int64_t group_minimum = 0) {
    auto member = pod(name);
    Group root;
    root.key = {"label-gang", "default/" + gang};
    root.kind = group.empty() ? GroupKind::leaf : GroupKind::composite;
    root.minimum = gang_minimum;
    Membership membership;
    membership.leaf = root.key;
    if (!group.empty()) {
        Group leaf;
        leaf.key = {"label-group", root.key.name + "/" + group};
        leaf.parent = root.key;
        leaf.minimum = group_minimum;
        membership.leaf = leaf.key;
        membership.declared.push_back(std::move(leaf));
    }
    membership.declared.push_back(std::move(root));
    member.membership = std::move(membership);
    return member;
}

inline LabelCounts labels_of(const std::vector<Node>& nodes) {
    LabelCounts counts;
    for (const auto& node : nodes) {
        for (const auto& [label, value] : node.labels) {
            if (!value.empty())
                ++counts[label];
        }
    }
    return counts;
}

inline Cluster cluster(const std::vector<Event>& events) {
    Cluster cluster(Profiles{{"default-scheduler", Profile{}}});
    for (const auto& event : events) {
        static_cast<void>(cluster.apply(event));
    }
    return cluster;
}

inline Gang gang_of(const Cluster& cluster, const GroupKey& root) {
    return cluster.gang(root, cluster.snapshot());
}

// "" when nothing is wrong, else "Reason: sentence".
inline std::string problem_of(const Cluster& cluster, const GroupKey& root) {
    const auto gang = gang_of(cluster, root);
    return gang.problem ? std::string(to_string(gang.problem->reason)) + ": " + gang.problem->sentence : std::string();
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace echelon::model::facts
