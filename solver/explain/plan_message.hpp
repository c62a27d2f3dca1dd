#pragma once

// What does the message of a plan say: why do members have no seat, and which seats have no pod yet?
//
// Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/packing/demand.hpp"
#include "solver/plan.hpp"

#include <string>
#include <vector>

namespace echelon::solver {

// Empty: there is nothing to say. `seats`: of the plan for this gang.
[[nodiscard]] std::string message_of(const model::Snapshot& snapshot, const model::Gang& gang, const Demand& demand,
                                     const std::vector<Seat>& seats);

}  // namespace echelon::solver
