#pragma once

// Which nodes of a scope take so many equal pods? Few domains where compactness is asked, those that leave the largest
// holes elsewhere. Pure.

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
    std::int64_t take = 0;    // Answer.
};

// Distributes `count` pods over `nodes`, level by level from `depth` down; each needs so much of the scarcest resource.
// Requires: the slots sum to `count` or more.
void spread(const model::Tree& tree, std::uint32_t depth, std::uint32_t compact_depth, std::span<NodeShare> nodes,
            std::int64_t count, std::int64_t need);

}  // namespace echelon::solver
