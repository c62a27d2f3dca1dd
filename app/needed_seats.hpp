#pragma once

// Which seats of a plan does the gang's minimum need? (Q11)
//
// Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

namespace echelon::app {

// The plan without the seats of extras; the whole plan if its rules allow no part of it, as multiples may.
[[nodiscard]] solver::Plan without_extras(const model::Snapshot& snapshot, const model::Gang& gang,
                                          const solver::Plan& plan);

}  // namespace echelon::app
