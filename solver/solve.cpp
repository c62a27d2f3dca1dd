#include "solver/solve.hpp"

#include "solver/attempt.hpp"
#include "solver/finish.hpp"
#include "solver/identical.hpp"
#include "solver/refusal.hpp"
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

// What the first look for everything may cost, and the last one for more seats. They don't depend on the budget, so
// that a larger one goes the same way, only further, and never gives a worse plan.
constexpr std::uint64_t everything_steps = 4'000;
constexpr std::uint64_t extras_steps = 40'000;

// O1, then O2. The answer is in the draft.
Verdict search(Attempt& a) {
    if (find_whole(a)) {
        return Verdict::fits;
    }
    const std::uint64_t before = a.steps.narrow(everything_steps);
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
            const std::uint64_t limit = a.steps.narrow(extras_steps);
            (void)a.search.find_most(seats + 1, most);
            a.steps.widen(limit);
        }
        if (a.draft.seats() <= seats) {
            a.draft.restore(filled);
        }
    }
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

Plan plan_of(const Attempt& a, std::vector<Seat> seats) {
    Plan plan{.seats = std::move(seats), .message = {}, .steps = a.steps.used()};
    plan.message = message_of(a, plan.seats.size());
    return plan;
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
    const Verdict verdict =
        needs_division(free, empty.needs) ? divide(empty).verdict : empty.search.find(Search::Ask::minimum);
    const bool may_ever_fit = verdict != Verdict::proved_not_to_fit;
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
    Verdict verdict = Verdict::unknown;
    if (needs_division(gang, attempt.needs)) {
        Divided divided = divide(attempt);
        verdict = divided.verdict;
        if (verdict == Verdict::fits) {
            return plan_of(attempt, std::move(divided.seats));
        }
    } else {
        verdict = search(attempt);
        if (verdict == Verdict::fits) {
            if (std::optional<std::vector<Seat>> seats = finish(attempt)) {
                return plan_of(attempt, std::move(*seats));
            }
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
