#pragma once

// Can the answer be more compact at no cost of seats? Asks the preferred levels as if they were required, widest first,
// and keeps what can be had (O3, D9).

#include "solver/search/search_context.hpp"

namespace echelon::solver {

// Everything at once: every waiting member seated and every preferred level met. False: not so, or not found.
[[nodiscard]] bool find_complete_and_compact(SearchContext& attempt);

// Makes the answer in the draft more compact, level by level; it keeps the number of its seats.
void tighten_by_preferred_levels(SearchContext& attempt);

}  // namespace echelon::solver
