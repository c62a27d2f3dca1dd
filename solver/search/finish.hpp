#pragma once

// Which seats follow from an answer of the search, and which would be better ones? O3 and O4, within what they may
// cost.

#include "solver/packing/packing.hpp"
#include "solver/plan.hpp"
#include "solver/search/search_context.hpp"

#include <optional>
#include <vector>

namespace echelon::solver {

// The best seats found, starting from the answer in the draft; nullopt: it couldn't be packed again.
[[nodiscard]] std::optional<std::vector<Seat>> finish(SearchContext& attempt);

// Multiples (D13) that a search by scopes can't place: those of composites, of unlike members, several on one group,
// and those that are begun already. The same of limits (D16), and all pairs (D17).
[[nodiscard]] bool needs_distribution(const model::Snapshot& snapshot, const model::Gang& gang, const Demand& needs);

// Seats for such a gang, found by division alone; they aren't there unless the verdict is `fits`.
struct Distributed {
    Verdict verdict = Verdict::unknown;
    std::vector<Seat> seats;
};
[[nodiscard]] Distributed divide(SearchContext& attempt);

}  // namespace echelon::solver
