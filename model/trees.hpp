#pragma once

// From declared topologies and node labels to trees of domains: which trees there are, and where each node stands.
//
// Pure. Everything follows from the sets of nodes and topologies and from names, never from the order of arrival.

#include "model/node.hpp"
#include "model/presets.hpp"
#include "model/snapshot.hpp"
#include "model/topology.hpp"

#include <set>
#include <span>
#include <string>
#include <vector>

namespace echelon::model {

// The declared trees of a snapshot: usable topology objects, else the configured ones, else the label presets; those
// with more levels first, then by name.
[[nodiscard]] std::vector<Levels> choose_levels(std::span<const Topology* const> topologies,
                                                std::span<const Node* const> nodes);
// One tree for each asked key that none of `declared` lists and a node carries (D12), by key.
[[nodiscard]] std::vector<Levels> single_label_levels(std::span<const Levels> declared,
                                                      const std::set<std::string>& asked,
                                                      std::span<const Node* const> nodes);

// Nodes depth-first by name along the levels: the numbering of a snapshot, when `levels` are those of its first tree.
[[nodiscard]] std::vector<NodeId> depth_first(const Levels& levels, std::span<const Node* const> nodes);

// Requires: `nodes` in the order of their ids.
[[nodiscard]] Tree build_tree(const Levels& levels, std::span<const Node* const> nodes);

}  // namespace echelon::model
