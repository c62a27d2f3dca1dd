#pragma once

// Which rules of a gang count what is in each domain of a level: limits (D16) and pairs (D17)?
//
// Pure.

#include "model/gang/gang.hpp"
#include "model/gang/gang_facts.hpp"
#include "model/gang/requested_levels.hpp"

#include <cstddef>

namespace echelon::model {

// Adds the rules of one group. Requires: `facts` and `gang` have the same groups and members.
void add_domain_rules(const GangFacts& facts, std::size_t group, const RequestedLevels& levels, Gang& gang);

// A replica with several members requires the paired level, unless it requires a narrower one. Requires: all groups
// have their levels.
void keep_replicas_together(Gang& gang);

}  // namespace echelon::model
