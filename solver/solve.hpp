#pragma once

// Where could a whole gang go? The solver answers for every member at once, or explains why it can't.
//
// Pure: the answer depends on the arguments alone. No I/O, no clock, no randomness, no locks; equal inputs give equal
// plans, on every machine. Thread-safe, since nothing is shared or kept between calls.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

#include <cstdint>

namespace echelon::solver {

struct SolveOptions {
    std::uint64_t steps = 200'000;  // Counted, never timed, so that a plan doesn't depend on the machine.
};

// Judges in this order: Gang::problem, search, and only after a proved refusal the empty cluster (Impossible).
// Placeholders get seats as other waiting members do (H2); shadows get none, but room beside the others where that
// costs nobody a seat (M3). Requires: `gang` was built against `snapshot`.
[[nodiscard]] Answer solve(const model::Snapshot& snapshot, const model::Gang& gang, SolveOptions budget = {});

}  // namespace echelon::solver
