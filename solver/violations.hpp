#pragma once

// The referee: does a plan keep every promise? Shares no code with the search, and every plan passes it before a hold.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"
#include "solver/violation.hpp"

#include <vector>

namespace echelon::solver {

// One for each broken promise; empty when the plan is sound: seats only for waiting members, once each, on eligible
// nodes, no resource overcommitted, required levels held with bound members included, every minimum of the root met, no
// seat in a group that isn't satisfied, nobody beside a pod that it keeps apart from or without one that it follows.
[[nodiscard]] std::vector<Violation> violations(const model::Snapshot& snapshot, const model::Gang& gang,
                                                const Plan& plan);

}  // namespace echelon::solver
