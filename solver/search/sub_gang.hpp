#pragma once

// What if only one group of a gang were wanted? A gang of that group, its subtree and its ancestors' levels. Pure.

#include "model/gang/gang.hpp"
#include "solver/plan.hpp"

#include <cstdint>
#include <vector>

namespace echelon::solver {

struct SubGang {
    model::Gang gang;                    // The ancestors ask for nothing but this group, and for their levels.
    std::uint32_t group = 0;             // Where the group stands in it.
    std::vector<std::uint32_t> members;  // [member of `gang`] index in the gang that it was cut from.
};

// Bound members of groups that are left out still pin the domains of the ancestors (D7). Levels, multiples and minimums
// in the subtree stay; wishes are dropped.
[[nodiscard]] SubGang sub_gang_of(const model::Gang& gang, std::uint32_t group);

// The gang with these seats taken: their members count as bound there.
[[nodiscard]] model::Gang seated(const model::Gang& gang, const Plan& plan);

}  // namespace echelon::solver
