#pragma once

// May a required level of a group stand in for pod affinity by a label, and does it say the same?
//
// kube-scheduler compares the values of the label alone, while a level compares paths (D4). Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>

namespace echelon::model {

// The nearest group that contains both.
[[nodiscard]] std::uint32_t nearest_around(const Gang& gang, std::uint32_t one, std::uint32_t other);
// True if the group or one around it requires the level, or a narrower one in the same tree.
[[nodiscard]] bool requires_within(const Gang& gang, std::uint32_t group, LevelRef level);
// True if all bound members below the group are in one domain of the level, or none is bound. Otherwise the group can't
// require it (D8).
[[nodiscard]] bool is_bound_in_one_domain(const Gang& gang, const Snapshot& snapshot, std::uint32_t group,
                                          LevelRef level);
// True if nodes with one value of the label are in several domains of the level, or in none.
[[nodiscard]] bool splits_values(const Snapshot& snapshot, LevelRef level, const TopologyKeyIndex& label);

}  // namespace echelon::model
