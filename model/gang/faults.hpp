#pragma once

// Why does a tree make no sense? What no new pod and no free room can mend: the gang is Invalid (S1 to S6, S26, M6,
// Z20).
//
// Pure. Faults of levels are found where levels are looked up, in `model/gang/requested_levels.hpp`.

#include "model/gang/gang_facts.hpp"

#include <string>

namespace echelon::model {

// One sentence without a period that names the group; empty: nothing is wrong.
[[nodiscard]] std::string fault_of(const GangFacts& facts);

// Members say different things of the group, and the oldest decides: a sentence that names one that is passed over;
// empty: they agree, or it makes the tree Invalid.
[[nodiscard]] std::string passed_over(const GroupFacts& group);

// Is the tree larger than a gang may be? A sentence that names group, value and bound; empty: it isn't.
[[nodiscard]] std::string size_fault(const GangFacts& facts, const Limits& limits);

}  // namespace echelon::model
