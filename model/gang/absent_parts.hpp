#pragma once

// Which sub-groups does a group need of which no pod is there yet? (Z17, H1)
//
// Pure.

#include "model/facts/limits.hpp"
#include "model/gang/forest.hpp"
#include "model/gang/gang_facts.hpp"

namespace echelon::model {

// Adds the sub-groups without pods (`parts_of`) in their places. What the leader says also holds for sub-groups with
// pods: it is older than their word. Groups beyond the limit of a gang are left out, and the root records that.
void add_absent_parts(GangFacts& facts, const GroupForest& forest, const Limits& limits);

}  // namespace echelon::model
