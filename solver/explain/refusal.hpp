#pragma once

// Why is there no plan? Finds the deepest group that alone has nowhere to go, and the domain that comes closest. Pure.

#include "model/gang/gang.hpp"
#include "solver/plan.hpp"
#include "solver/search/search_context.hpp"

namespace echelon::solver {

// After a search that found nothing. `reason` says what was proved; Impossible: `attempt` is of the empty cluster.
[[nodiscard]] Refusal explain(SearchContext& attempt, model::Reason reason);

}  // namespace echelon::solver
