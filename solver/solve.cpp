#include "solver/solve.hpp"

#include "solver/attempt.hpp"
#include "solver/division.hpp"
#include "solver/identical.hpp"
#include "solver/objective.hpp"
#include "solver/refusal.hpp"
#include "solver/seating.hpp"
#include "solver/violations.hpp"
#include "solver/wishes.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace echelon::solver {
namespace {

using model::Gang;
using model::Reason;
using model::Snapshot;

// The final packing repeats what the search has packed before, so it isn't the search's budget that bounds it.
constexpr std::uint64_t seating_steps = 1'000'000;

// What making a plan better may cost: while it may use fewer domains (O3), and while it only may leave larger holes
// (O4).
constexpr std::uint64_t spreading_steps = 40'000;
constexpr std::uint64_t tightening_steps = 2'000;

// O1, then O2. The answer is in the draft.
Verdict search(Attempt& a) {
    if (find_whole(a)) {
        return Verdict::fits;
    }
    const std::uint64_t before = a.steps.narrow(std::max<std::uint64_t>(a.steps.left() / 16, 200));
    const bool has_all = a.search.find(Search::Ask::everything) == Verdict::fits;
    a.steps.widen(before);
    if (!has_all) {
        const Verdict verdict = a.search.find(Search::Ask::minimum);
        if (verdict != Verdict::fits) {
            return verdict;
        }
        a.search.fill();
        const std::vector<Pick> filled = a.draft.picks();
        const std::int64_t seats = a.draft.seats();
        const std::int64_t most = a.search.most_seats();
        if (seats < most) {
            const std::uint64_t limit = a.steps.narrow(std::max<std::uint64_t>(a.steps.left() / 4, 200));
            (void)a.search.find_most(seats + 1, most);
            a.steps.widen(limit);
        }
        if (a.draft.seats() <= seats) {
            a.draft.restore(filled);
        }
    }
    fulfil_wishes(a);
    return Verdict::fits;
}

std::string message_of(const Attempt& a, std::size_t seats) {
    std::string message;
    const auto waiting = static_cast<std::size_t>(std::ranges::count_if(
        a.gang.members, [](const model::Member& member) { return member.state == model::Member::State::waiting; }));
    if (seats < waiting) {
        message = fmt::format("{} pods beyond the minimum wait for room", waiting - seats);
    }
    for (const std::string& warning : a.gang.warnings) {
        message += (message.empty() ? "" : "; ") + warning;
    }
    return message;
}

std::optional<Plan> plan_of(Attempt& a) {
    const std::vector<Lot> lots = a.draft.lots();
    Steps steps(seating_steps);
    Packing packing(a.snapshot, a.room, a.needs, a.scopes, a.gauges, steps);
    const Packed packed = packing.pack(lots);
    if (packed.verdict != Verdict::fits) {
        return std::nullopt;
    }
    const Objective objective(a.snapshot, a.room, a.gang, a.needs);
    Division division(a.snapshot, a.room, a.gang, a.needs, a.gauges, objective, a.steps);
    division.know(lots, packed.placements);
    const std::uint64_t before = a.steps.narrow(division.may_spread_less() ? spreading_steps : tightening_steps);
    (void)division.improve();
    a.steps.widen(before);
    Plan plan{.seats = seats_of(a.gang, a.needs, division.lots(), division.placements()),
              .message = {},
              .steps = a.steps.used()};
    plan.message = message_of(a, plan.seats.size());
    return plan;
}

bool has_composite_multiples(const Gang& gang) {
    return std::ranges::any_of(gang.groups,
                               [](const auto& group) { return !group.is_leaf && !group.multiples.empty(); });
}

// The gang as it would be in an empty cluster: its own running members are free to move.
Gang released(const Gang& gang) {
    Gang free = gang;
    for (model::Member& member : free.members) {
        if (member.state == model::Member::State::bound) {
            member.state = model::Member::State::waiting;
            member.node = model::nowhere;
        }
    }
    return free;
}

// Only ever called after a proof that it doesn't fit now.
Refusal refuse(Attempt& now, Steps& steps) {
    const Gang free = released(now.gang);
    Attempt empty(now.snapshot, now.snapshot.capacity, free, steps);
    const bool may_ever_fit = empty.search.find(Search::Ask::minimum) != Verdict::proved_not_to_fit;
    Refusal refusal = may_ever_fit ? explain(now, Reason::no_room) : explain(empty, Reason::impossible);
    refusal.steps = steps.used();
    return refusal;
}

}  // namespace

Answer solve(const Snapshot& snapshot, const Gang& gang, Budget budget) {
    if (gang.problem) {
        return Refusal{
            .reason = gang.problem->reason, .group = gang.root.name, .level = {}, .sentence = gang.problem->sentence};
    }
    if (gang.groups.empty()) {
        return Plan{};
    }
    if (std::optional<Plan> plan = place_identical(snapshot, gang)) {
        return std::move(*plan);
    }
    Steps steps(budget.steps);
    Attempt attempt(snapshot, snapshot.room, gang, steps);
    const Verdict verdict = search(attempt);
    if (verdict == Verdict::fits) {
        std::optional<Plan> plan = plan_of(attempt);
        // The search places leaves in lots, not whole composites: there the referee decides, and nothing is proved.
        if (plan && (!has_composite_multiples(gang) || violations(snapshot, gang, *plan).empty())) {
            return std::move(*plan);
        }
    }
    if (verdict == Verdict::proved_not_to_fit) {
        return refuse(attempt, steps);
    }
    Refusal refusal = explain(attempt, Reason::out_of_budget);
    refusal.steps = steps.used();
    return refusal;
}

}  // namespace echelon::solver
