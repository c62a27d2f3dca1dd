// From dirty to held or refused: which gangs are planned, in which order, and what becomes of the seats they had.

#include "base/shortened.hpp"
#include "engine/gang/standing.hpp"
#include "engine/keeping.hpp"
#include "engine/state.hpp"
#include "engine/texts.hpp"
#include "solver/explain/outcome.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

// Of how many members of the group the plan has lost the seats.
std::size_t keep_out(const GangState& gang, const model::Gang& facts, const model::GangGroup& group,
                     solver::Plan& plan) {
    const auto members = std::span(facts.members).subspan(group.first_member, group.last_member - group.first_member);
    const auto came_in_time = [&](const model::Member& member) { return gang.came_in_time.contains(member.uid); };
    const bool is_complete = std::ranges::any_of(members, came_in_time);
    const auto is_its = [&](const solver::Seat& seat) {
        return group.first_member <= seat.member && seat.member < group.last_member;
    };
    const auto is_new = [&](const solver::Seat& seat) {
        const auto& member = facts.members[seat.member];
        return !member.is_placeholder && (is_complete ? !came_in_time(member) : !gang.seats.contains(member.uid));
    };
    auto there = std::ranges::count_if(plan.seats, [&](const auto& seat) { return is_its(seat) && !is_new(seat); });
    there += std::ranges::count_if(
        members, [](const model::Member& member) { return member.state != model::Member::State::waiting; });
    if (!is_complete && there == group.standing)
        return 0;  // None of it is bound by this commit: they come all at once.
    return std::erase_if(plan.seats, [&](const auto& seat) {
        return is_its(seat) && is_new(seat) && (is_complete || ++there > group.minimum);
    });
}

}  // namespace

model::Snapshot Engine::State::planning_snapshot() {
    work(work_of_snapshot());
    auto snapshot = cluster.snapshot();
    ledger.apply(snapshot);
    refused_nodes.close(snapshot);
    return snapshot;
}

// What their records promise is taken before any gang is planned, and all of it in one step: filter would refuse the
// members of those that are left.
void Engine::State::adopt_dirty() {
    for (const auto& root : dirty)
        adopt(gangs.at(root));
}

void Engine::State::plan_due() {
    if (!may_act() || is_planning_over())
        return;
    resolve_topology();
    if (!is_any_due())
        return;
    adopt_dirty();
    const auto queue = queue_of_due();
    auto snapshot = planning_snapshot();
    for (auto* gang : queue.due) {
        rank(*gang);  // Planning another one may have changed it.
        // A more important gang that is complete but still settles isn't overtaken; it settles within a bound.
        if (const Time wait = waits_until(*gang, queue, snapshot); wait > now && gang->seats.empty()) {
            gang->due = wait;
            touched.insert(gang->root);
            continue;
        }
        // A long search gets its own step.
        if (planned > 0 && (has_worked_enough() || (gang->hard_until && options.step_work > 0)))
            break;
        ++planned;
        work(2 + gang->members.size() / 2);
        plan(*gang, build(*gang, snapshot), snapshot);
    }
    is_planning_done = planned > 0 && options.step_work > 0 && is_any_due();
}

void Engine::State::plan_now(GangState& gang) {
    if (!may_act())
        return;
    adopt(gang);
    adopt_dirty();
    if (options.step_work > 0)
        gang.hard_until = now;  // Somebody waits for the answer: one search, with the whole budget.
    auto snapshot = planning_snapshot();
    plan(gang, build(gang, snapshot), snapshot);
}

void Engine::State::plan(GangState& gang, const model::Gang& built, model::Snapshot& snapshot) {
    gang.due = never;
    gang.first_unplanned_arrival = never;
    gang.rank.reset();
    dirty.erase(gang.root);
    touched.insert(gang.root);
    look(gang, built);
    see_stage(gang);
    const bool finishes =
        has_bound_by_commit(built, gang.ran_before) && !is_bound(gang);  // Claims don't hinder what has begun (B6).
    const auto may_use = [&](Time until) { return finishes || ends_by(built, until); };
    const auto claimed = claims.withhold_capacity(snapshot, gang.root, may_use);
    const auto nominated = take_nominated(snapshot, built.priority);
    ledger.give_back(snapshot, gang.root);
    drop_vanished(gang, built);
    fill_placeholders(gang, built, snapshot);
    model::Gang facts = built;
    const auto under_way = fix_under_way(gang, facts, snapshot);
    decide(gang, facts, snapshot);
    see_stage(gang);
    gang.barrier_stale = true;
    for (const auto& uid : under_way) {
        const auto* claim = ledger.find(uid);
        if (claim == nullptr)
            continue;
        if (const auto node = snapshot.node(claim->node))
            shift_room(snapshot, *node, claim->requests, 1);
    }
    ledger.apply_owner(snapshot, gang.root);
    DomainReservations::give_back(snapshot, nominated);
    DomainReservations::give_back(snapshot, claimed);
}

Engine::State::Found Engine::State::answer_for(GangState& gang, const model::Gang& facts, model::Snapshot& snapshot,
                                               bool has_begun) {
    const auto is_refused = [this](const auto& uid, const auto& node) { return is_refused_only(uid, node); };
    Found found;
    const auto budget = budget_for(gang);
    const auto solve = [&](const model::Gang& wanted) {
        found.answer = solver::solve(snapshot, wanted, budget);
        const auto* refusal = std::get_if<solver::Refusal>(&found.answer);
        const auto steps = refusal != nullptr ? refusal->steps : std::get<solver::Plan>(found.answer).steps;
        work(steps);
        found.is_cut = found.is_cut || steps >= budget.steps;
    };
    // A plan around seats that stay, which must not break a promise: a group that lost members is no longer satisfied
    // by the seats that are left (N4).
    const auto build_on = [&](const Kept& kept) {
        found.excused = kept.excused;
        solve(kept.fixed);
        give_back(snapshot, facts, kept.plan);
        auto* plan = std::get_if<solver::Plan>(&found.answer);
        if (plan == nullptr || kept.plan.seats.empty())
            return plan != nullptr;
        plan->seats.insert(plan->seats.end(), kept.plan.seats.begin(), kept.plan.seats.end());
        std::ranges::sort(plan->seats);
        return judged(snapshot, facts, *plan, kept.excused).empty();
    };
    auto kept = keep_valid_seats(gang, facts, snapshot, false, is_refused);
    found.unsound = kept.unsound;
    // Committed, or all seats sound: the rest is planned around what stands, in the domains that it pins.
    if (gang.commit != GangState::Commit::none || found.unsound.empty()) {
        if (!gang.previous_nodes.empty()) {
            if (return_to_old_places(gang, kept, facts, snapshot) && build_on(kept))
                return found;
            if (kept.returned_to_previous_node)
                kept = keep_valid_seats(gang, facts, snapshot, false, is_refused);
        }
        if (build_on(kept) || (gang.seats.empty() && gang.placeholders.empty()))
            return found;
    } else {
        give_back(snapshot, facts, kept.plan);
    }
    if (std::ranges::any_of(gang.seats, [](const auto& entry) { return is_at_barrier(entry.second); })) {
        // Members at the barrier stay where they are, if a whole plan can be had around them.
        if (build_on(keep_valid_seats(gang, facts, snapshot, true, is_refused)))
            return found;
    }
    if (!has_begun)
        gang.commit = GangState::Commit::none;  // A new plan is as good as the old one.
    found.excused.clear();
    solve(facts);
    return found;
}

// A committed gang keeps its seats while it is Incomplete or Invalid, but not those that facts have broken (B5).
void Engine::State::end_invalid_seats(GangState& gang, const model::Gang& facts, model::Snapshot& snapshot) {
    const auto is_refused = [this](const auto& uid, const auto& node) { return is_refused_only(uid, node); };
    const auto kept = keep_valid_seats(gang, facts, snapshot, false, is_refused);
    give_back(snapshot, facts, kept.plan);
    for (const auto& uid : kept.unsound)
        end_seat(gang, uid, std::string(texts::plan_changed));
}

void Engine::State::decide(GangState& gang, const model::Gang& facts, model::Snapshot& snapshot) {
    const auto goes = [](const auto& entry) { return is_under_way(entry.second); };
    const bool has_begun = has_bound_by_commit(facts, gang.ran_before) || std::ranges::any_of(gang.seats, goes);
    if (!has_member_in(facts, model::Member::State::bound)) {
        gang.was_bound = false;  // Another attempt, or all are lost: it begins anew.
        if (has_member_in(facts, model::Member::State::waiting)) {
            gang.have_placeholders_expired = false;
            gang.placeholders_until = never;
        }
    }
    if (!has_begun && (facts.problem || gang.seats.empty()))
        gang.commit = GangState::Commit::none;
    if (facts.problem) {
        if (gang.commit != GangState::Commit::none)
            end_invalid_seats(gang, facts, snapshot);
        solver::Refusal refusal;
        refusal.reason = facts.problem->reason;
        refusal.sentence = facts.problem->sentence;
        return refuse(gang, facts, snapshot, std::move(refusal));
    }
    if (auto refusal = too_large_for_barrier(gang); refusal && !has_begun)
        return refuse(gang, facts, snapshot, std::move(*refusal));
    const auto begin = options.stopwatch ? options.stopwatch() : std::chrono::nanoseconds{0};
    const auto took = [&](SolveResult result) {
        if (options.stopwatch)
            figures.solved(result, options.stopwatch() - begin);
    };
    auto found = answer_for(gang, facts, snapshot, has_begun);
    if (found.is_cut && may_put_off(gang))
        return put_off(gang);
    const bool is_hard = found.is_cut && gang.hard_until.has_value();
    gang.hard_until = is_hard ? gang.hard_until : std::nullopt;
    auto& answer = found.answer;
    if (auto* refusal = std::get_if<solver::Refusal>(&answer)) {
        figures.add(refusal->is_proved() ? &Stats::solves_infeasible : &Stats::solves_out_of_budget);
        took(refusal->is_proved() ? SolveResult::infeasible : SolveResult::budget_exhausted);
        for (const auto& uid : found.unsound)
            end_seat(gang, uid, std::string(texts::plan_changed));
        return refuse(gang, facts, snapshot, std::move(*refusal));
    }
    auto& plan = std::get<solver::Plan>(answer);
    if (const auto faults = judged(snapshot, facts, plan, found.excused); !faults.empty()) {
        figures.add(&Stats::plans_rejected_by_referee);
        took(SolveResult::stale);
        violated(broken_by(faults.front()), &gang, fmt::format("the referee rejects the plan: {}", faults.front()));
        solver::Refusal refusal;
        refusal.reason = model::Reason::out_of_budget;
        refusal.group = facts.root.name;
        refusal.sentence = "no plan that holds every promise was found";
        return refuse(gang, facts, snapshot, std::move(refusal));
    }
    figures.add(&Stats::solves_placed);
    took(SolveResult::placed);
    exclude_new_members(gang, facts, plan);
    hold(gang, facts, snapshot, plan);
}

// Where only members count that wait, whoever comes in the middle of a commit may only take the place of one that was
// lost before the group was complete: the others wait for so many more (KP4).
void Engine::State::exclude_new_members(const GangState& gang, const model::Gang& facts, solver::Plan& plan) {
    if (gang.commit == GangState::Commit::none)
        return;
    std::size_t late = 0;
    for (const auto& group : facts.groups)
        late += group.only_waiting ? keep_out(gang, facts, group, plan) : 0;
    if (late == 0)
        return;
    plan.message += plan.message.empty() ? "" : "; ";
    plan.message += fmt::format("{} of its pods came too late for the commit under way", late);
}

void Engine::State::hold(GangState& gang, const model::Gang& built, model::Snapshot& snapshot,
                         const solver::Plan& plan) {
    std::map<std::string, std::pair<std::uint32_t, std::string>> wanted;  // UID -> (member, node name).
    for (const auto& seat : plan.seats) {
        wanted.emplace(built.members[seat.member].uid, std::pair(seat.member, snapshot.node_names[seat.node]));
    }
    bool has_changed = false;
    std::vector<std::string> ended;
    for (const auto& [uid, seat] : gang.seats) {
        auto found = wanted.find(uid);
        const bool stays = found != wanted.end() && found->second.second == seat.node;
        if (!stays && !is_under_way(seat))
            ended.push_back(uid);
    }
    for (const auto& uid : ended)
        end_seat(gang, uid, std::string(texts::plan_changed));
    for (const auto& [uid, target] : wanted) {
        const auto& [member, node] = target;
        const auto* pod = cluster.pod(uid);
        if (pod == nullptr || gang.seats.contains(uid))
            continue;
        give_seat(gang, *pod, node);
        has_changed = true;
    }
    hold_placeholders(gang, built, snapshot, plan);
    if (has_changed || !ended.empty()) {
        ++gang.epoch;
        reset_check(gang);
        gang.expires_at = now + hold_lifetime(gang);
    }
    if (gang.seats.empty())
        gang.expires_at = never;
    if (has_changed)
        note(Note::Level::info, &gang, fmt::format("holds {} seats", gang.seats.size()));
    gang.refusal.reset();
    gang.refusals = 0;
    reset_starvation(gang);
    gang.message = base::shortened(plan.message, options.limits.message_bytes);
    gang.groups = solver::outcome(snapshot, built, plan);
    gang.score = solver::score(snapshot, built, plan);
    gang.has_unseated_members = std::ranges::any_of(built.members, [&](const model::Member& member) {
        const bool waits = member.state == model::Member::State::waiting && !member.is_placeholder;
        return waits && !wanted.contains(member.uid);
    });
    gang.answers_stale = true;
    schedule_record(gang, Time{100});
    finish_commit(gang);
}

}  // namespace echelon::engine
