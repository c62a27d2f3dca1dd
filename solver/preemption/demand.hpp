#pragma once

// How much of each resource does each group of a gang need at least? A lower bound, without a search. Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <vector>

namespace echelon::solver::preemption {

struct LeastDemand {
    bool is_possible = true;            // Enough members exist.
    std::vector<std::int64_t> amounts;  // [resource] the least that the missing part of the minimum takes.
    std::int64_t pods = 0;              // Seats that it takes at least.
};

// One for each group.
[[nodiscard]] std::vector<LeastDemand> least_demand(const model::Snapshot& snapshot, const model::Gang& gang);

}  // namespace echelon::solver::preemption
