// What a test puts into the cluster, and takes out of it.

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine::test {

void Rig::node(const std::string& name, const std::string& block, const std::string& rack, std::int64_t gpus) {
    model::Node node;
    node.name = name;
    node.uid = "node-" + name;
    node.labels = {{block_key, block}, {rack_key, rack}, {"kubernetes.io/hostname", name}};
    node.allocatable = {{"cpu", 64'000}, {"pods", 110}, {gpu, gpus}};
    nodes_[name] = node;
    step(Observed{model::NodeSeen{node}});
}

void Rig::fabric(int blocks, int racks, int hosts) {
    for (int b = 0; b < blocks; ++b) {
        for (int r = 0; r < racks; ++r) {
            for (int h = 0; h < hosts; ++h) {
                node(fmt::format("b{}-r{}-h{:02}", b, r, h), fmt::format("b{}", b), fmt::format("r{}", r));
            }
        }
    }
}

void Rig::change_node(const std::string& name, const std::function<void(model::Node&)>& change) {
    change(nodes_.at(name));
    step(Observed{model::NodeSeen{nodes_.at(name)}});
}

void Rig::remove_node(const std::string& name) {
    nodes_.erase(name);
    step(Observed{model::NodeGone{name}});
}

void Rig::gang(const GangSpec& spec) {
    model::Group group;
    group.key = {"podgroup", "default/" + spec.name};
    group.minimum = spec.minimum;
    if (!spec.required.empty())
        group.required = {spec.required};
    group.priority = spec.priority;
    group.created = spec.created;
    group.uid = "group-" + spec.name;
    group.api_version = "scheduling.k8s.io/v1alpha3";
    group.api_kind = "PodGroup";
    groups_[spec.name] = group;
    step(Observed{model::GroupSeen{group}});
}

void Rig::change_gang(const std::string& name, const std::function<void(model::Group&)>& change) {
    change(groups_.at(name));
    step(Observed{model::GroupSeen{groups_.at(name)}});
}

void Rig::remove_gang(const std::string& name) {
    const auto group = groups_.at(name);
    groups_.erase(name);
    step(Observed{model::GroupGone{group.key, group.uid}});
}

void Rig::add_group(const std::string& name, const model::Group& group) {
    groups_[name] = group;
    step(Observed{model::GroupSeen{group}});
}

void Rig::pod(const std::string& name, const std::string& gang, bool gated, std::int64_t gpus) {
    model::Pod pod;
    pod.uid = fmt::format("uid-{}-{}", name, ++last_uid_);
    pod.ns = "default";
    pod.name = name;
    pod.scheduler_name = "default-scheduler";
    pod.pod_class.requests = {{"cpu", 1000}, {"pods", 1}, {gpu, gpus}};
    if (gated)
        pod.gates = {model::gang_gate};
    if (!gang.empty())
        pod.membership = model::Membership{{"podgroup", "default/" + gang}, {}, -1, ""};
    pods_[name] = pod;
    step(Observed{model::PodSeen{pod}});
}

void Rig::pods(const std::string& gang, int first, int last, bool gated) {
    for (int i = first; i < last; ++i)
        pod(fmt::format("{}-{}", gang, i), gang, gated);
}

void Rig::change_pod(const std::string& name, const std::function<void(model::Pod&)>& change) {
    change(pods_.at(name));
    show(pods_.at(name));
}

void Rig::label_pod(const std::string& name, const model::Labels& labels) {
    labels_[name] = labels;
    show(pods_.at(name));
}

void Rig::remove_pod(const std::string& name) {
    const auto uid = pods_.at(name).uid;
    pods_.erase(name);
    step(Observed{model::PodGone{uid}});
}

void Rig::finish_evicted() {
    for (const auto& name : evicted) {
        if (const auto found = pods_.find(name); found != pods_.end() && found->second.deleting)
            remove_pod(name);
    }
}

model::Group composite(const std::string& name, std::int64_t minimum) {
    model::Group group;
    group.key = {"compositepodgroup", "default/" + name};
    group.kind = model::GroupKind::composite;
    group.minimum = minimum;
    group.uid = "group-" + name;
    group.api_version = "scheduling.k8s.io/v1alpha3";
    group.api_kind = "CompositePodGroup";
    return group;
}

void late_gang(Rig& rig, const GangSpec& spec, std::int64_t first) {
    rig.gang(spec);
    rig.change_gang(spec.name, [&](model::Group& group) {
        group.expected = spec.minimum;
        group.start_set = first;
    });
}

void add_parts(Rig& rig, const model::Group& root, const std::vector<std::string>& names, int size,
               const std::string& required) {
    rig.add_group(root.key.name.str().substr(std::string("default/").size()), root);
    for (const auto& name : names) {
        rig.gang({name, size, required});
        rig.change_gang(name, [&](model::Group& group) { group.parent = root.key; });
        rig.pods(name, 0, size);
    }
}

}  // namespace echelon::engine::test
