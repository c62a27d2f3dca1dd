#pragma once

// Which nodes of a scope take a number of equal pods? As few domains as possible down to the preferred level (O3);
// below it, so that the largest domains stay free (O4). Or: small domains first, large ones whole (O6). Pure.

#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace echelon::solver {

// One node that has room left, in the order of the tree.
struct NodeShare {
    model::NodeId node = 0;
    std::int64_t slots = 0;
    std::int64_t scarce = 0;  // Free of the scarcest resource.
    std::int64_t take = 0;    // The result.
};

// Distributes `count` pods over `nodes`, level by level from `depth` down; each takes `need` of the scarcest resource.
// Requires: the slots sum to `count` or more.
void spread(const model::Tree& tree, std::uint32_t depth, std::uint32_t compact_depth, std::span<NodeShare> nodes,
            std::int64_t count, std::int64_t need);

// The same from `depth` down, for a simple gang: the tightest domain that holds
// all; else the smaller ones, tightest first, and then as few of the largest as can be (O6).
void gather(const model::Tree& tree, std::uint32_t depth, std::span<NodeShare> nodes, std::int64_t count,
            std::int64_t need);

}  // namespace echelon::solver
