#pragma once

// Does anybody of a gang stand so? Asked of the members that exist.

#include "model/cluster.hpp"
#include "model/gang.hpp"

#include <algorithm>

namespace echelon::engine {

[[nodiscard]] inline bool is_anyone(const model::Gang& gang, model::Member::State state) {
    return std::ranges::any_of(
        gang.members, [state](const model::Member& member) { return member.state == state && !member.is_ghost; });
}

// Members are bound, others than those that ran before: what has begun is only rolled forward.
[[nodiscard]] inline bool goes_forward(const model::Gang& gang, const model::RanBefore& ran_before) {
    return std::ranges::any_of(gang.members, [&](const model::Member& member) {
        return member.state == model::Member::State::bound && !member.is_ghost && !ran_before.contains(member.uid);
    });
}

}  // namespace echelon::engine
