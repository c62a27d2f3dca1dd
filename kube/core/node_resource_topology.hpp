#pragma once

// Which NUMA zones does a NodeResourceTopology report? `topology.node.k8s.io`, v1alpha2. Pure.
//
//   metadata.name                     the node
//   attributes[].name, .value         topologyManagerPolicy and topologyManagerScope, as the kubelet has them
//   topologyPolicies[]                the same in older objects: SingleNUMANodePodLevel ...; attributes go before it
//   zones[].type                      only zones of type Node are NUMA nodes
//   zones[].resources[]
//     .name, .allocatable, .available what aligned pods may have there, and what they have left
//
// Costs and attributes of zones are not read.

#include "kube/json/field.hpp"
#include "model/facts/node_zones.hpp"

#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view node_resource_topology_kind = "NodeResourceTopology";
inline constexpr std::string_view node_resource_topology_group = "topology.node.k8s.io";

[[nodiscard]] model::NodeZones read_node_resource_topology(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube
