#pragma once

// Where do nodes stand in a topology that tells their places one by one (`Topology::places`), and what of it is left
// out?
//
// Pure.

#include "model/node_view.hpp"
#include "model/presets.hpp"
#include "model/snapshot.hpp"
#include "model/topology.hpp"
#include "model/trees.hpp"

#include <span>
#include <vector>

namespace echelon::model {

// Parts point into the topology. `levels`: those of the topology, the host included.
[[nodiscard]] Places told_places(const Topology& topology, const Levels& levels, std::span<const NodeView> nodes);

// Its flaws, and, if no node is called as it calls them, that. Nodes by their places in `nodes`.
[[nodiscard]] std::vector<LeftOut> left_out_of(const Topology& topology, std::span<const NodeView> nodes);

}  // namespace echelon::model
