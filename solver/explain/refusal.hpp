#pragma once

// Why is there no plan? Finds the deepest group that fits nowhere even alone, and the domain that comes closest. Pure.
// The sentences are in refusal_words.hpp.

#include "model/gang/gang.hpp"
#include "solver/plan.hpp"
#include "solver/search/search_context.hpp"

namespace echelon::solver {

// Call after a search that found nothing. `reason`: what was proved. For Impossible, `context` is that of the empty
// cluster. Clears the partial plan, and charges the budget of `context`.
[[nodiscard]] Refusal explain(SearchContext& context, model::Reason reason);

}  // namespace echelon::solver
