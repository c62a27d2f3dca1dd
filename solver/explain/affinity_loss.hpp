#pragma once

// How much room does pod affinity take from one member class (D14)? Counts node by node, for refusals. Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace echelon::solver {

// What pod affinity does to the slots of one member class, on the eligible nodes of a scope.
struct AffinityLoss {
    std::int64_t by_amounts = 0;  // Slots by amounts alone.
    std::int64_t lost = 0;        // How many of them pod affinity takes.
    std::size_t open = 0;         // Nodes that take a pod by pod affinity.
    std::size_t apart = 0;        // Nodes with pods that the next one must keep away from.
    std::size_t elsewhere = 0;    // Nodes that are closed, since the pods must be near others.
    bool is_scarce = false;       // Some node has fewer slots by amounts than by pod affinity.

    // `slots`: by amounts. `limit`: by pod affinity. `must_be_elsewhere`: `kept_elsewhere` says so.
    void add_node(std::int64_t slots, std::int64_t limit, bool must_be_elsewhere);
    [[nodiscard]] bool takes_slots() const { return lost > 0 || (open == 0 && apart + elsewhere > 0); }
    // "kept apart by pod anti-affinity". Every such text begins with "kept ", which no resource does. Empty: it takes
    // no slots. `is_domain`: the scope is a domain, not the whole cluster.
    [[nodiscard]] std::string words(bool is_domain) const;
};

// Of pods that keep apart from each other.
inline constexpr const char* kept_apart = "kept apart by pod anti-affinity";

// [node] 1: the pods of an affinity class must be near pods outside the gang, bound members or the gang's anchor, and
// these are on other nodes.
[[nodiscard]] std::vector<std::uint8_t> kept_elsewhere(const model::Snapshot& snapshot, const model::Gang& gang,
                                                       std::uint32_t affinity_class);

}  // namespace echelon::solver
