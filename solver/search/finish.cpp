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

// The final packing repeats what the search has packed before, hence takes no more steps than that did. It may take
// them after the budget's end, and is charged all the same.
constexpr std::uint64_t least_seating_steps = 20'000;

// What making a plan better may cost: a first look, then while it may use fewer domains (O3), or while it only may
// leave larger holes (O4).
constexpr std::uint64_t first_look_steps = 4'000;
constexpr std::uint64_t spreading_steps = 40'000;
constexpr std::uint64_t tightening_steps = 2'000;

// While roles may only stand in better proportion (D18).
constexpr std::uint64_t balancing_steps = 4'000;

// Of the steps of a gang that is placed by division alone: for all its members at once.
constexpr std::uint64_t everything_steps = 50'000;

// Tells the division of the answer in the draft.
bool pack_into(Distribution& division, SearchContext& a) {
    const std::vector<PodBatch> lots = a.draft.lots();
    SearchBudget steps(std::max(least_seating_steps, a.steps.used()));
    Packing packing(a.snapshot, a.room, a.needs, a.scopes, a.gauges, steps);
    const Packed packed = packing.pack(lots);
    (void)a.steps.spend(steps.used());
    if (packed.verdict != Verdict::fits) {
        return false;
    }
    division.know(lots, packed.placements);
    return true;
}

bool improve(Distribution& division, SearchBudget& steps, std::uint64_t limit, bool minimum_first = false) {
    const std::uint64_t before = steps.narrow(limit);
    const bool is_done = division.improve(minimum_first);
    steps.restore_limit(before);
    return is_done;
}

// D18: of plans with equally few domains one with the roles in proportion. Looks among those whose domains hold pairs.
void balance(Distribution& division, const Objective& objective, SearchContext& a) {
    if (!division.is_unbalanced()) {
        return;
    }
    a.steps.work(a.gang.members.size() * 16);
    model::Gang paired = a.gang;
    for (const Roles& roles : objective.roles()) {
        model::Pairing pairing{.group = roles.group, .level = roles.level, .replicas = {}};
        for (const std::uint32_t child : a.gang.groups[roles.group].children) {
            const model::GangGroup& role = a.gang.groups[child];
            pairing.replicas.push_back(role.is_leaf ? a.needs.groups[child].counting + a.needs.groups[child].waiting
                                                    : std::ssize(role.children));
        }
        paired.pairings.push_back(std::move(pairing));
    }
    Distribution balanced(a.snapshot, a.room, paired, a.needs, a.gauges, objective, a.steps);
    balanced.know(division.lots(), division.placements());
    (void)improve(balanced, a.steps, balancing_steps);
    division.know(balanced.lots(), balanced.placements());
}

}  // namespace

std::optional<std::vector<Seat>> finish(SearchContext& a) {
    const Objective objective(a.snapshot, a.room, a.gang, a.needs);
    Distribution division(a.snapshot, a.room, a.gang, a.needs, a.gauges, objective, a.steps);
    if (!pack_into(division, a)) {
        return std::nullopt;
    }
    const auto seats = [&] { return seats_of(a.gang, a.needs, division.lots(), division.placements()); };
    std::optional<std::vector<Seat>> packed;
    if (a.needs.relations.exist()) {
        packed = seats();
    }
    if (!division.may_use_fewer_domains()) {
        (void)improve(division, a.steps, tightening_steps);
    } else if (!improve(division, a.steps, first_look_steps)) {
        tighten_by_preferred_levels(a);
        (void)pack_into(division, a);
        (void)improve(division, a.steps, spreading_steps);
    }
    balance(division, objective, a);
    std::vector<Seat> better = seats();
    // Nobody looks for company (D14): an answer that happened to find it is worth more than a better one without.
    if (packed) {
        a.steps.work(referee_work(a.snapshot, a.gang));
    }
    const bool is_sound = !packed || violations(a.snapshot, a.gang, {.seats = better, .message = {}}).empty();
    return is_sound ? std::move(better) : std::move(packed);
}

bool needs_distribution(const model::Snapshot& snapshot, const model::Gang& gang, const Demand& needs) {
    if (!gang.pairings.empty() || !ScopeLimits::are_searchable(snapshot, gang, needs)) {
        return true;
    }
    for (std::size_t g = 0; g < gang.groups.size(); ++g) {
        const model::GangGroup& group = gang.groups[g];
        const auto sizes =
            std::ranges::count_if(needs.groups[g].waiting_of, [](std::int64_t waiting) { return waiting > 0; });
        if (!group.multiples.empty() && (!group.is_leaf || group.multiples.size() > 1 || sizes > 1)) {
            return true;
        }
    }
    return has_partial_multiples(snapshot, gang);
}

Distributed divide(SearchContext& a) {
    const Objective objective(a.snapshot, a.room, a.gang, a.needs);
    Distribution division(a.snapshot, a.room, a.gang, a.needs, a.gauges, objective, a.steps);
    bool is_done = improve(division, a.steps, everything_steps);
    if (!is_done && !division.has_plan()) {
        is_done = improve(division, a.steps, a.steps.left(), true);
    }
    if (!is_done && division.has_plan()) {
        is_done = improve(division, a.steps, spreading_steps);
    }
    if (!division.has_plan()) {
        return {.verdict = is_done ? Verdict::proved_not_to_fit : Verdict::unknown, .seats = {}};
    }
    balance(division, objective, a);
    return {.verdict = Verdict::fits, .seats = seats_of(a.gang, a.needs, division.lots(), division.placements())};
}

}  // namespace echelon::solver
