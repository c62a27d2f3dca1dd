#pragma once

// Which levels does Koordinator's ClusterNetworkTopology declare? `scheduling.koordinator.sh`, v1alpha1. Pure.
//
//   spec.networkTopologySpec[]           the levels, in any order
//     .topologyLayer                     the level's alias, required and unique
//     .parentTopologyLayer (absent:      the next wider layer, which gives the order of the levels
//       the widest)
//     .labelKey[]                        node label keys; the first one with a value on a node counts; required except
//                                        for the host
//
// The first label of a layer is its key, the others are aliases. `NodeTopologyLayer` is always the host, and
// `ClusterTopologyLayer` the whole cluster; both exist even if they are not listed. Only the object named `default` is
// used, as in Koordinator. A label of two layers belongs to the wider one (Z35).

#include "kube/json/field.hpp"
#include "model/facts/topology.hpp"

namespace echelon::kube {

[[nodiscard]] model::Topology read_koordinator_topology(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube
