#pragma once

// Could the kubelet align the pods of a plan to NUMA zones? (NU2)
//
// The referee of zones shares no code with the search. It fills one zone after another, and the search places one kind
// of pod after another. Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

#include <string>
#include <vector>

namespace echelon::solver {

// One sentence for each node where no assignment of pods to zones exists. Requires: seats name members and nodes.
[[nodiscard]] std::vector<std::string> broken_zones(const model::Snapshot& snapshot, const model::Gang& gang,
                                                    const Plan& plan);

}  // namespace echelon::solver
