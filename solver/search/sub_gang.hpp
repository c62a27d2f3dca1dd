#pragma once

// Would one group of a gang fit if nothing else were placed? Makes a gang of that group: its subtree, and its ancestors
// with their levels. Pure.

#include "model/gang/gang.hpp"
#include "solver/plan.hpp"

#include <cstdint>
#include <vector>

namespace echelon::solver {

struct SubGang {
    model::Gang gang;                    // The ancestors require their levels and this group, nothing else.
    std::uint32_t group = 0;             // Index of the group in `gang.groups`.
    std::vector<std::uint32_t> members;  // [member of `gang`] index in the original gang.
};

// Bound members of groups that are left out still pin the domains of the ancestors (D7). Levels, multiples and minimums
// in the subtree stay; preferred levels are dropped.
[[nodiscard]] SubGang sub_gang_of(const model::Gang& gang, std::uint32_t group);

// The gang as it would be in an empty cluster: its bound members are free to move.
[[nodiscard]] model::Gang free_to_move(const model::Gang& gang);

// The gang as if the members with these seats were bound there.
[[nodiscard]] model::Gang seated(const model::Gang& gang, const Plan& plan);

}  // namespace echelon::solver
