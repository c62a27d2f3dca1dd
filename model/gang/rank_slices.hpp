#pragma once

// Into which slices of consecutive ranks is a group divided, each slice in one domain? (Z42)
//
// Pure.

#include "model/facts/limits.hpp"
#include "model/gang/gang_facts.hpp"

namespace echelon::model {

// A leaf whose multiples mean consecutive ranks becomes a composite of slices "NAME/0", "NAME/1" ..., and each slice
// requires the level. Multiples of several sizes become slices within slices. A leaf keeps plain multiples if
// ranks are not unique, sizes don't divide its numbers, or the gang would get too many groups.
[[nodiscard]] GangFacts cut_into_slices(GangFacts facts, const Limits& limits);
// The same for a composite whose ranks run through all its children, as those of a JobSet run through its Jobs. A slice
// that divides a child is one of the child's own, a slice as large as a child is the child, and a slice of several
// children is a composite "NAME/FIRST-LAST". Other slices stay multiples of the composite.
void move_slices_to_children(GangFacts& facts, const Limits& limits);

}  // namespace echelon::model
