#pragma once

// Why is a tree Invalid? Faults that no new pod and no free room can repair (S1 to S6, S26, M6, Z20).
//
// Pure. Faults of levels are found where levels are resolved, in `model/gang/requested_levels.hpp`.

#include "model/gang/gang_facts.hpp"

#include <string>

namespace echelon::model {

// One sentence without a period that names the group; empty: the tree is valid.
[[nodiscard]] std::string fault_of(const GangFacts& facts);

// S28: if a group is evicted as a whole, so is everything below it. A group that states nothing agrees. Empty: no group
// contradicts another.
[[nodiscard]] std::string disruption_fault(const GangFacts& facts);

// If members declare the group differently and the oldest decides: a sentence that names a member which is ignored.
// Empty: they agree, or the difference makes the tree Invalid.
[[nodiscard]] std::string passed_over(const GroupFacts& group);

// A sentence that names group, value and bound if the gang is too large; else empty.
[[nodiscard]] std::string size_fault(const GangFacts& facts, const Limits& limits);

}  // namespace echelon::model
