#pragma once

// Which units are left when none is given up that need not go? Sets of many units, made small and then better.
//
// Single-threaded, belongs to one choice of victims.

#include "solver/preemption/least_set.hpp"

#include <optional>
#include <span>
#include <vector>

namespace echelon::solver::preemption {

// A set of these units that suffices, and none of which could be given back. Earlier units are rather kept in the set.
// Asks about k log(n) questions for k of n units. Requires: all of them suffice.
[[nodiscard]] std::vector<UnitNumber> minimal_set(const Terms& terms, std::span<const UnitNumber> by_preference);

// Gives back what need not go, the dearest first.
[[nodiscard]] std::vector<UnitNumber> without_surplus(const Terms& terms, std::vector<UnitNumber> units);

// Exchanges a few units of a set for others at a time, exactly, until that helps no more or the steps end. `pool`: what
// may be in the set, the most promising first. Requires: the set suffices and is accepted.
[[nodiscard]] LeastSet improved(const Terms& terms, LeastSet set, std::span<const UnitNumber> pool);

}  // namespace echelon::solver::preemption
