#pragma once

// How is room left for members that can't be seated yet (M3), and for gangs that share the domain (X5)? The gang is
// solved as if they waited like the others, and their seats are dropped from the answer.
//
// Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace echelon::solver {

// A gang in which shadows and companions are members, and who its members are in the gang that it was made from.
struct HypotheticalGang {
    model::Gang gang;
    std::vector<std::uint32_t> origin;  // [member] its index there; nowhere: a shadow.
};

// False: the gang is solved as it is.
[[nodiscard]] bool has_hypothetical_members(const model::Gang& gang);

// Shadows stand behind the members of their leaf. The first `demanded` companions need their minimum, which comes
// before extras (Q3); the room of others that have one is left to extras. Of the rest, and of all where none is demanded,
// there are as many as there is room for.
[[nodiscard]] HypotheticalGang with_hypothetical_members(const model::Gang& gang, std::size_t demanded);

// The seats of real members, those of groups left out that aren't satisfied without shadows (N4).
[[nodiscard]] Plan without_hypothetical_members(const model::Gang& gang, const HypotheticalGang& embodied,
                                                const Plan& plan);

}  // namespace echelon::solver
