#pragma once

// Which seats follow from an answer of the search, and which would be better ones? O3 and O4, within what they may
// cost.

#include "solver/attempt.hpp"
#include "solver/packing.hpp"
#include "solver/plan.hpp"

#include <optional>
#include <vector>

namespace echelon::solver {

// The best seats found, starting from the answer in the draft; nullopt: it couldn't be packed again.
[[nodiscard]] std::optional<std::vector<Seat>> finish(Attempt& attempt);

// Multiples (D13) that a search by scopes can't place: those of composites, of unlike members, several on one group,
// and those of which a part stands already.
[[nodiscard]] bool needs_division(const model::Snapshot& snapshot, const model::Gang& gang, const Needs& needs);

// Seats for such a gang, found by division alone; they aren't there unless the verdict is `fits`.
struct Divided {
    Verdict verdict = Verdict::unknown;
    std::vector<Seat> seats;
};
[[nodiscard]] Divided divide(Attempt& attempt);

}  // namespace echelon::solver
