#include "engine/plan/gang_planner.hpp"

#include "engine/gang/member_queries.hpp"
#include "engine/texts.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

using State = model::Member::State;

}  // namespace

model::Gang GangPlanner::build(const GangState& gang, const model::Snapshot& snapshot) const {
    const auto& cluster = p_.facts.cluster;
    const auto elsewhere =
        cluster.depends_on_other_pods() ? p_.ledger.placed_by_others(gang.root()) : std::vector<model::ExpectedPod>{};
    const bool is_committing = gang.lifecycle.is_committing();
    auto built = cluster.gang(gang.root(), snapshot, elsewhere, is_committing ? &gang.roster.ran_before() : nullptr);
    p_.placeholders.leave_out(gang, built);
    return built;
}

bool GangPlanner::ignores_reservations(const GangState& gang, const model::Gang& built) {
    return is_partly_bound(gang, built);
}

void GangPlanner::plan(GangState& gang, model::Gang built, model::Snapshot& snapshot) {
    p_.queue.begin(gang);
    p_.tree.refresh(gang, built);
    gang.lifecycle.members_changed(gang.roster);
    const bool ignores_all = ignores_reservations(gang, built);
    const auto passes = [&](const DomainReservation& reservation) {
        return ignores_all || may_pass(p_.facts, built, reservation);
    };
    // Every hold is taken by now, so the gang's own seats in a reserved domain stay open to it.
    const auto closed = p_.reservations.closed_to(gang.root(), snapshot, passes);
    const auto reserved = closed.take_room(snapshot);
    const auto nominated = p_.room.take_nominated(snapshot, built.priority);
    const RefusedWhilePlanned refused(snapshot, p_.refused_nodes, gang.root());
    const OpenedHolds opened(snapshot, p_.ledger, gang.root());
    p_.tree.drop_vanished(gang, built, snapshot);
    p_.placeholders.take_over(gang, built, snapshot);
    const auto under_way = fix_under_way(gang, built, snapshot);
    decide(gang, built, closed, snapshot);
    gang.lifecycle.members_changed(gang.roster);
    gang.is_barrier_stale = true;
}

void GangPlanner::end_broken_seats(GangState& gang, model::Gang built, model::Snapshot& snapshot) {
    const RefusedWhilePlanned refused(snapshot, p_.refused_nodes, gang.root());
    const OpenedHolds opened(snapshot, p_.ledger, gang.root());
    p_.tree.drop_vanished(gang, built, snapshot);
    const auto under_way = fix_under_way(gang, built, snapshot);
    end_unsound(gang, built, snapshot);
    gang.lifecycle.members_changed(gang.roster);
}

void GangPlanner::end_unsound(GangState& gang, const model::Gang& built, model::Snapshot& snapshot) {
    end_all(gang, p_.search.unsound(gang, built, snapshot), snapshot);
}

void GangPlanner::begin_anew(GangState& gang, const model::Gang& built, bool has_begun) {
    if (!has_member_in(built, State::bound)) {
        if (gang.lifecycle.was_bound())
            gang.lifecycle.attempt_ended(gang.roster);  // All bound members are lost: a new attempt begins.
        if (has_member_in(built, State::waiting))
            p_.placeholders.begin_attempt(gang);
    }
    if (!has_begun && gang.lifecycle.is_committing() && (built.problem || gang.roster.seats().empty()))
        gang.lifecycle.commit_given_up(gang.roster);
}

void GangPlanner::end_all(GangState& gang, const std::vector<std::string>& uids, model::Snapshot& snapshot) {
    for (const auto& uid : uids)
        p_.tree.end_seat(gang, uid, texts::plan_changed, snapshot);
}

PlanSearch::Found GangPlanner::search(const GangState& gang, const model::Gang& built, const ClosedNodes& closed,
                                      model::Snapshot& snapshot) {
    p_.long_searches.begin(gang);
    auto found = p_.search.find(gang, built, snapshot);
    const auto* refusal = std::get_if<solver::Refusal>(&found.answer);
    if (found.is_open || refusal == nullptr || refusal->reason != model::Reason::no_room)
        return found;
    const auto yielding = p_.yielding_seats.below(built.priority, closed, snapshot);
    if (yielding.empty())
        return found;
    const auto opened = p_.yielding_seats.open(snapshot, yielding);
    auto with_yielding = p_.search.find(gang, built, snapshot);
    if (with_yielding.is_open)
        return with_yielding;
    const auto* plan = std::get_if<solver::Plan>(&with_yielding.answer);
    if (plan == nullptr)
        return found;
    p_.yielding_seats.end_on_nodes_of(*plan, snapshot, yielding);
    return with_yielding;
}

void GangPlanner::decide(GangState& gang, const model::Gang& built, const ClosedNodes& closed,
                         model::Snapshot& snapshot) {
    const bool has_begun = has_bound_by_commit(built, gang.roster.ran_before()) || gang.roster.counts().under_way() > 0;
    begin_anew(gang, built, has_begun);
    if (built.problem) {
        p_.long_searches.forget(gang.root());
        // A committed gang keeps its seats while it is Incomplete or Invalid, but not those that facts have broken
        // (B5).
        if (gang.lifecycle.is_committing())
            end_unsound(gang, built, snapshot);
        solver::Refusal refusal;
        refusal.reason = built.problem->reason;
        refusal.sentence = built.problem->sentence;
        return p_.outcome.refuse(gang, built, snapshot, std::move(refusal));
    }
    if (auto refusal = p_.barrier.too_large(gang); refusal && !has_begun)
        return p_.outcome.refuse(gang, built, snapshot, std::move(*refusal));
    if (!has_begun && p_.queue.put_off_search(gang))
        return;
    const auto& stopwatch = p_.facts.options.stopwatch;
    const auto begin = stopwatch ? stopwatch() : std::chrono::nanoseconds{0};
    if (p_.long_searches.takes(gang))
        end_unsound(gang, built, snapshot);  // The search is about the others, and its answer fits only them.
    auto found = search(gang, built, closed, snapshot);
    if (found.is_open)
        return p_.queue.await_search(gang);
    p_.long_searches.forget(gang.root());
    if (found.is_cut && p_.work.may_defer_long_search(gang)) {
        end_all(gang, found.unsound, snapshot);
        return p_.queue.defer_long_search(gang);
    }
    if (found.is_new && !has_begun)
        gang.lifecycle.commit_given_up(gang.roster);  // Nothing is bound yet: a new plan is as good.
    p_.queue.note_search(gang, found.is_cut ? PlanQueue::Search::cut : PlanQueue::Search::whole);
    auto* plan = std::get_if<solver::Plan>(&found.answer);
    const auto faults =
        plan != nullptr ? found_by_referee(snapshot, built, *plan, found.excused) : std::vector<solver::Violation>{};
    const auto result = count(found, faults.empty());
    if (stopwatch)
        p_.figures.solved(result, stopwatch() - begin + found.took_in_long_searches);
    if (plan == nullptr)
        return decide_without_plan(gang, built, closed, snapshot, std::move(found));
    if (!faults.empty())
        return p_.outcome.reject(gang, built, snapshot, faults.front());
    p_.outcome.hold(gang, built, snapshot, std::move(*plan));
    if (found.has_missed_room && gang.plan().has_unseated_members)
        p_.queue.retry(gang);
}

void GangPlanner::decide_without_plan(GangState& gang, const model::Gang& built, const ClosedNodes& closed,
                                      model::Snapshot& snapshot, PlanSearch::Found found) {
    if (keeps_cleared_seats(gang, built, snapshot) || goes_on_clearing(gang, built, snapshot))
        return;
    auto& refusal = std::get<solver::Refusal>(found.answer);
    end_all(gang, found.unsound, snapshot);
    auto choice = p_.preemptor.choose(gang, built, closed, snapshot, refusal);
    note_refused_nodes(gang, refusal);
    if (const auto reserved = closed.sentence(); !reserved.empty() && refusal.reason == model::Reason::no_room)
        refusal.sentence += "; " + reserved;
    if (!choice)
        return p_.outcome.refuse(gang, built, snapshot, std::move(refusal));
    if (choice->victims.empty())
        return p_.outcome.hold(gang, built, snapshot, std::move(choice->plan));
    p_.outcome.clear(gang, built, snapshot, choice->plan, std::move(choice->victims));
}

// A search may end at its budget, and then the victims would go for nobody (P5).
bool GangPlanner::keeps_cleared_seats(GangState& gang, const model::Gang& built, model::Snapshot& snapshot) {
    const bool is_clearing = gang.lifecycle.is_clearing();
    const bool has_cleared = gang.clearing().failures > 0 && !gang.roster.seats().empty();
    if (!is_clearing && (!has_cleared || gang.lifecycle.is_committing()))
        return false;
    auto plan = p_.search.present_seats(gang, built, snapshot);
    if (!plan)
        return false;
    p_.outcome.hold(gang, built, snapshot, std::move(*plan));
    if (is_clearing)
        p_.queue.retry(gang);  // Other members may find room, too.
    return true;
}

bool GangPlanner::goes_on_clearing(GangState& gang, const model::Gang& built, model::Snapshot& snapshot) {
    const auto plan = gang.lifecycle.is_clearing() ? plan_without_victims(gang, built, snapshot) : std::nullopt;
    if (plan)
        p_.outcome.go_on_clearing(gang, built, snapshot, *plan);
    return plan.has_value();
}

// Nodes that kube-scheduler refuses are closed for a time only, so nothing is proved about the gang in an empty
// cluster.
void GangPlanner::note_refused_nodes(const GangState& gang, solver::Refusal& refusal) const {
    const auto nodes = p_.refused_nodes.count(gang.root());
    if (nodes == 0 || !refusal.is_proved())
        return;
    refusal.reason = model::Reason::no_room;
    refusal.sentence +=
        fmt::format("; kube-scheduler's own filters refuse {} node{} to it", nodes, nodes == 1 ? "" : "s");
}

std::optional<solver::Plan> GangPlanner::plan_without_victims(const GangState& gang, const model::Gang& built,
                                                              model::Snapshot& snapshot) {
    if (!Clearings::is_unchanged(gang))
        return std::nullopt;
    const auto room = p_.clearings.open(snapshot, gang);
    const auto without = p_.clearings.without_victims(snapshot, gang, built);
    const auto& wanted = without ? *without : built;
    if (auto plan = p_.search.present_seats(gang, wanted, snapshot))
        return plan;
    auto found = p_.search.find(gang, wanted, snapshot);
    auto* plan = std::get_if<solver::Plan>(&found.answer);
    if (plan == nullptr || !found.unsound.empty())
        return std::nullopt;
    std::set<std::pair<std::string_view, std::string_view>> planned;
    for (const auto& seat : plan->seats)
        planned.emplace(built.members[seat.member].uid, snapshot.node_names[seat.node]);
    const bool keeps_all = std::ranges::all_of(
        gang.roster.seats(), [&](const auto& entry) { return planned.contains({entry.first, entry.second.node}); });
    return keeps_all ? std::optional(std::move(*plan)) : std::nullopt;
}

SolveResult GangPlanner::count(const PlanSearch::Found& found, bool is_sound) {
    if (const auto* refusal = std::get_if<solver::Refusal>(&found.answer)) {
        p_.figures.add(refusal->is_proved() ? &Stats::solves_infeasible : &Stats::solves_out_of_budget);
        return refusal->is_proved() ? SolveResult::infeasible : SolveResult::budget_exhausted;
    }
    p_.figures.add(is_sound ? &Stats::solves_placed : &Stats::plans_rejected_by_referee);
    return is_sound ? SolveResult::placed : SolveResult::stale;
}

}  // namespace echelon::engine
