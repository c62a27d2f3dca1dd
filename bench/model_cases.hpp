#pragma once

// Which cluster do measurements of events use? Nodes with 25 labels, and pods as controllers make them. Model values.
// Shared by the benchmarks, the gates and the count of memory.

#include "model/cluster/cluster.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace echelon::bench {

inline model::Node node_number(std::uint32_t number) {
    const std::uint32_t rack_number = number / 16;
    model::Node node;
    node.name = "node-" + std::to_string(1'000'000 + number);
    node.uid = "6c1f3a52-0000-4000-8000-" + std::to_string(100'000'000'000 + number);
    node.labels = {{"topology.kubernetes.io/block", "b" + std::to_string(rack_number / 16)},
                   {"topology.kubernetes.io/rack", "r" + std::to_string(rack_number)},
                   {"kubernetes.io/hostname", node.name},
                   {"kubernetes.io/arch", "amd64"},
                   {"kubernetes.io/os", "linux"},
                   {"node.kubernetes.io/instance-type", "gpu-8x"},
                   {"topology.kubernetes.io/region", "north-1"},
                   {"topology.kubernetes.io/zone", "north-1a"}};
    for (int feature = 10; node.labels.size() < 25; ++feature)
        node.labels.emplace("feature.node.kubernetes.io/cpu-cpuid.F" + std::to_string(feature), "true");
    node.allocatable = {{"cpu", 192'000},
                        {"memory", std::int64_t{2} << 40},
                        {"ephemeral-storage", std::int64_t{1} << 40},
                        {"pods", 110},
                        {"nvidia.com/gpu", 8},
                        {"hugepages-2Mi", 0}};
    return node;
}

// A pod of no gang that runs on one of `nodes`.
inline model::Pod pod_number(std::uint32_t number, std::uint32_t nodes) {
    model::Pod pod;
    pod.uid = "3f9d6b1c-0000-4000-8000-" + std::to_string(100'000'000'000 + number);
    pod.ns = "team-" + std::to_string(number % 40);
    pod.name = "app-" + std::to_string(number % 977) + "-5d8f7c9b6d-" + std::to_string(1'000'000 + number);
    pod.scheduler_name = "default-scheduler";
    pod.node = "node-" + std::to_string(1'000'000 + number % nodes);
    pod.phase = model::PodPhase::running;
    pod.created = 1'770'000'000 + number;
    pod.pod_class.requests = {{"cpu", 250 + number % 3 * 250}, {"memory", std::int64_t{512} << 20}, {"pods", 1}};
    for (const char* state : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
        pod.pod_class.tolerations.push_back(
            {.key = state, .exists = true, .value = "", .effect = model::TaintEffect::no_execute});
    }
    return pod;
}

inline model::Cluster cluster_of(std::uint32_t nodes, std::uint32_t pods) {
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    for (std::uint32_t number = 0; number < nodes; ++number)
        static_cast<void>(cluster.apply(model::NodeSeen{node_number(number)}));
    for (std::uint32_t number = 0; number < pods; ++number)
        static_cast<void>(cluster.apply(model::PodSeen{pod_number(number, nodes)}));
    static_cast<void>(cluster.snapshot());  // Numbers the nodes.
    return cluster;
}

}  // namespace echelon::bench
