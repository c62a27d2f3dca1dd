#include "solver/solve.hpp"

#include "model/devices/device_demand.hpp"
#include "solver/explain/plan_message.hpp"
#include "solver/explain/refusal.hpp"
#include "solver/explain/refusal_words.hpp"
#include "solver/referee_work.hpp"
#include "solver/search/finish.hpp"
#include "solver/search/hypothetical_members.hpp"
#include "solver/search/identical.hpp"
#include "solver/search/later_stages.hpp"
#include "solver/search/preferred_levels.hpp"
#include "solver/search/search_context.hpp"
#include "solver/search/sub_gang.hpp"
#include "solver/search/zone_groups.hpp"
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

// Steps of the first search, which seats all members, and of the last one, which adds seats. They don't depend on the
// budget: a larger budget takes the same path, gets further, and never gives a worse plan.
constexpr std::uint64_t everything_steps = 4'000;
constexpr std::uint64_t extras_steps = 40'000;

// A search with hypothetical members may take a third of the budget that is left: the gang itself needs the rest.
constexpr std::uint64_t hypothetical_share = 3;

// Meets the minimums (O1), then adds extras (O2). Leaves the answer in `context.partial_plan`.
Feasibility search(SearchContext& context) {
    if (find_complete_and_compact(context)) {
        return Feasibility::fits;
    }
    const std::uint64_t before = context.budget.narrow(everything_steps);
    const bool has_all = context.search.find(Search::Goal::everything) == Feasibility::fits;
    context.budget.restore_limit(before);
    if (!has_all) {
        const Feasibility feasibility = context.search.find(Search::Goal::minimum);
        if (feasibility != Feasibility::fits) {
            return feasibility;
        }
        context.search.fill();
        const std::vector<PlacedGroup> filled = context.partial_plan.picks();
        const std::int64_t seats = context.partial_plan.seats();
        const std::int64_t most = context.search.most_seats();
        if (seats < most) {
            const std::uint64_t limit = context.budget.narrow(extras_steps);
            (void)context.search.find_most(seats + 1, most);
            context.budget.restore_limit(limit);
        }
        if (context.partial_plan.seats() <= seats) {
            context.partial_plan.restore(filled);
        }
    }
    return Feasibility::fits;
}

Plan plan_of(const SearchContext& context, std::vector<Seat> seats) {
    Plan plan{.seats = std::move(seats), .message = {}, .steps = context.budget.used()};
    plan.message = message_of(context.snapshot, context.gang, context.demand, plan.seats);
    return plan;
}

// True if a member waits for devices of a class that doesn't exist. Once it does, nodes may have such devices (DR4).
bool waits_for_class(const Snapshot& snapshot, const Gang& gang) {
    return std::ranges::any_of(gang.members, [&snapshot](const model::Member& member) {
        return member.state == model::Member::State::waiting &&
               std::ranges::any_of(snapshot.pod_classes[member.pod_class].requests.entries(),
                                   [](const auto& entry) { return model::is_of_missing_class(entry.first); });
    });
}

// Could the gang fit into the empty cluster? `empty`: the context of that cluster.
bool may_ever_fit(SearchContext& empty, SearchBudget& budget) {
    if (waits_for_class(empty.snapshot, empty.gang)) {
        return true;
    }
    Feasibility feasibility = needs_distribution(empty.snapshot, empty.gang, empty.demand)
                                  ? Feasibility::unknown
                                  : empty.search.find(Search::Goal::minimum);
    if (feasibility == Feasibility::unknown && budget.left() > 0) {
        feasibility = distribute(empty).feasibility;
    }
    return feasibility != Feasibility::proved_not_to_fit;
}

// Requires: a proof that the gang doesn't fit now.
Refusal refuse_after_proof(SearchContext& now, SearchBudget& budget) {
    const Gang free = free_to_move(now.gang);
    SearchContext empty(now.snapshot, now.snapshot.capacity, free, budget);
    Refusal refusal = may_ever_fit(empty, budget) ? explain(now, Reason::no_room) : explain(empty, Reason::impossible);
    refusal.steps = budget.used();
    if (!now.gang.left_out.empty()) {
        refusal.sentence += "; " + now.gang.left_out.front();
        if (const auto more = now.gang.left_out.size() - 1; more > 0)
            refusal.sentence += fmt::format(", and {} more", more);
    }
    return refusal;
}

bool is_sound(const Snapshot& snapshot, const Gang& gang, const Plan& plan, SearchBudget& budget) {
    budget.charge(referee_work(snapshot, gang));
    return violations(snapshot, gang, plan).empty();
}

// The work of filling a search's tables. Each has a row for a member class, and a column for a group, node or class.
Operations table_size(const Snapshot& snapshot, const Gang& gang) {
    std::set<std::pair<model::PodClassId, std::uint32_t>> member_classes;
    for (const model::Member& member : gang.members) {
        if (member.state != model::Member::State::finished) {
            member_classes.insert({member.pod_class, member.affinity_class});  // emplace would allocate each time.
        }
    }
    constexpr Operations work_of_entry = 32;  // Per entry of a group's tables, of which there are several.
    std::size_t rules = gang.domain_limits.size();
    for (const model::Pairing& pairing : gang.pairings) {
        rules += pairing.replicas.size();
    }
    return rules * work_of_entry * (snapshot.node_count() + gang.groups.size()) +
           member_classes.size() * (member_classes.size() * snapshot.resources.size() + snapshot.node_count() +
                                    work_of_entry * gang.groups.size());
}

// The search recurses once per group, with 0.92 KiB of stack. This leaves a third of a thread's 8 MiB.
constexpr std::size_t most_groups = 6'000;

// A refusal if the search would need more than its budget, or more stack, before it starts; else nullopt.
std::optional<Refusal> too_large(const Snapshot& snapshot, const Gang& gang, SearchBudget& budget) {
    SearchBudget after = budget;
    after.charge(table_size(snapshot, gang));
    if (!after.is_over() && gang.groups.size() <= most_groups) {
        return std::nullopt;
    }
    budget = after;
    Refusal refusal = unsearched(gang);
    refusal.steps = budget.used();
    return refusal;
}

Answer solve_alone(const Snapshot& snapshot, const Gang& gang, SearchBudget& budget) {
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
    if (std::optional<Refusal> refusal = too_large(snapshot, gang, budget)) {
        return std::move(*refusal);
    }
    SearchContext context(snapshot, snapshot.room, gang, budget);
    Feasibility feasibility = Feasibility::unknown;
    std::optional<Plan> plan;
    if (!needs_distribution(snapshot, gang, context.demand)) {
        feasibility = search(context);
        if (feasibility == Feasibility::fits) {
            if (std::optional<std::vector<Seat>> seats = finish(context)) {
                plan = plan_of(context, std::move(*seats));
            }
        }
    }
    // Tried if the search ended unknown, and if scopes can't express a rule of the gang, so that there was no search.
    if (feasibility == Feasibility::unknown && budget.left() > 0) {
        Distributed distributed = distribute(context);
        feasibility = distributed.feasibility;
        if (feasibility == Feasibility::fits) {
            plan = plan_of(context, std::move(distributed.seats));
        }
    }
    // The searches ignore required pod affinity (D14), and a distribution judges NUMA zones and devices one node at a
    // time. In both cases the referee decides.
    const bool needs_referee = context.demand.conflicts.exist() || context.demand.inside.exist();
    if (plan && (!needs_referee || is_sound(snapshot, gang, *plan, budget))) {
        return std::move(*plan);
    }
    if (feasibility == Feasibility::proved_not_to_fit && gang.affinity.is_exact && context.demand.inside.is_exact()) {
        return refuse_after_proof(context, budget);
    }
    Refusal refusal = explain(context, Reason::out_of_budget);
    refusal.steps = budget.used();
    return refusal;
}

std::size_t waiting_in(const Gang& gang) {
    return static_cast<std::size_t>(std::ranges::count_if(
        gang.members, [](const model::Member& member) { return member.state == model::Member::State::waiting; }));
}

// The seats of the gang's own members in the best plan with hypothetical members; nullopt: none was found. `demanded`:
// how many co-located gangs must get their minimum.
std::optional<Plan> solve_with_hypothetical(std::size_t demanded, const Snapshot& snapshot, const Gang& gang,
                                            SearchBudget& budget) {
    const HypotheticalGang extended = with_hypothetical_members(gang, demanded);
    const std::uint64_t before = budget.narrow(budget.left_in_total() / hypothetical_share);
    const Answer answer = solve_alone(snapshot, extended.gang, budget);
    budget.restore_limit(before);
    const Plan* found = std::get_if<Plan>(&answer);
    if (found == nullptr) {
        return std::nullopt;
    }
    Plan plan = without_hypothetical_members(gang, extended, *found);
    plan.message = message_of(snapshot, gang, demand_of(snapshot, gang), plan.seats);
    return is_sound(snapshot, gang, plan, budget) ? std::optional(std::move(plan)) : std::nullopt;
}

// A plan that leaves room for the minimums of as many co-located gangs as possible (Q3). Only gangs that wait for room
// alone count. Nullopt: there is room for none.
std::optional<Plan> solve_beside_minimums(const Snapshot& snapshot, const Gang& gang, SearchBudget& budget) {
    const auto waits = [](const model::CoLocatedGang& co_located) { return co_located.minimum > 0; };
    auto most = static_cast<std::size_t>(std::ranges::count_if(gang.co_located, waits));
    if (most == 0) {
        return std::nullopt;
    }
    std::optional<Plan> best = solve_with_hypothetical(most, snapshot, gang, budget);
    if (best) {
        return best;
    }
    for (std::size_t least = 1; least < most;) {  // `most` is too many.
        const std::size_t tried = (least + most) / 2;
        if (std::optional<Plan> plan = solve_with_hypothetical(tried, snapshot, gang, budget)) {
            best = std::move(plan);
            least = tried + 1;
        } else {
            most = tried;
        }
    }
    return best;
}

// Leaves out hypothetical members that would cost the gang a seat (M3). Exception: minimums of co-located gangs that
// wait for room alone come before the gang's extras (Q3).
Answer solve_beside_others(const Snapshot& snapshot, const Gang& gang, SearchBudget& budget) {
    if (!has_hypothetical_members(gang) || gang.problem) {
        return solve_alone(snapshot, gang, budget);
    }
    if (std::optional<Plan> with_minimums = solve_beside_minimums(snapshot, gang, budget)) {
        return std::move(*with_minimums);
    }
    std::optional<Plan> with_others = solve_with_hypothetical(0, snapshot, gang, budget);
    if (with_others && with_others->seats.size() == waiting_in(gang)) {
        return std::move(*with_others);
    }
    Answer alone = solve_alone(snapshot, gang, budget);
    const Plan* plan = std::get_if<Plan>(&alone);
    const bool costs_nothing = with_others && (plan == nullptr || with_others->seats.size() >= plan->seats.size());
    if (costs_nothing) {
        with_others->steps = budget.used();
        return std::move(*with_others);
    }
    return alone;
}

// Groups that share a NUMA zone go as one pod each: with all their members, or else with those of their minimum (NU3).
Answer solve_with_zone_groups(const Snapshot& snapshot, const Gang& gang, SearchBudget& budget) {
    if (gang.problem || !has_zone_groups(gang)) {
        return solve_beside_others(snapshot, gang, budget);
    }
    Answer answer;
    for (const Together together : {Together::all, Together::minimum}) {
        const ZoneGang joined = with_pods_of_groups(snapshot, gang, together);
        if (together == Together::minimum && !joined.leaves_out) {
            break;
        }
        answer = solve_beside_others(joined.snapshot, joined.gang, budget);
        const Plan* found = std::get_if<Plan>(&answer);
        if (found == nullptr) {
            auto& reason = std::get<Refusal>(answer).reason;
            reason = joined.is_exact ? reason : Reason::out_of_budget;
            continue;
        }
        Plan plan{.seats = seats_of_members(joined, *found), .message = {}, .steps = budget.used()};
        plan.message = message_of(snapshot, gang, demand_of(snapshot, gang), plan.seats);
        if (is_sound(snapshot, gang, plan, budget)) {
            return plan;
        }
        answer = unsearched(gang);  // A rule that counts pods: it can't be kept this way, or takes another choice.
    }
    Refusal& refusal = std::get<Refusal>(answer);
    refusal.sentence += "; a group in one NUMA zone counts as one seat";
    refusal.steps = budget.used();
    return answer;
}

}  // namespace

Answer solve(const Snapshot& snapshot, const Gang& gang, SolveOptions options) {
    SearchBudget budget(options.steps);
    if (!has_later_stages(gang) || gang.problem) {
        return solve_with_zone_groups(snapshot, gang, budget);
    }
    const auto solve_one = [&budget](const Snapshot& then, const Gang& stage) {
        return solve_with_zone_groups(then, stage, budget);
    };
    return solve_in_stages(snapshot, gang, solve_one, budget);
}

}  // namespace echelon::solver
