#include "solver/search/finish.hpp"

#include "solver/distribution/distribution.hpp"
#include "solver/distribution/multiples.hpp"
#include "solver/packing/objective.hpp"
#include "solver/referee_work.hpp"
#include "solver/search/preferred_levels.hpp"
#include "solver/search/seating.hpp"
#include "solver/violations.hpp"

#include <algorithm>

namespace echelon::solver {
namespace {

// The final packing repeats one that the search has done, so it gets as many steps as the search has used, but at least
// these. It may exceed the budget, and is charged all the same.
constexpr std::uint64_t least_packing_steps = 20'000;

// Steps for improving a plan: at first, then if it may use fewer domains (O3), or if it can only leave larger free
// domains (O4).
constexpr std::uint64_t first_look_steps = 4'000;
constexpr std::uint64_t spreading_steps = 40'000;
constexpr std::uint64_t tightening_steps = 2'000;

// Steps for a better proportion of children (D18).
constexpr std::uint64_t balancing_steps = 4'000;

// Steps for placing all members at once, if only a distribution can place the gang.
constexpr std::uint64_t everything_steps = 50'000;

// Packs the partial plan and offers it to the distribution; false: it couldn't be packed.
bool pack_into(Distribution& distribution, SearchContext& context) {
    const std::vector<PodBatch> batches = context.partial_plan.batches();
    SearchBudget budget(std::max(least_packing_steps, context.budget.used()));
    Packing packing(context.snapshot, context.room, context.demand, context.scopes, context.bounds, budget);
    const Packed packed = packing.pack(batches);
    (void)context.budget.spend(budget.used());
    const bool is_packed = packed.feasibility == Feasibility::fits;
    const std::vector<Placement> placements = is_packed ? packed.placements : context.partial_plan.known_placements();
    if (!is_packed && placements.empty()) {
        return false;
    }
    distribution.offer(batches, placements);
    return true;
}

bool improve(Distribution& distribution, SearchBudget& budget, std::uint64_t steps, bool minimum_first = false) {
    const std::uint64_t before = budget.narrow(steps);
    const bool is_done = distribution.improve(minimum_first);
    budget.restore_limit(before);
    return is_done;
}

// D18: looks for a plan with no more domains whose children are in proportion there. To that end it treats them as
// pairs.
void balance(Distribution& distribution, const Objective& objective, SearchContext& context) {
    if (!distribution.is_unbalanced()) {
        return;
    }
    context.budget.charge(context.gang.members.size() * 16);
    model::Gang paired = context.gang;
    for (const Roles& roles : objective.roles()) {
        model::Pairing pairing{.group = roles.group, .level = roles.level, .replicas = {}};
        for (const std::uint32_t child : context.gang.groups[roles.group].children) {
            const model::GangGroup& role = context.gang.groups[child];
            pairing.replicas.push_back(role.is_leaf ? context.demand.groups[child].counting +
                                                          context.demand.groups[child].waiting
                                                    : std::ssize(role.children));
        }
        paired.pairings.push_back(std::move(pairing));
    }
    Distribution balanced(context.snapshot, context.room, paired, context.demand, context.bounds, objective,
                          context.budget);
    balanced.offer(distribution.batches(), distribution.placements());
    (void)improve(balanced, context.budget, balancing_steps);
    distribution.offer(balanced.batches(), balanced.placements());
}

}  // namespace

std::optional<std::vector<Seat>> finish(SearchContext& context) {
    const Objective objective(context.snapshot, context.room, context.gang, context.demand);
    Distribution distribution(context.snapshot, context.room, context.gang, context.demand, context.bounds, objective,
                              context.budget);
    if (!pack_into(distribution, context)) {
        return std::nullopt;
    }
    const auto seats = [&] {
        return seats_of(context.gang, context.demand, distribution.batches(), distribution.placements());
    };
    std::optional<std::vector<Seat>> packed;
    if (context.demand.conflicts.exist() || context.demand.inside.exist()) {
        packed = seats();
    }
    if (!distribution.may_use_fewer_domains()) {
        (void)improve(distribution, context.budget, tightening_steps);
    } else if (!improve(distribution, context.budget, first_look_steps)) {
        tighten_by_preferred_levels(context);
        (void)pack_into(distribution, context);
        (void)improve(distribution, context.budget, spreading_steps);
    }
    balance(distribution, objective, context);
    std::vector<Seat> better = seats();
    // The search ignores required pod affinity (D14). If the improved plan breaks it, the packed one may still meet it.
    if (packed) {
        context.budget.charge(referee_work(context.snapshot, context.gang));
    }
    const bool is_sound =
        !packed || violations(context.snapshot, context.gang, {.seats = better, .message = {}}).empty();
    return is_sound ? std::move(better) : std::move(packed);
}

bool needs_distribution(const model::Snapshot& snapshot, const model::Gang& gang, const Demand& demand) {
    if (!gang.pairings.empty() || !ScopeLimits::are_searchable(snapshot, gang, demand)) {
        return true;
    }
    for (std::size_t g = 0; g < gang.groups.size(); ++g) {
        const model::GangGroup& group = gang.groups[g];
        const auto classes =
            std::ranges::count_if(demand.groups[g].waiting_of, [](std::int64_t waiting) { return waiting > 0; });
        if (!group.multiples.empty() && (!group.is_leaf || group.multiples.size() > 1 || classes > 1)) {
            return true;
        }
    }
    return has_partial_multiples(snapshot, gang);
}

Distributed distribute(SearchContext& context) {
    const Objective objective(context.snapshot, context.room, context.gang, context.demand);
    Distribution distribution(context.snapshot, context.room, context.gang, context.demand, context.bounds, objective,
                              context.budget);
    bool is_done = improve(distribution, context.budget, everything_steps);
    if (!is_done && !distribution.has_plan()) {
        is_done = improve(distribution, context.budget, context.budget.left(), true);
    }
    if (!is_done && distribution.has_plan()) {
        is_done = improve(distribution, context.budget, spreading_steps);
    }
    if (!distribution.has_plan()) {
        return {.feasibility = is_done ? Feasibility::proved_not_to_fit : Feasibility::unknown, .seats = {}};
    }
    balance(distribution, objective, context);
    return {.feasibility = Feasibility::fits,
            .seats = seats_of(context.gang, context.demand, distribution.batches(), distribution.placements())};
}

}  // namespace echelon::solver
