#pragma once

// Which NUMA zones does a node have, and which parts of a pod must each fit into one of them? (NU1, NU2)
//
// The kubelet refuses a pod that it cannot align, if its topology manager has the policy single-numa-node. Plain
// values, and one pure function.

#include "model/facts/amounts.hpp"
#include "model/facts/pod_class.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace echelon::model {

// What is aligned together: all containers of a pod, or each container.
enum class ZoneScope : std::uint8_t { container, pod };

// One NUMA node of a machine.
struct Zone {
    std::string name;
    Amounts allocatable;  // What aligned pods may have in all.
    Amounts available;    // What they have left.

    auto operator<=>(const Zone&) const = default;
};

// A NodeResourceTopology.
struct NodeZones {
    std::string node;
    bool is_single_numa_node = false;  // The policy; under any other, the kubelet judges alone.
    ZoneScope scope = ZoneScope::container;
    std::vector<Zone> zones;

    // True if the kubelet refuses pods that fit no zone.
    [[nodiscard]] bool bind() const { return is_single_numa_node && !zones.empty(); }

    bool operator==(const NodeZones&) const = default;
};

// Each entry must come from one zone. Sorted; empty: the zones don't matter to the pod.
using ZoneParts = std::vector<Amounts>;

// The parts have only resources that some zone can give. Any pod has its devices in them. A Guaranteed pod also has
// memory, huge pages, and the cpu of containers that ask for whole CPUs. Init containers count only with scope `pod`.
[[nodiscard]] ZoneParts zone_parts(const Amounts& requests, const Alignment& alignment, const NodeZones& zones);
// All that could be aligned of a pod, if one zone had to have it.
[[nodiscard]] Amounts aligned_together(const Amounts& requests, const Alignment& alignment);

}  // namespace echelon::model
