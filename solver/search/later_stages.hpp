#pragma once

// Is there room for the stages of a gang that come once earlier pods have ended (Z31)? Both never need it at once: each
// stage is solved as if its time had come, in the domains that the earlier pods have chosen.
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

// The plan of what is there now, whose domains have room for each later stage, too. The stages' own seats are held as
// far as there is room for them beside. A refusal is about a stage that fits nowhere, or about the domains.
[[nodiscard]] Answer solve_in_stages(const model::Snapshot& snapshot, const model::Gang& gang, const SolveOne& solve,
                                     SearchBudget& steps);

}  // namespace echelon::solver
