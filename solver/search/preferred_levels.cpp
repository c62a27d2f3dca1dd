#include "solver/search/preferred_levels.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace echelon::solver {
namespace {

using model::LevelRef;

// What one look for a more compact answer may cost.
constexpr std::uint64_t most_steps = 4'000;

struct CoLocationDemand {
    std::uint32_t group = 0;
    LevelRef level;  // The narrowest one wished for.
};
using Granted = std::vector<std::optional<LevelRef>>;  // [group]

// D10: at or above a required level of the same tree a wish has no effect.
std::vector<CoLocationDemand> wishes_of(const model::Gang& gang, const Demand& needs) {
    std::vector<CoLocationDemand> wishes;
    for (std::uint32_t g = 0; g < gang.groups.size(); ++g) {
        const model::GangGroup& group = gang.groups[g];
        if (group.preferred.empty() || needs.groups[g].waiting == 0) {
            continue;
        }
        const LevelRef level = *std::ranges::max_element(group.preferred, {}, &LevelRef::depth);
        const bool is_implied = std::ranges::any_of(group.required, [&](LevelRef required) {
            return required.tree == level.tree && required.depth >= level.depth;
        });
        if (!is_implied) {
            wishes.push_back({.group = g, .level = level});
        }
    }
    return wishes;
}

// Looks for an answer of exactly so many seats under the wishes that are set now.
bool find_again(SearchContext& a, std::int64_t seats) {
    const std::uint64_t before = a.steps.narrow(most_steps);
    bool found = false;
    if (seats == a.needs.groups[0].waiting) {
        found = a.search.find(Search::Goal::everything) == Verdict::fits;
    } else {
        (void)a.search.find_most(seats, seats);
        found = !a.draft.picks().empty();
    }
    a.steps.restore_limit(before);
    return found;
}

bool is_granted_above(const model::Gang& gang, const Granted& granted, std::uint32_t group, LevelRef level) {
    for (std::uint32_t above = gang.groups[group].parent; above != model::nowhere; above = gang.groups[above].parent) {
        const std::optional<LevelRef>& there = granted[above];
        if (there && there->tree == level.tree && there->depth >= level.depth) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool find_complete_and_compact(SearchContext& a) {
    const std::vector<CoLocationDemand> wishes = wishes_of(a.gang, a.needs);
    for (const CoLocationDemand& wish : wishes) {
        a.scopes.wish(wish.group, wish.level);
    }
    const bool found = find_again(a, a.needs.groups[0].waiting);
    for (const CoLocationDemand& wish : wishes) {
        a.scopes.wish(wish.group, std::nullopt);
    }
    return found;
}

void tighten_by_preferred_levels(SearchContext& a) {
    const std::vector<CoLocationDemand> wishes = wishes_of(a.gang, a.needs);
    if (wishes.empty()) {
        return;
    }
    std::vector<PlacedGroup> best = a.draft.picks();
    const std::int64_t seats = a.draft.seats();
    for (const CoLocationDemand& wish : wishes) {
        a.scopes.wish(wish.group, wish.level);
    }
    if (find_again(a, seats)) {
        for (const CoLocationDemand& wish : wishes) {
            a.scopes.wish(wish.group, std::nullopt);
        }
        return;
    }
    for (const CoLocationDemand& wish : wishes) {
        a.scopes.wish(wish.group, std::nullopt);
    }
    const std::uint32_t deepest =
        std::ranges::max(wishes, {}, [](const CoLocationDemand& w) { return w.level.depth; }).level.depth;
    Granted granted(a.gang.groups.size());
    for (std::uint32_t depth = 0; depth <= deepest; ++depth) {
        for (const CoLocationDemand& wish : wishes) {
            const LevelRef level{wish.level.tree, depth};
            a.steps.work(64);
            if (a.steps.left() == 0 || depth > wish.level.depth ||
                is_granted_above(a.gang, granted, wish.group, level)) {
                continue;
            }
            a.scopes.wish(wish.group, level);
            if (find_again(a, seats)) {
                best = a.draft.picks();
                granted[wish.group] = level;
            } else {
                a.scopes.wish(wish.group, granted[wish.group]);
            }
        }
    }
    for (const CoLocationDemand& wish : wishes) {
        a.scopes.wish(wish.group, std::nullopt);
    }
    a.draft.restore(std::move(best));
}

}  // namespace echelon::solver
