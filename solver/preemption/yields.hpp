#pragma once

// How many slots of one pod class does a node gain by evictions, and how many pods do they cost at least? Pure.

#include "model/topology/snapshot.hpp"
#include "solver/preemption/candidates.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace echelon::solver::preemption {

// The best exchange of pods for slots that a node offers.
struct Yield {
    std::int64_t slots = 0;  // Now.
    std::int64_t most = 0;   // Gained once every candidate is gone.
    std::int64_t gain = 0;   // Slots gained by the best exchange; 0: none.
    std::int64_t cost = 0;   // Pods that it costs, at least.

    // True if a slot costs fewer pods here.
    [[nodiscard]] bool is_cheaper_than(const Yield& other) const;
};

// `may_go`: [unit]; pods of other units stay.
[[nodiscard]] Yield yield_of(const model::Snapshot& snapshot, const Candidates& candidates, model::PodClassId pod_class,
                             model::NodeId node, const std::vector<std::uint8_t>& may_go);

// Fewest pods that give `slots` slots on some of these nodes; nullopt: all candidates together do not.
// `cheapest_first`: the nodes' yields.
[[nodiscard]] std::optional<std::int64_t> least_pods_for(std::int64_t slots, std::span<const Yield> cheapest_first);

}  // namespace echelon::solver::preemption
