#pragma once

// What does it cost at most to judge a plan (`solver/violations.hpp`)? Searches that ask the referee charge it. Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/packing/search_budget.hpp"

namespace echelon::solver {

[[nodiscard]] Operations referee_work(const model::Snapshot& snapshot, const model::Gang& gang);

}  // namespace echelon::solver
