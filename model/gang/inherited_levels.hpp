#pragma once

// Which level does a group inherit from its children, as Koordinator's gangs that list each other do? (Z41)
//
// Pure.

#include "model/gang/gang.hpp"
#include "model/gang/gang_facts.hpp"
#include "model/topology/snapshot.hpp"

#include <cstddef>

namespace echelon::model {

// Adds the widest level that the children ask for to the group. Adds none if a child asks for none, or for the whole
// cluster. Requires: `facts` and `gang` have the same groups, and the children's levels are resolved.
void inherit_widest_level(const Snapshot& snapshot, const GangFacts& facts, std::size_t group, Gang& gang);

}  // namespace echelon::model
