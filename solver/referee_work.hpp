#pragma once

// What does it cost at most to check a plan (`solver/violations.hpp`)? A search that calls the referee charges this to
// its budget. Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/packing/search_budget.hpp"

namespace echelon::solver {

[[nodiscard]] Operations referee_work(const model::Snapshot& snapshot, const model::Gang& gang);

}  // namespace echelon::solver
