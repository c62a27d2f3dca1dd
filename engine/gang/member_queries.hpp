#pragma once

// Which states do the members of a gang have? Only members that exist are considered.

#include "engine/gang/gang_state.hpp"
#include "model/cluster/cluster.hpp"
#include "model/gang/gang.hpp"

#include <algorithm>
#include <ranges>

namespace echelon::engine {

[[nodiscard]] inline bool has_member_in(const model::Gang& gang, model::Member::State state) {
    return std::ranges::any_of(
        gang.members, [state](const model::Member& member) { return member.state == state && !member.is_placeholder; });
}

// True if the commit under way has bound a member, so that the gang only rolls forward. Members in `ran_before` don't
// count. In groups that count only waiting members (KP4), a member that has ended since counts, too.
[[nodiscard]] inline bool has_bound_by_commit(const model::Gang& gang, const model::RunningBefore& ran_before) {
    return std::ranges::any_of(gang.groups, [&](const model::GangGroup& group) {
        const auto members = gang.members | std::views::take(group.last_member) | std::views::drop(group.first_member);
        return group.is_leaf && std::ranges::any_of(members, [&](const model::Member& member) {
                   const bool has_ended = group.counts_only_waiting && member.state == model::Member::State::finished;
                   const bool is_bound = member.state == model::Member::State::bound && !member.is_placeholder;
                   return (is_bound || has_ended) && !ran_before.contains(member.uid);
               });
    });
}

// Q11: 0 < bound < minimum. `built`: the gang, as its next plan sees it.
[[nodiscard]] inline bool is_partly_bound(const GangState& gang, const model::Gang& built) {
    return has_bound_by_commit(built, gang.roster.ran_before()) && gang.lifecycle.stage() != Stage::bound;
}

}  // namespace echelon::engine
