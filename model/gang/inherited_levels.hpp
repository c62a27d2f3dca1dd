#pragma once

// Which level binds a group whose children ask for levels, as Koordinator's gangs that list each other do? (Z41)
//
// Pure.

#include "model/gang/gang.hpp"
#include "model/gang/gang_facts.hpp"
#include "model/topology/snapshot.hpp"

#include <cstddef>

namespace echelon::model {

// Adds the widest level that its children ask for to the group, if each asks for one, and none for the whole cluster.
// Requires: `facts` and `gang` have the same groups, and those of the children have their levels.
void inherit_widest_level(const Snapshot& snapshot, const GangFacts& facts, std::size_t group, Gang& gang);

}  // namespace echelon::model
