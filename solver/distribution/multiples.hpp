#pragma once

// In which domains do the bound members of a group not fill whole multiples (D13)? There, new seats may complete the
// multiple.
//
// Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <map>

namespace echelon::solver {

// [domain of the level] bound members of the group there, if they are no whole multiple.
[[nodiscard]] std::map<std::uint32_t, std::int64_t> partial_multiples(const model::Snapshot& snapshot,
                                                                      const model::Gang& gang, std::uint32_t group,
                                                                      model::LevelRef level, std::int64_t number);

// True if some group has such a domain.
[[nodiscard]] bool has_partial_multiples(const model::Snapshot& snapshot, const model::Gang& gang);

}  // namespace echelon::solver
