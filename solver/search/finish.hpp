#pragma once

// Which node does each member get, once the search has an answer? Starts from that answer and improves it (O3, O4)
// within a small share of the budget.

#include "solver/packing/packing.hpp"
#include "solver/plan.hpp"
#include "solver/search/search_context.hpp"

#include <optional>
#include <vector>

namespace echelon::solver {

// The best seats found, starting from `context.partial_plan`; nullopt: the partial plan couldn't be packed again.
[[nodiscard]] std::optional<std::vector<Seat>> finish(SearchContext& context);

// True if scopes cannot express some rule of the gang, so that only a distribution can place it:
//   - pairs (D17), and some limits (D16);
//   - multiples (D13) of composites, of several member classes or of several levels;
//   - multiples that bound members fill in part.
[[nodiscard]] bool needs_distribution(const model::Snapshot& snapshot, const model::Gang& gang, const Demand& demand);

// The result of a distribution without a search before it. `seats` is empty unless the feasibility is `fits`.
struct Distributed {
    Feasibility feasibility = Feasibility::unknown;
    std::vector<Seat> seats;
};
[[nodiscard]] Distributed distribute(SearchContext& context);

}  // namespace echelon::solver
