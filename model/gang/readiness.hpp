#pragma once

// Are there enough members for every minimum of the tree, over any K of N children? If not, the gang is Incomplete
// (M5).
//
// Pure. A basic leaf without pods is no reason to wait for it, but can't be counted on either (N5).

#include "model/gang/gang_facts.hpp"

#include <string>

namespace echelon::model {

// What is missing, one sentence without a period that names the group; empty: nothing, the gang may be tried.
[[nodiscard]] std::string readiness_problem(const GangFacts& facts);

}  // namespace echelon::model
