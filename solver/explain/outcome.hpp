#pragma once

// What does a plan mean for each group of the gang: how much is placed, and in which domain? For reports and GangPlans.

#include "model/facts/plan_record.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

#include <cstdint>
#include <vector>

namespace echelon::solver {

// One row per group, root first. `placed`: seats and counting members of a leaf, satisfied children of a composite.
// `domain`: the path of the narrowest domain that holds all seats and bound members, down to the host; "" is the
// cluster. For a refused gang pass an empty plan.
[[nodiscard]] std::vector<model::RecordedGroup> outcome(const model::Snapshot& snapshot, const model::Gang& gang,
                                                        const Plan& plan);

// How well the plan meets the preferred levels, in per mille: the mean of 1 / domains used over all preferred levels of
// all groups. 1000 if all are met, or if there is none.
[[nodiscard]] std::int64_t score(const model::Snapshot& snapshot, const model::Gang& gang, const Plan& plan);

}  // namespace echelon::solver
