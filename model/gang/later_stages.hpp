#pragma once

// Which groups come only once the pods of others have ended, so that both never need room at once? (Z31)
//
// Pure.

#include "model/gang/gang.hpp"
#include "model/gang/gang_facts.hpp"

namespace echelon::model {

// Of a leaf whose pods come after others that haven't ended, the placeholders are no part of the minimum yet:
// `GangGroup::later` says what it is then, and `GangGroup::after` what ends before. Requires: the groups of `gang` are
// those of `facts`.
void put_off_later_stages(const GangFacts& facts, Gang& gang);

}  // namespace echelon::model
