#pragma once

// Which levels does Grove's ClusterTopologyBinding declare? `grove.io`, v1alpha1; formerly ClusterTopology. Pure.
//
//   spec.levels[]                        the levels, widest first
//     .key                               the level's key, a label key; required and unique
//     .domain                            the level's alias (region, zone, datacenter, block, rack, host, numa or
//                                        another word); required and unique
//
// Levels below the host (numa) are not used, since echelon places pods on whole nodes. schedulerTopologyBindings is not
// read.

#include "kube/json/field.hpp"
#include "kube/topology/topology_object.hpp"
#include "model/facts/topology.hpp"

namespace echelon::kube {

[[nodiscard]] model::Topology read_grove_topology(const Field& object, const Metadata& metadata,
                                                  const TopologyKind& kind);

}  // namespace echelon::kube
