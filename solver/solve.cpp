#include "solver/solve.hpp"

#include "solver/explain/refusal.hpp"
#include "solver/referee_work.hpp"
#include "solver/search/finish.hpp"
#include "solver/search/hypothetical_members.hpp"
#include "solver/search/identical.hpp"
#include "solver/search/later_stages.hpp"
#include "solver/search/preferred_levels.hpp"
#include "solver/search/search_context.hpp"
#include "solver/violations.hpp"

#include <algorithm>
#include <optional>
#include <set>
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

// A look for room that is only wished for takes a third of what is left at most: the gang itself needs the rest.
constexpr std::uint64_t wishing_share = 3;

// O1, then O2. The answer is in the draft.
Verdict search(SearchContext& a) {
    if (find_complete_and_compact(a)) {
        return Verdict::fits;
    }
    const std::uint64_t before = a.steps.narrow(everything_steps);
    const bool has_all = a.search.find(Search::Goal::everything) == Verdict::fits;
    a.steps.restore_limit(before);
    if (!has_all) {
        const Verdict verdict = a.search.find(Search::Goal::minimum);
        if (verdict != Verdict::fits) {
            return verdict;
        }
        a.search.fill();
        const std::vector<PlacedGroup> filled = a.draft.picks();
        const std::int64_t seats = a.draft.seats();
        const std::int64_t most = a.search.most_seats();
        if (seats < most) {
            const std::uint64_t limit = a.steps.narrow(extras_steps);
            (void)a.search.find_most(seats + 1, most);
            a.steps.restore_limit(limit);
        }
        if (a.draft.seats() <= seats) {
            a.draft.restore(filled);
        }
    }
    return Verdict::fits;
}

// The first leaf at or below a group that too few members exist for; nowhere: it lacks none.
std::uint32_t lacking_leaf(const Gang& gang, const Demand& needs, std::uint32_t group) {
    if (gang.groups[group].is_leaf) {
        const bool lacks = !needs.groups[group].is_satisfiable && needs.groups[group].split.empty();
        return lacks ? group : model::nowhere;
    }
    for (const std::uint32_t child : gang.groups[group].children) {
        if (const auto leaf = lacking_leaf(gang, needs, child); leaf != model::nowhere) {
            return leaf;
        }
    }
    return model::nowhere;
}

// Why waiting members of a leaf have no seat, room aside: the leaf that their part of the gang waits for; nowhere:
// none.
std::uint32_t leaf_waited_for(const Gang& gang, const Demand& needs, std::uint32_t leaf) {
    for (auto group = leaf; group != model::nowhere && group != 0; group = gang.groups[group].parent) {
        if (!needs.groups[group].is_satisfiable) {
            return lacking_leaf(gang, needs, group);
        }
    }
    return model::nowhere;
}

// Members without a seat: of groups that too few pods exist for, and the others (Z37).
struct Unseated {
    std::set<std::uint32_t> lacking;
    std::int64_t for_want_of_room = 0;
};

Unseated unseated_of(const Gang& gang, const Demand& needs, const std::vector<Seat>& seats) {
    std::vector<std::uint8_t> is_seated(gang.members.size(), 0);
    for (const Seat& seat : seats) {
        is_seated[seat.member] = 1;
    }
    Unseated unseated;
    for (std::uint32_t g = 0; g < gang.groups.size(); ++g) {
        const auto& group = gang.groups[g];
        std::int64_t here = 0;
        for (auto m = group.first_member; group.is_leaf && m < group.last_member; ++m) {
            const auto& member = gang.members[m];
            const bool waits = member.state == model::Member::State::waiting && !member.is_placeholder;
            here += waits && is_seated[m] == 0 ? 1 : 0;
        }
        if (here == 0) {
            continue;
        }
        if (const auto leaf = leaf_waited_for(gang, needs, g); leaf != model::nowhere) {
            unseated.lacking.insert(leaf);
        } else {
            unseated.for_want_of_room += here;
        }
    }
    return unseated;
}

std::string message_of(const Gang& gang, const Demand& needs, const std::vector<Seat>& seats) {
    const auto seated_placeholders =
        std::ranges::count_if(seats, [&](const Seat& seat) { return gang.members[seat.member].is_placeholder; });
    const auto is_kept = [](const model::Member& member) {  // Its seat stands, and is planned around.
        return member.state == model::Member::State::bound && member.is_placeholder;
    };
    const auto placeholders = seated_placeholders + std::ranges::count_if(gang.members, is_kept);
    std::string message;
    const auto say = [&message](const std::string& sentence) { message += (message.empty() ? "" : "; ") + sentence; };
    const Unseated unseated = unseated_of(gang, needs, seats);
    if (unseated.for_want_of_room > 0) {
        say(fmt::format("{} pods beyond the minimum wait for room", unseated.for_want_of_room));
    }
    constexpr std::size_t most_named = 3;
    std::size_t named = 0;
    for (const std::uint32_t leaf : unseated.lacking) {
        if (++named > most_named) {
            say(fmt::format("{} more groups lack pods", unseated.lacking.size() - most_named));
            break;
        }
        const GroupDemand& has = needs.groups[leaf];
        const auto standing = gang.groups[leaf].standing;
        say(fmt::format("group {} has {} of {} pods", gang.groups[leaf].key.name, has.counting + has.waiting - standing,
                        has.minimum - standing));
    }
    if (placeholders > 0) {
        say(fmt::format("{} held for pods that don't exist yet",
                        placeholders == 1 ? "1 seat is" : fmt::format("{} seats are", placeholders)));
    }
    std::ranges::for_each(gang.warnings, say);
    return message;
}

Plan plan_of(const SearchContext& a, std::vector<Seat> seats) {
    Plan plan{.seats = std::move(seats), .message = {}, .steps = a.steps.used()};
    plan.message = message_of(a.gang, a.needs, plan.seats);
    return plan;
}

// The gang as it would be in an empty cluster: its own running members are free to move.
Gang released(const Gang& gang) {
    Gang free = gang;
    free.kinship.barred.clear();
    for (model::Attraction& together : free.kinship.together) {
        together.met.assign(together.met.size(), 0);
    }
    for (model::Member& member : free.members) {
        if (member.state == model::Member::State::bound) {
            member.state = model::Member::State::waiting;
            member.node = model::nowhere;
        }
    }
    return free;
}

// Only ever called after a proof that it doesn't fit now.
Refusal refuse(SearchContext& now, SearchBudget& steps) {
    const Gang free = released(now.gang);
    SearchContext empty(now.snapshot, now.snapshot.capacity, free, steps);
    Verdict verdict = needs_distribution(now.snapshot, free, empty.needs) ? Verdict::unknown
                                                                          : empty.search.find(Search::Goal::minimum);
    if (verdict == Verdict::unknown && steps.left() > 0) {
        verdict = divide(empty).verdict;
    }
    const bool may_ever_fit = verdict != Verdict::proved_not_to_fit;
    Refusal refusal = may_ever_fit ? explain(now, Reason::no_room) : explain(empty, Reason::impossible);
    refusal.steps = steps.used();
    if (!now.gang.left_out.empty()) {
        refusal.sentence += "; " + now.gang.left_out.front();
        if (const auto more = now.gang.left_out.size() - 1; more > 0)
            refusal.sentence += fmt::format(", and {} more", more);
    }
    return refusal;
}

bool is_sound(const Snapshot& snapshot, const Gang& gang, const Plan& plan, SearchBudget& steps) {
    steps.work(referee_work(snapshot, gang));
    return violations(snapshot, gang, plan).empty();
}

// Kinds of pods times groups, nodes and each other: the tables of a search hold as much.
Operations tables_of(const Snapshot& snapshot, const Gang& gang) {
    std::set<std::pair<model::PodClassId, std::uint32_t>> kinds;
    for (const model::Member& member : gang.members) {
        if (member.state != model::Member::State::finished) {
            kinds.emplace(member.shape, member.kin);
        }
    }
    constexpr Operations work_of_cell = 32;  // Of a group's table: there are several.
    std::size_t rules = gang.domain_limits.size();
    for (const model::Pairing& pairing : gang.pairings) {
        rules += pairing.replicas.size();
    }
    return rules * work_of_cell * (snapshot.node_count() + gang.groups.size()) +
           kinds.size() *
               (kinds.size() * snapshot.resources.size() + snapshot.node_count() + work_of_cell * gang.groups.size());
}

// The search recurses for each group, and takes 0.92 KiB of stack for it: of the 8 MiB of a thread this leaves a third.
constexpr std::size_t most_groups = 6'000;

// Before anything is built that takes more than the budget, or more than the stack.
std::optional<Refusal> too_large(const Snapshot& snapshot, const Gang& gang, SearchBudget& steps) {
    SearchBudget probe = steps;
    probe.work(tables_of(snapshot, gang));
    if (!probe.is_over() && gang.groups.size() <= most_groups) {
        return std::nullopt;
    }
    steps = probe;
    Refusal refusal = unsearched(gang);
    refusal.steps = steps.used();
    return refusal;
}

Answer solve_as_it_is(const Snapshot& snapshot, const Gang& gang, SearchBudget& steps) {
    if (gang.problem) {
        return Refusal{
            .reason = gang.problem->reason, .group = gang.root.name, .level = {}, .sentence = gang.problem->sentence};
    }
    if (gang.groups.empty()) {
        return Plan{};
    }
    if (std::optional<Plan> identical = place_identical(snapshot, gang)) {
        return std::move(*identical);
    }
    if (std::optional<Refusal> refusal = too_large(snapshot, gang, steps)) {
        return std::move(*refusal);
    }
    SearchContext attempt(snapshot, snapshot.room, gang, steps);
    Verdict verdict = Verdict::unknown;
    std::optional<Plan> plan;
    if (!needs_distribution(snapshot, gang, attempt.needs)) {
        verdict = search(attempt);
        if (verdict == Verdict::fits) {
            if (std::optional<std::vector<Seat>> seats = finish(attempt)) {
                plan = plan_of(attempt, std::move(*seats));
            }
        }
    }
    // What scopes alone can't express, or what a search by scopes left open with steps to spare.
    if (verdict == Verdict::unknown && steps.left() > 0) {
        Distributed divided = divide(attempt);
        verdict = divided.verdict;
        if (verdict == Verdict::fits) {
            plan = plan_of(attempt, std::move(divided.seats));
        }
    }
    // No search looks for company (D14): there the referee decides.
    if (plan && (!attempt.needs.relations.exist() || is_sound(snapshot, gang, *plan, steps))) {
        return std::move(*plan);
    }
    if (verdict == Verdict::proved_not_to_fit && gang.kinship.is_exact) {
        return refuse(attempt, steps);
    }
    Refusal refusal = explain(attempt, Reason::out_of_budget);
    refusal.steps = steps.used();
    return refusal;
}

std::size_t waiting_in(const Gang& gang) {
    return static_cast<std::size_t>(std::ranges::count_if(
        gang.members, [](const model::Member& member) { return member.state == model::Member::State::waiting; }));
}

// The gang's own part of the best plan with shadows and companions; nullopt: none was found.
std::optional<Plan> solve_with(std::size_t demanded, const Snapshot& snapshot, const Gang& gang, SearchBudget& steps) {
    const HypotheticalGang embodied = with_hypothetical_members(gang, demanded);
    const std::uint64_t before = steps.narrow(steps.left_in_total() / wishing_share);
    const Answer roomy = solve_as_it_is(snapshot, embodied.gang, steps);
    steps.restore_limit(before);
    const Plan* found = std::get_if<Plan>(&roomy);
    if (found == nullptr) {
        return std::nullopt;
    }
    Plan plan = without_hypothetical_members(gang, embodied, *found);
    plan.message = message_of(gang, demand_of(snapshot, gang), plan.seats);
    return is_sound(snapshot, gang, plan, steps) ? std::optional(std::move(plan)) : std::nullopt;
}

// With room for the minimums of all companions that wait for nothing but room, else of as many as possible (Q3);
// nullopt: there is none for any.
std::optional<Plan> solve_beside_minimums(const Snapshot& snapshot, const Gang& gang, SearchBudget& steps) {
    const auto waits = [](const model::CoLocatedGang& companion) { return companion.minimum > 0; };
    auto most = static_cast<std::size_t>(std::ranges::count_if(gang.companions, waits));
    if (most == 0) {
        return std::nullopt;
    }
    std::optional<Plan> best = solve_with(most, snapshot, gang, steps);
    if (best) {
        return best;
    }
    for (std::size_t least = 1; least < most;) {  // `most` is too many.
        const std::size_t tried = (least + most) / 2;
        if (std::optional<Plan> plan = solve_with(tried, snapshot, gang, steps)) {
            best = std::move(plan);
            least = tried + 1;
        } else {
            most = tried;
        }
    }
    return best;
}

// Room for shadows and companions may cost no seat (M3): with them, the gang gets as many as without, or they are left
// out. Only the minimums of companions that wait for nothing but room come before its extras (Q3).
Answer solve_beside_others(const Snapshot& snapshot, const Gang& gang, SearchBudget& steps) {
    if (!has_hypothetical_members(gang) || gang.problem) {
        return solve_as_it_is(snapshot, gang, steps);
    }
    if (std::optional<Plan> modest = solve_beside_minimums(snapshot, gang, steps)) {
        return std::move(*modest);
    }
    std::optional<Plan> spacious = solve_with(0, snapshot, gang, steps);
    if (spacious && spacious->seats.size() == waiting_in(gang)) {
        return std::move(*spacious);
    }
    Answer tight = solve_as_it_is(snapshot, gang, steps);
    const Plan* plan = std::get_if<Plan>(&tight);
    const bool costs_nothing = spacious && (plan == nullptr || spacious->seats.size() >= plan->seats.size());
    if (costs_nothing) {
        spacious->steps = steps.used();
        return std::move(*spacious);
    }
    return tight;
}

}  // namespace

Answer solve(const Snapshot& snapshot, const Gang& gang, SolveOptions budget) {
    SearchBudget steps(budget.steps);
    if (!has_later_stages(gang) || gang.problem) {
        return solve_beside_others(snapshot, gang, steps);
    }
    const auto solve_one = [&steps](const Snapshot& then, const Gang& stage) {
        return solve_beside_others(then, stage, steps);
    };
    return solve_in_stages(snapshot, gang, solve_one, steps);
}

}  // namespace echelon::solver
