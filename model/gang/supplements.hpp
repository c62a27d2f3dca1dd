#pragma once

// What do pods, or a second object, add to a group that is declared already?
//
// Pure. What the group itself says wins where only one can hold. Where both must agree and don't, or an addition is
// incomplete, the group gets a problem (A3, Z11, Z30).

#include "model/facts/group.hpp"

#include <string_view>
#include <vector>

namespace echelon::model {

// The group with all additions. `additions`: supplements of this group, in a fixed order. `dividing`: labels that
// divide the group into several parts, so that additions about such a label's pods are about one part each.
[[nodiscard]] Group supplemented(const Group& group, const std::vector<const Group*>& additions,
                                 const std::vector<std::string_view>& dividing = {});

}  // namespace echelon::model
