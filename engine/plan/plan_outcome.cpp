#include "engine/plan/plan_outcome.hpp"

#include "base/shortened.hpp"
#include "engine/gang/member_queries.hpp"
#include "engine/preempt/clearing_domains.hpp"
#include "engine/texts.hpp"
#include "model/gang/member_names.hpp"
#include "solver/explain/outcome.hpp"
#include "solver/needed_seats.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

using State = model::Member::State;

// When only the numbers of a refusal have changed, its GangPlan may wait: each pod that goes may change those of every
// gang that waits. The second is for each group that is known, so that no more than ten such writes come in a second.
constexpr Time least_delay_of_numbers{60'000};
constexpr Time delay_of_numbers{100};

// Most gangs gather, are planned and bind within this time. Then no record shows the steps before the commit, each of
// which would cost the API server a write of the GangPlan and an event.
constexpr Time delay_of_steps{500};

struct WantedSeat {
    WantedSeat(const base::Text& pod, const base::Text& where)
        : beginning(base::leading_bytes(pod)), uid(pod), node(where) {}

    // By UID. Most differ in their first bytes, which are here and not elsewhere in memory.
    bool operator<(const WantedSeat& other) const {
        return beginning != other.beginning ? beginning < other.beginning : uid < other.uid;
    }

    std::uint64_t beginning;
    base::Text uid;
    base::Text node;
};

// Sorted.
std::vector<WantedSeat> wanted_seats(const model::Gang& built, const model::Snapshot& snapshot,
                                     const solver::Plan& plan) {
    std::vector<WantedSeat> wanted;
    wanted.reserve(plan.seats.size());
    for (const auto& seat : plan.seats) {
        if (const auto& member = built.members[seat.member]; !member.is_placeholder)
            wanted.emplace_back(member.uid, snapshot.node_names[seat.node]);
    }
    std::sort(wanted.begin(), wanted.end());
    return wanted;
}

// Drops the seats of members that came after the commit began. Returns how many.
std::size_t drop_late_seats(const Roster& roster, const model::Gang& built, const model::GangGroup& group,
                            solver::Plan& plan) {
    const auto members = std::span(built.members).subspan(group.first_member, group.last_member - group.first_member);
    const auto is_of_completed_group = [&](const model::Member& member) {
        return roster.is_of_completed_group(member.uid);
    };
    const bool is_complete = std::ranges::any_of(members, is_of_completed_group);
    const auto is_its = [&](const solver::Seat& seat) {
        return group.first_member <= seat.member && seat.member < group.last_member;
    };
    const auto is_new = [&](const solver::Seat& seat) {
        const auto& member = built.members[seat.member];
        return !member.is_placeholder &&
               (is_complete ? !is_of_completed_group(member) : roster.seat(member.uid) == nullptr);
    };
    auto there = std::ranges::count_if(plan.seats, [&](const auto& seat) { return is_its(seat) && !is_new(seat); });
    there += std::ranges::count_if(members, [](const model::Member& member) { return member.state != State::waiting; });
    if (!is_complete && there == group.earlier_members)
        return 0;  // This commit has bound no member of the group yet: all may come at once.
    return std::erase_if(plan.seats, [&](const auto& seat) {
        return is_its(seat) && is_new(seat) && (is_complete || ++there > group.minimum);
    });
}

// Members that are bound, about to be, or get a seat.
Quorum::Counts counts_with(const model::Gang& built, const solver::Plan& plan) {
    std::vector<std::uint8_t> is_there(built.members.size(), 0);
    for (std::size_t m = 0; m < built.members.size(); ++m)
        is_there[m] = built.members[m].state != State::waiting ? 1 : 0;
    for (const auto& seat : plan.seats)
        is_there[seat.member] = 1;
    Quorum::Counts counts(built.groups.size(), 0);
    for (std::size_t g = 0; g < built.groups.size(); ++g) {
        const auto& group = built.groups[g];
        for (auto m = group.first_member; group.is_leaf && m < group.last_member; ++m)
            counts[g] += is_there[m];
    }
    return counts;
}

}  // namespace

PlanOutcome::PlanOutcome(const PlanOutcomeParts& parts)
    : facts_(parts.facts),
      outbox_(parts.outbox),
      figures_(parts.figures),
      queue_(parts.queue),
      seating_(parts.seating),
      records_(parts.records),
      checker_(parts.checker),
      committer_(parts.committer),
      placeholders_(parts.placeholders),
      starvation_(parts.starvation),
      clearings_(parts.clearings) {}

// Without a record no seat is committed. The planning that follows the API server's answer says so.
std::optional<solver::Refusal> PlanOutcome::too_large(const GangState& gang, const model::Gang& built,
                                                      const solver::Plan& plan) {
    const auto is_bound = [](const model::Member& member) { return member.state == State::bound; };
    const auto seats = plan.seats.size() + static_cast<std::size_t>(std::ranges::count_if(built.members, is_bound));
    const auto too_many = gang.record().too_many_seats;
    if (too_many == 0 || seats < too_many)
        return std::nullopt;
    solver::Refusal refusal;
    refusal.reason = model::Reason::invalid;
    refusal.group = built.root.name;
    refusal.sentence = fmt::format("its GangPlan with {} seats is too large for the API server", seats);
    return refusal;
}

void PlanOutcome::hold(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot, solver::Plan plan) {
    if (auto refusal = too_large(gang, built, plan))
        return refuse(gang, built, snapshot, std::move(*refusal));
    if (gang.lifecycle.is_clearing())
        clearings_.complete(gang);
    if (auto refusal = exclude_new_members(gang, built, plan)) {
        reseat(gang, built, snapshot, plan);
        refuse(gang, built, snapshot, std::move(*refusal));
        gang.plan(Key<PlanOutcome>()).refusal->came_too_late = true;
        return committer_.finish(gang);
    }
    const bool extras_wait = put_off_extras(gang, built, snapshot, plan) > 0;
    reseat(gang, built, snapshot, plan);
    queue_.note_placed(gang);
    starvation_.reset(gang);
    clearings_.track_wait_for_ending_pods(gang, false);
    auto& state = gang.plan(Key<PlanOutcome>());
    state.refusal.reset();
    state.extras_wait_for_minimum = extras_wait;
    state.message = base::shortened(plan.message, facts_.options.limits.message_bytes);
    state.groups = solver::outcome(snapshot, built, plan);
    state.score = solver::score(snapshot, built, plan);
    std::vector<std::uint8_t> is_seated(built.members.size(), 0);
    for (const auto& seat : plan.seats)
        is_seated[seat.member] = 1;
    state.has_unseated_members = false;
    for (std::size_t m = 0; m < built.members.size(); ++m) {
        const auto& member = built.members[m];
        if (member.state == State::waiting && !member.is_placeholder && is_seated[m] == 0)
            state.has_unseated_members = true;
    }
    gang.verdicts.request_full_refresh();
    records_.schedule_write(gang, delay_of_steps);
    committer_.finish(gang);
}

void PlanOutcome::clear(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                        const solver::Plan& plan, std::vector<ClearingVictim> victims) {
    if (auto refusal = too_large(gang, built, plan))
        return refuse(gang, built, snapshot, std::move(*refusal));
    reseat(gang, built, snapshot, plan);
    queue_.note_placed(gang);
    clearings_.begin(gang, std::move(victims), domain_of(snapshot, built, plan));
    static_cast<void>(describe_clearing(gang, built, snapshot, plan));
    records_.schedule_write(gang, Time{0});
}

void PlanOutcome::go_on_clearing(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                                 const solver::Plan& plan) {
    if (auto refusal = too_large(gang, built, plan))
        return refuse(gang, built, snapshot, std::move(*refusal));
    queue_.note_placed(gang);
    placeholders_.hold(gang, built, snapshot, plan);  // The record of an earlier run has no seats of late members.
    clearings_.note_seats(gang);
    if (describe_clearing(gang, built, snapshot, plan))
        records_.schedule_write(gang, Time{100});
}

bool PlanOutcome::describe_clearing(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                                    const solver::Plan& plan) {
    auto& state = gang.plan(Key<PlanOutcome>());
    auto message = base::shortened(summary_of(gang.clearing().victims), facts_.options.limits.message_bytes);
    if (!state.refusal && state.message == message)
        return false;
    state.refusal.reset();
    state.message = std::move(message);
    state.groups = solver::outcome(snapshot, built, plan);
    state.has_unseated_members = true;  // Room may come before the victims go.
    gang.verdicts.request_full_refresh();
    return true;
}

void PlanOutcome::reseat(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                         const solver::Plan& plan) {
    const auto wanted = wanted_seats(built, snapshot, plan);
    std::vector<base::Text> ended;
    for (const auto& [uid, seat] : gang.roster.seats()) {
        const auto found = std::lower_bound(wanted.begin(), wanted.end(), WantedSeat(uid, {}));
        const bool stays = found != wanted.end() && found->uid == uid && found->node == seat.node;
        if (!stays && !is_under_way(seat))
            ended.push_back(uid);
    }
    for (const auto& uid : ended)
        seating_.end(gang, uid, texts::plan_changed);
    bool has_given = false;
    for (const auto& [beginning, uid, node] : wanted) {
        const auto* pod = facts_.cluster.pod(uid);
        if (pod == nullptr || gang.roster.seat(uid) != nullptr)
            continue;
        seating_.give(gang, *pod, node);
        has_given = true;
    }
    placeholders_.hold(gang, built, snapshot, plan);
    if (has_given || !ended.empty()) {
        records_.begin_epoch(gang);
        checker_.reset_check(gang);
        seating_.extend(gang);
    }
    if (gang.roster.seats().empty())
        seating_.clear_expiry(gang);
    if (has_given) {
        const auto count = gang.roster.seats().size();
        outbox_.note(Note::Level::info, gang.root(), fmt::format("holds {} seat{}", count, count == 1 ? "" : "s"));
    }
}

// For groups that count only waiting members. A member that arrives during a commit may only replace one that was lost
// before the group was complete. Other new members wait for the next commit (KP4).
std::optional<solver::Refusal> PlanOutcome::exclude_new_members(const GangState& gang, const model::Gang& built,
                                                                solver::Plan& plan) {
    if (!gang.lifecycle.is_committing())
        return std::nullopt;
    std::size_t late = 0;
    for (const auto& group : built.groups)
        late += group.counts_only_waiting ? drop_late_seats(gang.roster, built, group, plan) : 0;
    if (late == 0)
        return std::nullopt;
    auto sentence = fmt::format("{} of its pods came too late for the commit under way", late);
    if (Quorum(built).meets_declared_minimum(counts_with(built, plan))) {
        plan.message += (plan.message.empty() ? "" : "; ") + sentence;
        return std::nullopt;
    }
    solver::Refusal refusal;
    refusal.reason = model::Reason::incomplete;
    refusal.group = built.root.name;
    refusal.sentence = std::move(sentence) + ", which lacks other members";
    return refusal;
}

// A gang has begun while 0 < bound < minimum. Only what its minimum misses goes before other gangs (Q11). Groups that
// count only waiting members have rules of their own for extras (KP4). Once needed members did not come in time, extras
// may do instead.
std::size_t PlanOutcome::put_off_extras(const GangState& gang, const model::Gang& built,
                                        const model::Snapshot& snapshot, solver::Plan& plan) {
    if (!is_partly_bound(gang, built) || gang.roster.quorum().counts_only_waiting() || gang.hold().holds_released > 0)
        return 0;
    const auto has_seat = [&](const solver::Seat& seat) {
        const auto uid = model::uid_of(built, seat.member);
        return gang.roster.seat(uid) != nullptr || gang.hold().placeholders.contains(uid);
    };
    auto needed = solver::without_extras(snapshot, built, plan, has_seat);
    const auto count = plan.seats.size() - needed.seats.size();
    if (count == 0)
        return 0;
    plan = std::move(needed);
    plan.message = fmt::format("{} beyond the minimum {} until it is bound",
                               count == 1 ? "1 pod" : fmt::format("{} pods", count), count == 1 ? "waits" : "wait");
    return count;
}

bool PlanOutcome::take_turn_of_extras(GangState& gang) {
    const bool is_their_turn = gang.plan().extras_wait_for_minimum && gang.lifecycle.stage() == Stage::bound;
    if (is_their_turn)
        gang.plan(Key<PlanOutcome>()).extras_wait_for_minimum = false;
    return is_their_turn;
}

void PlanOutcome::refuse(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                         solver::Refusal refusal) {
    refusal.sentence = base::shortened(std::move(refusal.sentence), facts_.options.limits.message_bytes);
    if (gang.lifecycle.is_clearing())
        clearings_.give_up(gang, ClearingResult::changed, "the gang, or the room that it was to get, has changed");
    if (!gang.lifecycle.is_committing())
        seating_.release_hold(gang, "aborted, " + refusal.sentence);
    // It is proved that no plan contains the seats of the committed gang. Members that went there could break a level
    // (I5).
    if (refusal.reason == model::Reason::no_room || refusal.reason == model::Reason::impossible)
        seating_.end_unposted_seats(gang, texts::plan_changed);
    auto& state = gang.plan(Key<PlanOutcome>());
    const auto& before = state.refusal;
    const bool lacks_facts = needs_facts(refusal.reason);
    const bool is_same = before && before->reason == refusal.reason && before->group == refusal.group &&
                         before->level == refusal.level && !lacks_facts;
    if (lacks_facts && !(before && needs_facts(before->reason)) && !gang.roster.seats().empty())
        seating_.extend(gang);  // The seats of a committed gang wait this long for the facts.
    if (!is_same) {
        if (!before || before->reason != refusal.reason) {
            outbox_.note(Note::Level::info, gang.root(),
                         fmt::format("{}: {}", model::to_string(refusal.reason), refusal.sentence));
        }
        state.refusal = RefusalState{refusal.reason, refusal.group, refusal.level, refusal.sentence, {}};
        gang.verdicts.request_full_refresh();
    }
    const bool has_new_numbers = state.refusal->newest() != refusal.sentence;
    state.refusal->latest = state.refusal->sentence == refusal.sentence ? std::string() : refusal.sentence;
    starvation_.note_refused(gang, built, snapshot, refusal);
    queue_.note_refused(gang, refusal.reason);
    state.message.clear();
    state.has_unseated_members = !lacks_facts;
    state.groups = solver::outcome(snapshot, built, {});
    const auto numbers_wait =
        std::max(least_delay_of_numbers, delay_of_numbers * static_cast<std::int64_t>(facts_.cluster.group_count()));
    const auto first_wait = lacks_facts ? delay_of_steps : Time{100};
    records_.schedule_write(gang, has_new_numbers ? numbers_wait : first_wait);
}

void PlanOutcome::reject(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                         const solver::Violation& fault) {
    figures_.violated(broken_by(fault.kind), gang.root(),
                      fmt::format("the referee rejects the plan: {}", fault.sentence));
    solver::Refusal refusal;
    refusal.reason = model::Reason::out_of_budget;
    refusal.group = built.root.name;
    refusal.sentence = "no plan that keeps every rule was found";
    refuse(gang, built, snapshot, std::move(refusal));
}

void PlanOutcome::forget_message(GangState& gang) {
    gang.plan(Key<PlanOutcome>()).message.clear();
}

}  // namespace echelon::engine
