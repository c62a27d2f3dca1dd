#pragma once

// Where could a whole gang go? `solve` returns a seat for every member that makes the gang whole, or a refusal that
// says why.
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

// Checks Gang::problem, then searches. Only after the search has proved that no plan exists, it tries the empty cluster
// (NoRoom or Impossible). Placeholders get seats like other waiting members (H2). Hypothetical members get no seat, but
// room is left for them where that costs no member a seat (M3). Requires: `gang` was built against `snapshot`.
[[nodiscard]] Answer solve(const model::Snapshot& snapshot, const model::Gang& gang, SolveOptions options = {});

}  // namespace echelon::solver
