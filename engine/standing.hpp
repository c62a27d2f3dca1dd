#pragma once

// Does anybody of a gang stand so? Asked of the members that exist.

#include "model/gang.hpp"

#include <algorithm>

namespace echelon::engine {

[[nodiscard]] inline bool is_anyone(const model::Gang& gang, model::Member::State state) {
    return std::ranges::any_of(
        gang.members, [state](const model::Member& member) { return member.state == state && !member.is_ghost; });
}

}  // namespace echelon::engine
