#pragma once

// Is there room for stages of a gang that start after earlier pods have ended (Z31)? A stage reuses the room of those
// pods. So each stage is solved as if they were gone, in the domains that they pin.
//
// Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/packing/search_budget.hpp"
#include "solver/plan.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace echelon::solver {

[[nodiscard]] bool has_later_stages(const model::Gang& gang);

using SolveOne = std::function<Answer(const model::Snapshot& snapshot, const model::Gang& gang)>;

// The plan for the present pods, in domains that also have room for each later stage. It includes seats of later stages
// where there is room beside the present pods. A refusal names a stage that fits nowhere, or says that no domain has
// room for all stages.
[[nodiscard]] Answer solve_in_stages(const model::Snapshot& snapshot, const model::Gang& gang, const SolveOne& solve,
                                     SearchBudget& budget);

}  // namespace echelon::solver
