#include "solver/search/preferred_levels.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace echelon::solver {
namespace {

using model::LevelRef;

// Steps for one search for a more compact answer.
constexpr std::uint64_t most_steps = 4'000;

struct Preference {
    std::uint32_t group = 0;
    LevelRef level;  // The narrowest preferred one.
};
using Met = std::vector<std::optional<LevelRef>>;  // [group]

// Of each group with waiting members, unless the preferred level has no effect (D10).
std::vector<Preference> preferences_of(const model::Gang& gang, const Demand& demand) {
    std::vector<Preference> preferences;
    for (std::uint32_t g = 0; g < gang.groups.size(); ++g) {
        const model::GangGroup& group = gang.groups[g];
        if (group.preferred.empty() || demand.groups[g].waiting == 0) {
            continue;
        }
        const LevelRef level = *std::ranges::max_element(group.preferred, {}, &LevelRef::depth);
        if (!model::is_implied_by_required(group, level)) {
            preferences.push_back({.group = g, .level = level});
        }
    }
    return preferences;
}

// Looks for an answer with exactly `seats` seats, with the levels that `require_also` has added.
bool find_with_seats(SearchContext& context, std::int64_t seats) {
    const std::uint64_t before = context.budget.narrow(most_steps);
    bool found = false;
    if (seats == context.demand.groups[0].waiting) {
        found = context.search.find(Search::Goal::everything) == Feasibility::fits;
    } else {
        (void)context.search.find_most(seats, seats);
        found = !context.partial_plan.picks().empty();
    }
    context.budget.restore_limit(before);
    return found;
}

bool is_met_above(const model::Gang& gang, const Met& met, std::uint32_t group, LevelRef level) {
    for (std::uint32_t above = gang.groups[group].parent; above != model::nowhere; above = gang.groups[above].parent) {
        const std::optional<LevelRef>& there = met[above];
        if (there && there->tree == level.tree && there->depth >= level.depth) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool find_complete_and_compact(SearchContext& context) {
    const std::vector<Preference> preferences = preferences_of(context.gang, context.demand);
    for (const Preference& preference : preferences) {
        context.scopes.require_also(preference.group, preference.level);
    }
    const bool found = find_with_seats(context, context.demand.groups[0].waiting);
    for (const Preference& preference : preferences) {
        context.scopes.require_also(preference.group, std::nullopt);
    }
    return found;
}

void tighten_by_preferred_levels(SearchContext& context) {
    const std::vector<Preference> preferences = preferences_of(context.gang, context.demand);
    if (preferences.empty()) {
        return;
    }
    std::vector<PlacedGroup> best = context.partial_plan.picks();
    const std::int64_t seats = context.partial_plan.seats();
    for (const Preference& preference : preferences) {
        context.scopes.require_also(preference.group, preference.level);
    }
    if (find_with_seats(context, seats)) {
        for (const Preference& preference : preferences) {
            context.scopes.require_also(preference.group, std::nullopt);
        }
        return;
    }
    for (const Preference& preference : preferences) {
        context.scopes.require_also(preference.group, std::nullopt);
    }
    const std::uint32_t deepest =
        std::ranges::max(preferences, {}, [](const Preference& p) { return p.level.depth; }).level.depth;
    Met met(context.gang.groups.size());
    for (std::uint32_t depth = 0; depth <= deepest; ++depth) {
        for (const Preference& preference : preferences) {
            const LevelRef level{preference.level.tree, depth};
            context.budget.charge(64);
            if (context.budget.left() == 0 || depth > preference.level.depth ||
                is_met_above(context.gang, met, preference.group, level)) {
                continue;
            }
            context.scopes.require_also(preference.group, level);
            if (find_with_seats(context, seats)) {
                best = context.partial_plan.picks();
                met[preference.group] = level;
            } else {
                context.scopes.require_also(preference.group, met[preference.group]);
            }
        }
    }
    for (const Preference& preference : preferences) {
        context.scopes.require_also(preference.group, std::nullopt);
    }
    context.partial_plan.restore(std::move(best));
}

}  // namespace echelon::solver
