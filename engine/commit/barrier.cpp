#include "engine/commit/barrier.hpp"

#include "engine/texts.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

using Binding = SeatState::Binding;

constexpr Time first_back_off{10'000};  // After a hold was released; doubles up to about five minutes.
constexpr std::uint32_t back_off_doublings = 5;
constexpr Time kick_delay{5000};  // Before a member whose call failed is woken.

}  // namespace

Barrier::Barrier(const Facts& facts, Gangs& gangs, Outbox& outbox, Figures& figures, Seating& seating, PlanQueue& queue,
                 PlanRecords& records, Committer& committer, Wakeups& wakeups)
    : facts_(facts),
      gangs_(gangs),
      outbox_(outbox),
      figures_(figures),
      seating_(seating),
      queue_(queue),
      records_(records),
      committer_(committer),
      wakeups_(wakeups) {}

void Barrier::on_call(GangState& gang, const model::Pod& pod, const BindCalled& called) {
    const auto fail = [&](std::string_view why) {
        outbox_.answer(called.call, BindResult::rejected, texts::about(gang.root().name, why));
    };
    const auto* seat = gang.roster.seat(pod.uid);
    if (seat == nullptr)
        return fail(texts::no_seat);
    if (seat->node != called.node)
        return fail(fmt::format("its seat is on node \"{}\", not on \"{}\"", seat->node, called.node));
    if (seat->binding == Binding::posted)
        return outbox_.answer(called.call, BindResult::ok, "");
    if (seat->call != 0) {
        outbox_.answer(seat->call, BindResult::error, texts::about(gang.root().name, "superseded by a newer call"));
    }
    const bool arrives = seat->binding == Binding::idle;
    if (arrives && !make_room(gang, *seat)) {
        return outbox_.answer(called.call, BindResult::overload, texts::about(gang.root().name, texts::barrier_full));
    }
    outbox_.await(called.call, {gang.root(), pod.uid});
    gang.roster.change(pod.uid, [&](SeatState& changed) {
        changed.call = called.call;
        changed.deadline = facts_.now + facts_.options.barrier_timeout;
        changed.kick_at = never;
        if (!arrives)
            return;
        changed.binding = Binding::arrived;
        changed.arrived_at = facts_.now;
        changed.retry_at = never;
    });
    gang.is_barrier_stale = gang.is_barrier_stale || arrives;
}

std::optional<solver::Refusal> Barrier::too_large(const GangState& gang) const {
    const auto room = facts_.options.barrier_room;
    if (gang.roster.members().size() <= room)
        return std::nullopt;
    const auto needed = gang.roster.quorum().still_needed(gang.roster.counts().bound());
    if (std::cmp_less_equal(needed, room))
        return std::nullopt;
    solver::Refusal refusal;
    refusal.reason = model::Reason::invalid;
    refusal.group = gang.root().name;
    refusal.sentence = fmt::format(
        "group \"{}\" needs {} members at the barrier at once, and it has room for {} (barrier.connections)",
        gang.root().name, needed, room);
    return refusal;
}

// The last in queue order of two kinds: this gang, and uncommitted gangs with members at the barrier.
GangState& Barrier::last_before_commit(GangState& gang) {
    const auto order = [](const GangState& one) {
        return std::tuple(-one.tree().priority, one.tree().created, one.root().by_name());
    };
    auto* last = &gang;
    for (const auto& [root, count] : outbox_.calls_by_gang()) {
        auto* other = gangs_.find(root);
        if (other != nullptr && !other->lifecycle.is_committing() && order(*last) < order(*other))
            last = other;
    }
    return *last;
}

// Two gangs could fill the barrier by halves and wait for each other for ever. So the calls of the gang that is last in
// the queue fail. If that is the arriving gang itself, only calls of members that their group doesn't need fail.
bool Barrier::make_room(GangState& gang, const SeatState& coming) {
    if (outbox_.member_calls() < facts_.options.barrier_room || gang.lifecycle.is_committing())
        return true;
    auto& last = last_before_commit(gang);
    const bool is_its_own = &last == &gang;
    const auto counts = gang.roster.counts().arrived();
    const auto& quorum = gang.roster.quorum();
    if (is_its_own && (coming.leaf == model::nowhere || !quorum.is_short(coming.leaf, counts)))
        return false;
    bool has_room = false;
    for (const auto& [uid, seat] : last.roster.seats()) {
        const bool may_stay =
            is_its_own && (seat.leaf == model::nowhere || has_room || !quorum.has_extras(seat.leaf, counts));
        if (seat.call == 0 || seat.binding != Binding::arrived || may_stay)
            continue;
        seating_.fail_call(
            last, uid,
            {.result = BindResult::overload, .why = texts::barrier_full, .kick_at = facts_.now + kick_delay});
        has_room = true;
    }
    wakeups_.touch(last.root());
    return has_room;
}

void Barrier::on_caller_gone(GangState& gang, const base::Text& uid) {
    gang.roster.change(uid, [&](SeatState& seat) {
        seat.call = 0;
        seat.deadline = never;
        if (seat.binding != Binding::arrived)
            return;
        seat.binding = Binding::idle;  // Withdrawn (I6).
        seating_.end_wait(seat, WaitResult::client_gone);
        seat.kick_at = facts_.now + kick_delay;
    });
}

void Barrier::open_if_met(GangState& gang) {
    auto& roster = gang.roster;
    const bool may_open = !gang.lifecycle.is_committing() && !gang.lifecycle.is_faulted() && !gang.is_dirty() &&
                          facts_.leads && gang.check().retry_at == never;
    if (!may_open || roster.counts().at_barrier() == 0 || !roster.quorum().is_met(roster.counts().arrived()))
        return;
    const bool counts_the_late = std::ranges::any_of(roster.seats(), [this](const auto& entry) {
        const auto& seat = entry.second;
        return seat.binding == Binding::arrived && (seat.call == 0 || seat.deadline <= facts_.now);
    });
    if (counts_the_late) {
        return figures_.violated(Invariant::no_late_commit, gang.root(),
                                 "a member without a waiting call was about to be committed");
    }
    committer_.begin(gang);
}

void Barrier::check_deadlines(GangState& gang) {
    if (gang.roster.times().next_deadline() > facts_.now)
        return;
    const bool is_before_commit = !gang.lifecycle.is_committing();
    std::vector<base::Text> ended = gang.roster.times().overdue(facts_.now);
    if (is_before_commit) {
        ended.clear();
        for (const auto& [uid, seat] : gang.roster.seats()) {
            if (seat.call != 0)
                ended.push_back(uid);
        }
    }
    for (const auto& uid : ended) {
        std::uint64_t call = 0;
        auto why = texts::outcome_unknown;
        gang.roster.change(uid, [&](SeatState& seat) {
            call = std::exchange(seat.call, 0);
            seat.deadline = never;
            if (call == 0 || seat.binding != Binding::arrived)
                return;
            why = texts::barrier_timeout;
            seat.binding = Binding::idle;
            seating_.end_wait(seat, WaitResult::timeout);
            seat.kick_at = facts_.now + kick_delay;
        });
        if (call != 0)
            outbox_.answer(call, BindResult::deadline, texts::about(gang.root().name, why));
    }
    if (!is_before_commit)
        return;
    figures_.add(&Stats::barrier_timeouts);
    count_failed_barrier(gang);
}

void Barrier::count_failed_barrier(GangState& gang) {
    if (seating_.count_setback(gang))
        expire(gang);
}

void Barrier::expire(GangState& gang) {
    const auto& seats = gang.roster.seats();
    seating_.clear_expiry(gang);
    if (!gang.lifecycle.is_committing()) {
        if (seats.empty())
            return;
        outbox_.note(Note::Level::warning, gang.root(),
                     "its members' bind calls didn't come in time; the hold is released");
        seating_.release_hold(gang, "aborted, the hold has expired");
        return back_off(gang);
    }
    if (gang.roster.may_end_commit()) {
        std::vector<base::Text> idle;
        for (const auto& [uid, seat] : seats) {
            if (seat.binding == Binding::idle)
                idle.push_back(uid);
        }
        if (idle.empty()) {
            if (!seats.empty())
                seating_.extend(gang);
            return;
        }
        for (const auto& uid : idle)
            seating_.end(gang, uid, "aborted, the hold has expired");
        committer_.finish(gang);
        return back_off(gang);
    }
    if (!gang.plan().refusal || !needs_facts(gang.plan().refusal->reason)) {
        if (gang.plan().extras_wait_for_minimum) {  // Needed members didn't come: extras may do instead.
            static_cast<void>(seating_.count_released_hold(gang));
            queue_.mark(gang);
        }
        return seating_.extend(gang);  // A committed gang below a minimum only rolls forward.
    }
    // The missing objects didn't come in time. Waiting members are planned again once the objects come (I7).
    seating_.end_unposted_seats(gang, texts::plan_changed);
    queue_.mark(gang);  // Without seats these members may have others follow them (H5).
    gang.is_barrier_stale = true;
    figures_.add(&Stats::holds_expired);
    records_.schedule_write(gang, Time{100});
}

void Barrier::back_off(GangState& gang) {
    figures_.add(&Stats::holds_expired);
    const auto holds_released = std::min(seating_.count_released_hold(gang), back_off_doublings);
    queue_.hold_off(gang, facts_.now + first_back_off * (1U << holds_released));
    records_.schedule_write(gang, Time{100});
}

void Barrier::drain(GangState& gang) {
    if (gang.lifecycle.is_committing())
        return;
    for (const auto& [uid, seat] : gang.roster.seats()) {
        if (seat.call != 0)
            seating_.fail_call(gang, uid, {.why = texts::shutting_down});
    }
}

}  // namespace echelon::engine
