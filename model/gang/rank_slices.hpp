#pragma once

// Which slices does a group consist of whose pods go by rank: a number of consecutive ones in each domain? (Z42)
//
// Pure.

#include "model/facts/limits.hpp"
#include "model/gang/gang_facts.hpp"

namespace echelon::model {

// A leaf whose multiples mean consecutive ranks becomes a composite of slices "NAME/0", "NAME/1" ..., each a group that
// requires the level; multiples of several sizes are slices within slices. Left as they are, with bare multiples:
// leaves of which a pod has no rank or shares it with another, whose numbers the sizes don't divide, and what would be
// more groups than a gang may have.
[[nodiscard]] GangFacts cut_into_slices(GangFacts facts, const Limits& limits);

}  // namespace echelon::model
