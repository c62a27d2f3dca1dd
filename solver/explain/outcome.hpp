#pragma once

// What a plan means for each group of its gang: how much is placed, and in which domain. For reports and GangPlans.

#include "model/facts/plan_record.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

#include <cstdint>
#include <vector>

namespace echelon::solver {

// One row per group, root first: leaf: seats and members that count; composite: satisfied children. `domain` is the
// path in trees[0] of the narrowest domain that holds all seats and bound members, down to the host; "" the cluster.
// A refused gang: pass an empty plan.
[[nodiscard]] std::vector<model::RecordedGroup> outcome(const model::Snapshot& snapshot, const model::Gang& gang,
                                                        const Plan& plan);

// How well the plan meets the preferred levels, in per mille: the mean of 1 / domains used over every wish of a group;
// 1000 when all are met, and when there is none.
[[nodiscard]] std::int64_t score(const model::Snapshot& snapshot, const model::Gang& gang, const Plan& plan);

}  // namespace echelon::solver
