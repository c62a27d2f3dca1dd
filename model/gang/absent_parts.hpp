#pragma once

// Which needed sub-groups of a group have no pods yet? (Z17, H1)
//
// Pure.

#include "model/facts/limits.hpp"
#include "model/gang/forest.hpp"
#include "model/gang/gang_facts.hpp"

namespace echelon::model {

// Inserts the sub-groups without pods (`parts_of`) among their siblings. The leader's declaration also replaces that of
// sub-groups with pods. Groups beyond the limit of a gang are left out, and the root records that.
void add_absent_parts(GangFacts& facts, const GroupForest& forest, const Limits& limits);

}  // namespace echelon::model
