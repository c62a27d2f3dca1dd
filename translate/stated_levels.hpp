#pragma once

// Which levels does a group have that none of the group's fields states? For dialects that don't know such rules.
//
// Pure.

#include "base/result.hpp"
#include "model/gang/gang.hpp"
#include "model/gang/gang_facts.hpp"
#include "model/topology/snapshot.hpp"

namespace echelon::translate {

// The same facts, in which gangs that list each other state the level that they share (Z41). `gang`: of these facts.
// The error says of which group that level isn't known.
[[nodiscard]] base::Result<model::GangFacts> with_stated_levels(model::GangFacts facts, const model::Snapshot& snapshot,
                                                                const model::Gang& gang);

}  // namespace echelon::translate
