#include "solver/preemption/units.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace echelon::solver::preemption {
namespace {

using model::RunningGang;
using model::RunningGroup;

struct GroupState {
    std::int64_t counting = 0;   // Pods of the subtree that count to minimums.
    std::int64_t satisfied = 0;  // Children that keep their minimum.
    bool is_hit = false;         // Some pod of the subtree is lost.
};

bool keeps_minimum_with(const RunningGroup& group, const GroupState& state) {
    const std::int64_t reached = group.is_leaf ? state.counting : state.satisfied;
    return reached >= group.minimum && state.counting >= group.floor;
}

GroupState state_of_leaf(const RunningGroup& leaf, std::span<const std::uint8_t> lost) {
    GroupState state{.counting = leaf.finished, .satisfied = 0, .is_hit = false};
    for (std::uint32_t pod = leaf.first_pod; pod < leaf.last_pod; ++pod) {
        const bool is_lost = !lost.empty() && lost[pod] != 0;
        state.counting += is_lost ? 0 : 1;
        state.is_hit = state.is_hit || is_lost;
    }
    return state;
}

// Adds a child to the parent's state.
void add_to_parent(const RunningGroup& child, const GroupState& state, GroupState& parent) {
    parent.counting += state.counting;
    parent.satisfied += keeps_minimum_with(child, state) ? 1 : 0;
    parent.is_hit = parent.is_hit || state.is_hit;
}

// The state of one group, given the lost pods.
GroupState state_of_group(const RunningGang& gang, std::uint32_t group, std::span<const std::uint8_t> lost) {
    std::vector<GroupState> states(gang.groups.size());
    for (std::size_t g = gang.groups.size(); g-- > group;) {  // Pre-order, hence children before parents.
        const RunningGroup& here = gang.groups[g];
        if (here.is_leaf) {
            states[g] = state_of_leaf(here, lost);
        }
        const bool is_below = g != group && here.parent != model::nowhere && here.parent >= group;
        if (is_below) {
            add_to_parent(here, states[g], states[here.parent]);
        }
    }
    return states[group];
}

}  // namespace

void spread_loss(const RunningGang& gang, std::vector<std::uint8_t>& lost) {
    std::vector<GroupState> states(gang.groups.size());
    for (std::size_t g = gang.groups.size(); g-- > 0;) {  // Pre-order, hence children before parents.
        const RunningGroup& group = gang.groups[g];
        GroupState& state = states[g];
        if (group.is_leaf) {
            state = state_of_leaf(group, lost);
        }
        if (state.is_hit && (group.goes_whole || !keeps_minimum_with(group, state))) {
            std::fill(lost.begin() + group.first_pod, lost.begin() + group.last_pod, std::uint8_t{1});
            state = state_of_group(gang, static_cast<std::uint32_t>(g), lost);
        }
        if (group.parent != model::nowhere) {
            add_to_parent(group, state, states[group.parent]);
        }
    }
}

std::vector<Unit> units_of(const RunningGang& gang) {
    std::vector<Unit> units;
    std::map<Unit, bool> known;
    const auto add = [&](Unit unit) {
        if (known.emplace(unit, true).second) {
            units.push_back(std::move(unit));
        }
    };
    for (const RunningGroup& leaf : gang.groups) {
        if (!leaf.is_leaf || leaf.first_pod == leaf.last_pod) {
            continue;
        }
        std::vector<std::uint8_t> lost(gang.pods.size(), 0);
        lost[leaf.first_pod] = 1;
        spread_loss(gang, lost);
        Unit together;
        for (std::uint32_t pod = 0; pod < lost.size(); ++pod) {
            if (lost[pod] != 0) {
                together.push_back(pod);
            }
        }
        if (together.size() > 1) {
            add(std::move(together));
            continue;
        }
        for (std::uint32_t pod = leaf.first_pod; pod < leaf.last_pod; ++pod) {  // Each pod is a separate unit.
            add({pod});
        }
    }
    std::ranges::sort(units);
    return units;
}

bool keeps_minimum(const RunningGang& gang, std::span<const std::uint8_t> lost) {
    return !gang.groups.empty() && keeps_minimum_with(gang.groups.front(), state_of_group(gang, 0, lost));
}

}  // namespace echelon::solver::preemption
