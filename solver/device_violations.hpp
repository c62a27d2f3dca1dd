#pragma once

// Could the pods of a plan all have their devices, where devices are matched one by one? (DR3)
//
// The referee of devices shares no code with the search. It gives out devices one by one, claim after claim, and the
// search places kinds of devices, large claims first. Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

#include <string>
#include <vector>

namespace echelon::solver {

// One sentence for each node where the claims can't all have devices. Requires: seats name members and nodes.
[[nodiscard]] std::vector<std::string> broken_devices(const model::Snapshot& snapshot, const model::Gang& gang,
                                                      const Plan& plan);

}  // namespace echelon::solver
