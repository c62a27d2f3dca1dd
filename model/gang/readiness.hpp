#pragma once

// Are there enough members for every minimum of the tree? If not, the gang is Incomplete (M5).
//
// Pure. A basic leaf without pods makes no gang wait, but doesn't count for its parent either (N5).

#include "model/gang/gang_facts.hpp"

#include <string>

namespace echelon::model {

// One sentence without a period that names the group and what it lacks; empty: the gang may be planned.
[[nodiscard]] std::string readiness_problem(const GangFacts& facts);

}  // namespace echelon::model
