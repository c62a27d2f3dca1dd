#pragma once

// What every topology object declares, whatever its dialect: levels of node labels, widest first.
//
// Pure. A dialect reads its fields into `DeclaredLevel`s; what they may not be is judged here, once.

#include "kube/json/field.hpp"
#include "model/facts/topology.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::kube {

// The kinds of topology objects, in the order in which they go among objects of one name (Z22).
struct TopologyKind {
    std::string_view kind;   // "Topology".
    std::string_view group;  // "kueue.x-k8s.io".
    std::uint8_t precedence;

    [[nodiscard]] std::string full_name() const;  // "Topology.kueue.x-k8s.io".
};
inline constexpr TopologyKind kueue_topology{"Topology", "kueue.x-k8s.io", 0};
inline constexpr TopologyKind kai_topology{"Topology", "kai.scheduler", 1};
inline constexpr TopologyKind grove_topology{"ClusterTopologyBinding", "grove.io", 2};
inline constexpr TopologyKind grove_legacy_topology{"ClusterTopology", "grove.io", 3};
inline constexpr TopologyKind koordinator_topology{"ClusterNetworkTopology", "scheduling.koordinator.sh", 4};

struct DeclaredLevel {
    std::vector<std::string> labels;   // The first is the level's key; the first with a value places a node.
    std::vector<std::string> aliases;  // Other names of the level; empty ones are none.
    std::string label_path;            // Where the labels stand: "spec.levels[0].nodeLabel".
    std::string alias_path;
};

// `levels` widest first. The topology has a `problem` when there are none or more than 16, a label is no label key or
// stands twice, an alias stands twice or is the label of another level, or the host isn't last.
[[nodiscard]] model::Topology topology_of(const TopologyKind& kind, const Metadata& metadata,
                                          const std::vector<DeclaredLevel>& levels, std::string_view list_path);

}  // namespace echelon::kube
