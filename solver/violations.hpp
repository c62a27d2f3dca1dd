#pragma once

// The referee: does a plan keep every rule? Shares no code with the search. Every plan is checked before a hold.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"
#include "solver/violation.hpp"

#include <vector>

namespace echelon::solver {

// One entry for each broken rule; empty if the plan is sound. Seats are for waiting members, once each, on eligible
// nodes. No resource is overcommitted. Required levels hold with bound members included. Every minimum of the root is
// met, and no group that isn't satisfied has a seat. Required pod affinity and anti-affinity hold.
[[nodiscard]] std::vector<Violation> violations(const model::Snapshot& snapshot, const model::Gang& gang,
                                                const Plan& plan);

}  // namespace echelon::solver
