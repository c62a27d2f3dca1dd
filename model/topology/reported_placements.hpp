#pragma once

// In which domains are nodes of a topology that lists their places (`Topology::places`), and what of it is left out?
//
// Pure.

#include "model/facts/node_view.hpp"
#include "model/facts/topology.hpp"
#include "model/topology/presets.hpp"
#include "model/topology/snapshot.hpp"
#include "model/topology/trees.hpp"

#include <span>
#include <vector>

namespace echelon::model {

// The parts of the result point into the topology. `levels`: those of the topology, including the host.
[[nodiscard]] Places reported_placements(const Topology& topology, const Levels& levels,
                                         std::span<const NodeView> nodes);

// The flaws of the topology, and a fault if it names no existing node. Nodes are indexes into `nodes`.
[[nodiscard]] std::vector<UnusablePart> unusable_parts_of(const Topology& topology, std::span<const NodeView> nodes);

}  // namespace echelon::model
