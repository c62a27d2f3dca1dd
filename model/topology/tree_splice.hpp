#pragma once

// How does one node come into a tree, or leave it, while the others stay?
//
// Pure. Afterwards the tree is as if it had been built from the nodes that there are now. That costs one pass over its
// arrays of numbers, and compares few names.

#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace echelon::model {

// The domains of a node from the widest level down to the host, as in `Places`.
using PathParts = std::vector<std::string_view>;
// The parts of a node that is in the tree.
using PartsOf = std::function<PathParts(NodeId)>;

// Where a node belongs.
struct TreeSpot {
    std::uint32_t position = 0;   // In `Tree::order`.
    std::size_t same_before = 0;  // How many of the widest parts it shares with the node before it.
    std::size_t same_after = 0;   // The same with the node that is there now.
    PathParts parts;
};
[[nodiscard]] TreeSpot spot_in(const Tree& tree, PathParts parts, const PartsOf& parts_of);

// The node becomes number `id`, and the nodes from there on have the next numbers.
void insert_node(Tree& tree, NodeId id, const TreeSpot& spot);
// The nodes behind number `id` have the numbers before theirs.
void remove_node(Tree& tree, NodeId id);

}  // namespace echelon::model
