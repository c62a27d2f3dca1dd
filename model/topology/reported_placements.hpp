#pragma once

// Where do nodes stand in a topology that tells their places one by one (`Topology::places`), and what of it is left
// out?
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

// Parts point into the topology. `levels`: those of the topology, the host included.
[[nodiscard]] Places reported_placements(const Topology& topology, const Levels& levels,
                                         std::span<const NodeView> nodes);

// Its flaws, and, if no node is called as it calls them, that. Nodes by their places in `nodes`.
[[nodiscard]] std::vector<UnusablePart> unusable_parts_of(const Topology& topology, std::span<const NodeView> nodes);

}  // namespace echelon::model
