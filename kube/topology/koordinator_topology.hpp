#pragma once

// Which levels does Koordinator's ClusterNetworkTopology declare? `scheduling.koordinator.sh`, v1alpha1. Pure.
//
// | field (spec.networkTopologySpec[], in any order) | type | default | meaning |
// |---|---|---|---|
// | topologyLayer | string, each once | required | the level's alias |
// | parentTopologyLayer | string, the next wider layer | none: the widest | the order of the levels |
// | labelKey[] | label keys; on a node the first with a value counts | none | the level; without one no node is in it |
//
// The first label of a layer is its key, the others are aliases of it. `NodeTopologyLayer` is the host, wherever it
// stands, and `ClusterTopologyLayer` the whole cluster; both exist without being listed. Only the object named
// `default` is used, as in Koordinator. A label of two layers is the wider one's (Z35).

#include "kube/json/field.hpp"
#include "model/facts/topology.hpp"

namespace echelon::kube {

[[nodiscard]] model::Topology read_koordinator_topology(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube
