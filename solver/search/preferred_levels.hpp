#pragma once

// Can the answer use fewer domains without losing a seat? Tries each preferred level as if it were required, widest
// first, and keeps it where a plan exists (O3, D9).

#include "solver/search/search_context.hpp"

namespace echelon::solver {

// Looks for the perfect answer: every waiting member seated, every preferred level met. False if there is none, or none
// was found in time.
[[nodiscard]] bool find_complete_and_compact(SearchContext& context);

// Makes the answer in the partial plan more compact, level by level. The number of seats stays the same.
void tighten_by_preferred_levels(SearchContext& context);

}  // namespace echelon::solver
