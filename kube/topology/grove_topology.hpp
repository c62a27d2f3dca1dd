#pragma once

// Which levels does Grove's ClusterTopologyBinding declare? `grove.io`, v1alpha1; formerly ClusterTopology. Pure.
//
// | field (spec.levels[], broadest first) | type | default | meaning |
// |---|---|---|---|
// | key | label key, each once | required | the level's key |
// | domain | string, each once | required | the level's alias: region, zone, datacenter, block, rack, host, numa or own
// |
//
// Levels below the host (numa) are read and not used: a node is in one piece for us. What binds the object to other
// schedulers' topologies (schedulerTopologyBindings) is not read.

#include "kube/json/field.hpp"
#include "kube/topology/topology_object.hpp"
#include "model/facts/topology.hpp"

namespace echelon::kube {

[[nodiscard]] model::Topology read_grove_topology(const Field& object, const Metadata& metadata,
                                                  const TopologyKind& kind);

}  // namespace echelon::kube
