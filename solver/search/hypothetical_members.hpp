#pragma once

// How is room left for gated members (M3) and for co-located gangs (X5)? The gang is solved as if their pods were
// waiting members, and their seats are dropped from the answer.
//
// Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace echelon::solver {

// A gang with gated members and the pods of co-located gangs added as members.
struct HypotheticalGang {
    model::Gang gang;
    std::vector<std::uint32_t> original_index;  // [member] index in the original gang; nowhere: hypothetical.
};

// False if there is nothing to add and the gang is solved as it is.
[[nodiscard]] bool has_hypothetical_members(const model::Gang& gang);

// Gated members follow the members of their leaf. The first `demanded` co-located gangs must get their minimum, which
// comes before extras (Q3). If any is demanded, the other gangs with a minimum are left out. All other hypothetical
// members are extras: they get seats where there is room.
[[nodiscard]] HypotheticalGang with_hypothetical_members(const model::Gang& gang, std::size_t demanded);

// Drops the seats of hypothetical members, and those of groups that are not satisfied without them (N4).
[[nodiscard]] Plan without_hypothetical_members(const model::Gang& gang, const HypotheticalGang& extended,
                                                const Plan& plan);

}  // namespace echelon::solver
