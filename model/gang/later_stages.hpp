#pragma once

// Which groups start only after the pods of other groups have ended, so that both never need room at once? (Z31)
//
// Pure.

#include "model/gang/gang.hpp"
#include "model/gang/gang_facts.hpp"

namespace echelon::model {

// Takes the placeholders of such a leaf out of the minimum for now. `GangGroup::later` gets the later minimum, and
// `GangGroup::after` the groups that end before. Requires: `gang` and `facts` have the same groups.
void put_off_later_stages(const GangFacts& facts, Gang& gang);

}  // namespace echelon::model
