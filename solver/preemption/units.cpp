#include "solver/preemption/units.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace echelon::solver::preemption {
namespace {

using model::RunningGang;
using model::RunningGroup;

struct Standing {
    std::int64_t counting = 0;   // Pods of the subtree that count to minimums.
    std::int64_t satisfied = 0;  // Children that keep their minimum.
    bool is_hit = false;         // Some pod of the subtree is lost.
};

bool keeps_minimum_with(const RunningGroup& group, const Standing& standing) {
    const std::int64_t reached = group.is_leaf ? standing.counting : standing.satisfied;
    return reached >= group.minimum && standing.counting >= group.floor;
}

Standing standing_of_leaf(const RunningGroup& leaf, std::span<const std::uint8_t> lost) {
    Standing standing{.counting = leaf.finished, .satisfied = 0, .is_hit = false};
    for (std::uint32_t pod = leaf.first_pod; pod < leaf.last_pod; ++pod) {
        const bool is_lost = !lost.empty() && lost[pod] != 0;
        standing.counting += is_lost ? 0 : 1;
        standing.is_hit = standing.is_hit || is_lost;
    }
    return standing;
}

// Adds what a child is to its parent.
void report(const RunningGroup& child, const Standing& standing, Standing& parent) {
    parent.counting += standing.counting;
    parent.satisfied += keeps_minimum_with(child, standing) ? 1 : 0;
    parent.is_hit = parent.is_hit || standing.is_hit;
}

// Of one group, by what is lost below it.
Standing pod_standing_of(const RunningGang& gang, std::uint32_t group, std::span<const std::uint8_t> lost) {
    std::vector<Standing> standings(gang.groups.size());
    for (std::size_t g = gang.groups.size(); g-- > group;) {  // Pre-order, hence children before parents.
        const RunningGroup& here = gang.groups[g];
        if (here.is_leaf) {
            standings[g] = standing_of_leaf(here, lost);
        }
        const bool is_below = g != group && here.parent != model::nowhere && here.parent >= group;
        if (is_below) {
            report(here, standings[g], standings[here.parent]);
        }
    }
    return standings[group];
}

}  // namespace

void spread_loss(const RunningGang& gang, std::vector<std::uint8_t>& lost) {
    std::vector<Standing> standings(gang.groups.size());
    for (std::size_t g = gang.groups.size(); g-- > 0;) {  // Pre-order, hence children before parents.
        const RunningGroup& group = gang.groups[g];
        Standing& standing = standings[g];
        if (group.is_leaf) {
            standing = standing_of_leaf(group, lost);
        }
        if (standing.is_hit && (group.goes_whole || !keeps_minimum_with(group, standing))) {
            std::fill(lost.begin() + group.first_pod, lost.begin() + group.last_pod, std::uint8_t{1});
            standing = pod_standing_of(gang, static_cast<std::uint32_t>(g), lost);
        }
        if (group.parent != model::nowhere) {
            report(group, standing, standings[group.parent]);
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
        for (std::uint32_t pod = leaf.first_pod; pod < leaf.last_pod; ++pod) {  // No rule tells them apart.
            add({pod});
        }
    }
    std::ranges::sort(units);
    return units;
}

bool keeps_minimum(const RunningGang& gang, std::span<const std::uint8_t> lost) {
    return !gang.groups.empty() && keeps_minimum_with(gang.groups.front(), pod_standing_of(gang, 0, lost));
}

}  // namespace echelon::solver::preemption
