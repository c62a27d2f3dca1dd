#pragma once

// Which seats of a plan does the gang's minimum need? (Q11)
//
// Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

#include <functional>

namespace echelon::solver {

// The plan without the seats of extras, except those that must stay. The whole plan if its rules allow no part of it,
// as multiples may.
[[nodiscard]] Plan without_extras(
    const model::Snapshot& snapshot, const model::Gang& gang, const Plan& plan,
    const std::function<bool(const Seat&)>& must_stay = [](const Seat&) { return false; });

}  // namespace echelon::solver
