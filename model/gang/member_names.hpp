#pragma once

// What is a member called? A pod has a UID and a name. A placeholder has neither, so that a gang keeps no text for it
// (BD2): it is called by its leaf, and by its number among the placeholders there.
//
// Requires: the gang is as `Cluster::gang` built it. Pure. O(log n) in groups and members.

#include "base/text.hpp"
#include "model/gang/gang.hpp"

#include <cstdint>

namespace echelon::model {

// Differs from that of every other member, also of other gangs.
[[nodiscard]] base::Text uid_of(const Gang& gang, std::uint32_t member);
// For people: "namespace/name".
[[nodiscard]] base::Text pod_of(const Gang& gang, std::uint32_t member);

}  // namespace echelon::model
