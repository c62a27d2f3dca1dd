#pragma once

// Why is there no plan? Finds the deepest group that alone has nowhere to go, and the domain that comes closest. Pure.

#include "model/gang/gang.hpp"
#include "solver/plan.hpp"
#include "solver/search/search_context.hpp"

namespace echelon::solver {

// After a search that found nothing. `reason` says what was proved; Impossible: `attempt` is of the empty cluster.
[[nodiscard]] Refusal explain(SearchContext& attempt, model::Reason reason);
// Of a gang whose search would take more than its budget, or than the stack, before it begins.
[[nodiscard]] Refusal unsearched(const model::Gang& gang);

}  // namespace echelon::solver
