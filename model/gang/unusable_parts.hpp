#pragma once

// What does a group lose by the parts of the declared domains that are left out? (Z7)
//
// Pure. A level that stands only in such parts is a fault of the look-up (`model/gang/requested_levels.hpp`); here is
// what is left to say when it exists elsewhere.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"

#include <string>
#include <string_view>

namespace echelon::model {

// The part takes something away from this level.
[[nodiscard]] bool affects_group(const UnusablePart& part, const Snapshot& snapshot, LevelRef level);
// The first part that takes away a level of this name or tier; nullptr: none.
[[nodiscard]] const UnusablePart* unusable_parts_of(const Snapshot& snapshot, std::string_view level);
// A bound member sits where a part that is left out would have told its domain: the group can't be completed. One
// sentence; empty: there is none.
[[nodiscard]] std::string fault_around_bound(const Gang& gang, const Snapshot& snapshot);

}  // namespace echelon::model
