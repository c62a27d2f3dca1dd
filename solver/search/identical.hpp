#pragma once

// Where does the simplest gang go: one leaf of equal pods with at most one required level? One scan finds the domain,
// without a search. Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

#include <optional>

namespace echelon::solver {

// The plan that the search would find; nullopt: the gang is not that simple, or some member would get no seat. Then the
// search must answer.
[[nodiscard]] std::optional<Plan> place_identical(const model::Snapshot& snapshot, const model::Gang& gang);

}  // namespace echelon::solver
