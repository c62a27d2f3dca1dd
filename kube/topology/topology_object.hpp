#pragma once

// How do the levels of a topology object become a topology? In every dialect they are node labels, widest first.
//
// Pure. Each dialect reads its fields into `DeclaredLevel`s, which are checked here.

#include "kube/json/field.hpp"
#include "model/facts/topology.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::kube {

// A kind of topology object. If two have the same name, the lower precedence wins (Z22).
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
    std::vector<std::string> labels;   // The first is the level's key. The first with a value places a node.
    std::vector<std::string> aliases;  // Other names of the level; "" is ignored.
    std::string label_path;            // Field path of the labels: "spec.levels[0].nodeLabel".
    std::string alias_path;
};

// `levels`: widest first. The topology has a `problem` if there are no levels or more than 16, or if the host isn't
// last. A label must be a label key. No two levels may share a label or an alias, and no alias may be the label of
// another level.
[[nodiscard]] model::Topology topology_of(const TopologyKind& kind, const Metadata& metadata,
                                          const std::vector<DeclaredLevel>& levels, std::string_view list_path);

}  // namespace echelon::kube
