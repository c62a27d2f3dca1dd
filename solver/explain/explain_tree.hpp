#pragma once

// Why is there no plan, group by group? The culprit, what is short in its best domains, and what blocks it there (S33).
//
// Made on request, never inside `solve`: it solves groups one by one, each with a separate budget. Pure, and bounded: a
// few dozen groups, a few domains each, a few names each.

#include "model/gang/explanation.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/explain/blockers.hpp"
#include "solver/solve.hpp"

namespace echelon::solver {

// `reason`: that of the refusal. `snapshot`: the one that the gang was refused on, without the room of
// `surroundings.occupants`. `budget`: for each search; there are a few hundred at most. Requires: `gang` was built
// against `snapshot`.
[[nodiscard]] model::Explanation explain_tree(const model::Snapshot& snapshot, const model::Gang& gang,
                                              model::Reason reason, const ClusterContext& surroundings,
                                              SolveOptions budget = {.steps = 20'000});

}  // namespace echelon::solver
