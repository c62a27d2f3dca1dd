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

// A run of nodes that share a domain, and how many pods it gets.
struct Run {
    std::size_t first = 0;  // Range of nodes, or of a list of them.
    std::size_t last = 0;
    std::int64_t slots = 0;
    std::int64_t scarce = 0;   // Free of the scarcest resource.
    std::int64_t largest = 0;  // Free of it on the freest node: breaks ties.
    std::int64_t take = 0;     // The result.
    bool is_domain = true;     // False: these nodes lack the label of the level, and are no domain.
    bool is_large = false;     // No domain of the level has more nodes.
};

// Distributes `count` pods over runs so that the largest domain stays free, then the next largest, and so on (O4). Each
// takes `need` of the scarcest resource. Requires: the slots sum to `count` or more.
void keep_domains_free(std::vector<Run>& runs, std::int64_t count, std::int64_t need);

// Distributes `count` pods over `nodes`, level by level from `depth` down; each takes `need` of the scarcest resource.
// Requires: the slots sum to `count` or more.
void spread(const model::Tree& tree, std::uint32_t depth, std::uint32_t compact_depth, std::span<NodeShare> nodes,
            std::int64_t count, std::int64_t need);

// The same from `depth` down, for a simple gang: the tightest domain that holds
// all; else the smaller ones, tightest first, and then as few of the largest as can be (O6).
void gather(const model::Tree& tree, std::uint32_t depth, std::span<NodeShare> nodes, std::int64_t count,
            std::int64_t need);

}  // namespace echelon::solver
