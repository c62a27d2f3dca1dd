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

}  // namespace echelon::model
