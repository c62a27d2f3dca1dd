#pragma once

// Where does the simplest gang go: one leaf of equal pods with at most one required level? One scan finds the domain,
// without a search. The tightest domain is taken, of equals the smallest; below it, few domains (O6). Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

#include <optional>

namespace echelon::solver {

// A plan with a seat for every member, if the search would find one; nullopt: the gang is not that simple, or some
// member would get no seat. Then the search must answer.
[[nodiscard]] std::optional<Plan> place_identical(const model::Snapshot& snapshot, const model::Gang& gang);

}  // namespace echelon::solver
