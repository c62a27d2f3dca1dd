#pragma once

// Which score from 0 to 10 does a node get among others? (SC3)
//
// Pure.

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace echelon::solver {

// What a pod would cost on one node: smaller is better, field by field.
struct NodeCost {
    std::uint32_t breaks = 0;  // How wide a still empty domain it breaks: 0 none or a host, 1 a rack, 2 wider ...
    double loss = 0;           // Of the value of the node's room.
    bool breaks_host = false;  // Breaks ties.
    double free_scarce = 0;    // Free on the node; breaks ties for pods that need nothing scarce.

    [[nodiscard]] auto order() const { return std::tuple(breaks, loss, breaks_host, free_scarce); }
};

// A score for each cost; absent: the pod doesn't fit there, which scores 0. The best has the highest score, alone or
// with its equals. A node that breaks a wider domain never has a higher score than one that doesn't.
[[nodiscard]] std::vector<std::uint8_t> scores_of(std::span<const std::optional<NodeCost>> costs);

}  // namespace echelon::solver
