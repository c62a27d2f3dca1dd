#pragma once

// Where does a group that takes whole multiples (D13) hold a part of one? There it may be made whole: members were
// lost, or not all of them are bound yet.
//
// Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <map>

namespace echelon::solver {

// Domain of the level -> bound members of the group there, where they are no whole multiple.
[[nodiscard]] std::map<std::uint32_t, std::int64_t> partial_multiples(const model::Snapshot& snapshot,
                                                                      const model::Gang& gang, std::uint32_t group,
                                                                      model::LevelRef level, std::int64_t number);

// Some group has begun a multiple of its.
[[nodiscard]] bool has_partial_multiples(const model::Snapshot& snapshot, const model::Gang& gang);

}  // namespace echelon::solver
