#pragma once

// One leaf of equal pods in one level at most: the domain is found by one scan, without any search. Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

#include <optional>

namespace echelon::solver {

// The plan that the search would find, for the commonest kind of gang; nullopt: this isn't one, or some member would be
// left without a seat, and the search must answer.
[[nodiscard]] std::optional<Plan> place_identical(const model::Snapshot& snapshot, const model::Gang& gang);

}  // namespace echelon::solver
