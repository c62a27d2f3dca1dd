#pragma once

// What does a group lose if parts of the declared domains are unusable? (Z7)
//
// Pure. A level that exists only in such parts is a fault in `model/gang/requested_levels.hpp`. This file covers levels
// that also exist elsewhere.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"

#include <string>
#include <string_view>

namespace echelon::model {

// True if this level lacks domains because of the part.
[[nodiscard]] bool affects_group(const UnusablePart& part, const Snapshot& snapshot, LevelRef level);
// The first part because of which a level of this name or tier lacks domains; nullptr: none.
[[nodiscard]] const UnusablePart* unusable_parts_of(const Snapshot& snapshot, std::string_view level);
// One sentence if a bound member has no domain because of an unusable part, so that its group can't be completed; else
// empty.
[[nodiscard]] std::string fault_around_bound(const Gang& gang, const Snapshot& snapshot);

}  // namespace echelon::model
