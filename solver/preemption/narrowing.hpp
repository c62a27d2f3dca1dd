#pragma once

// How is a large set of units made small? First no unit is evicted without need, then cheaper units replace others.
//
// Single-threaded, belongs to one choice of victims.

#include "solver/preemption/least_set.hpp"

#include <optional>
#include <span>
#include <vector>

namespace echelon::solver::preemption {

// A subset that suffices, and from which no unit can be left out. Prefers earlier units. Asks about k log(n) questions
// to find k of n units. Requires: all of them together suffice.
[[nodiscard]] std::vector<UnitNumber> minimal_set(const Terms& terms, std::span<const UnitNumber> by_preference);

// Removes units that need not be evicted, the most expensive first.
[[nodiscard]] std::vector<UnitNumber> without_surplus(const Terms& terms, std::vector<UnitNumber> units);

// Exchanges a few units at a time for the best replacement, until nothing improves or the budget ends. `pool`: units
// that may join the set, the most promising first. Requires: the set suffices and is accepted.
[[nodiscard]] LeastSet improved(const Terms& terms, LeastSet set, std::span<const UnitNumber> pool);

}  // namespace echelon::solver::preemption
