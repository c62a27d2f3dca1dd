#pragma once

// Why is there no plan, group by group? The culprit, what is short in its best domains, and who is in the way (S33).
//
// Made when a person asks, never inside `solve`: it tries groups one by one, each within a budget of its own. Pure, and
// bounded in what it answers: a few dozen groups, a few domains each, a few names each.

#include "model/gang/explanation.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/explain/blockers.hpp"
#include "solver/solve.hpp"

namespace echelon::solver {

// `reason`: of the refusal. `snapshot`: as the refused gang met it, the room of `surroundings.occupants` taken.
// Requires: `gang` was built against `snapshot`. `budget` is that of one search; there are a few hundred at most.
[[nodiscard]] model::Explanation explain_tree(const model::Snapshot& snapshot, const model::Gang& gang,
                                              model::Reason reason, const ClusterContext& surroundings,
                                              SolveOptions budget = {.steps = 20'000});

}  // namespace echelon::solver
