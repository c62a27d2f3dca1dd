// The barrier: nobody's bind call passes before every minimum of the tree has arrived or is bound (rules B2, B3, R7,
// R8).

#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr std::uint32_t setbacks_allowed = 3;  // Barrier time-outs until a hold is given back (B8).
constexpr Time back_off{10'000};               // Then; doubles up to about five minutes.
constexpr std::uint32_t back_off_doublings = 5;

}  // namespace

void Engine::State::on_member_call(GangState& gang, const model::Pod& pod, const BindCalled& called) {
    if (gang.is_dirty() && (gang.not_before <= now || !gang.seats.empty()))
        plan_now(gang);  // But a gang that was set back too often waits its time (B8).
    touched.insert(gang.root);
    const auto fail = [&](std::string_view why) {
        answer(called.call, BindResult::rejected, texts::about(gang.root.name, why));
    };
    if (!leads)
        return fail("this echelon doesn't lead");
    if (plain.contains(pod.uid))
        return fail("an earlier binding of the pod isn't settled yet");
    auto found = gang.seats.find(pod.uid);
    if (found == gang.seats.end())
        return fail(texts::no_seat);
    auto& seat = found->second;
    if (seat.node != called.node) {
        return fail(fmt::format("its seat is on node \"{}\", not on \"{}\"", seat.node, called.node));
    }
    if (seat.binding == SeatState::Binding::posted)
        return answer(called.call, BindResult::ok, "");
    if (seat.call != 0)
        answer(seat.call, BindResult::error, texts::about(gang.root.name, "superseded by a newer call"));
    if (seat.binding == SeatState::Binding::idle && !make_room_at_barrier(gang, seat))
        return answer(called.call, BindResult::overload, texts::about(gang.root.name, texts::barrier_full));
    seat.call = called.call;
    seat.deadline = now + options.barrier_timeout;
    seat.kick_at = never;
    outbox.await(called.call, {gang.root, pod.uid});
    if (seat.binding != SeatState::Binding::idle)
        return;
    seat.binding = SeatState::Binding::arrived;
    seat.arrived_at = now;
    seat.retry_at = never;
    gang.barrier_stale = true;
}

// Its minimum can never be there at once.
std::optional<solver::Refusal> Engine::State::too_large_for_barrier(const GangState& gang) const {
    if (gang.members.size() <= options.barrier_room)
        return std::nullopt;
    const auto needed = gang.quorum.still_needed(bound_counts(gang));
    if (std::cmp_less_equal(needed, options.barrier_room))
        return std::nullopt;
    solver::Refusal refusal;
    refusal.reason = model::Reason::invalid;
    refusal.group = gang.root.name;
    refusal.sentence = fmt::format(
        "group \"{}\" needs {} members at the barrier at once, and it has room for {} (barrier.connections)",
        gang.root.name, needed, options.barrier_room);
    return refusal;
}

// Gangs that each fit could keep each other out for ever: the last in the queue leaves, and of one gang those whose
// group has enough. False: the one that comes has to.
bool Engine::State::make_room_at_barrier(GangState& gang, const SeatState& coming) {
    if (outbox.member_calls() < options.barrier_room || gang.commit != GangState::Commit::none)
        return true;
    const auto order = [](const GangState& one) { return std::tuple(-one.priority, one.created, one.root); };
    auto* last = &gang;
    for (const auto& [root, count] : outbox.calls_by_gang()) {
        auto* other = find_gang(root);
        if (other != nullptr && other->commit == GangState::Commit::none && order(*last) < order(*other))
            last = other;
    }
    const bool is_its_own = last == &gang;
    const auto counts = arrived_counts(gang);
    if (is_its_own && (coming.leaf == model::nowhere || !gang.quorum.is_short(coming.leaf, counts)))
        return false;
    bool has_room = false;
    for (auto& [uid, seat] : last->seats) {
        const bool may_stay =
            is_its_own && (seat.leaf == model::nowhere || has_room || !gang.quorum.has_extras(seat.leaf, counts));
        if (seat.call == 0 || seat.binding != SeatState::Binding::arrived || may_stay)
            continue;
        turn_away(seat, *last);
        has_room = true;
    }
    touched.insert(last->root);
    return has_room;
}

void Engine::State::turn_away(SeatState& seat, const GangState& gang) {
    answer(std::exchange(seat.call, 0), BindResult::overload, texts::about(gang.root.name, texts::barrier_full));
    seat.binding = SeatState::Binding::idle;
    seat.deadline = never;
    end_wait(seat, WaitResult::aborted);
    seat.kick_at = now + Time{5000};
}

void Engine::State::open_barrier_if_met(GangState& gang) {
    if (gang.commit == GangState::Commit::committed)
        return post_bindings(gang);
    if (gang.commit != GangState::Commit::none || gang.is_dirty() || !leads)
        return;
    if (gang.check_at != never)
        return;
    const bool has_arrived = std::ranges::any_of(
        gang.seats, [](const auto& entry) { return entry.second.binding == SeatState::Binding::arrived; });
    if (!has_arrived || !gang.quorum.is_met(arrived_counts(gang)))
        return;
    const bool counts_the_late = std::ranges::any_of(gang.seats, [this](const auto& entry) {
        const auto& seat = entry.second;
        return seat.binding == SeatState::Binding::arrived && (seat.call == 0 || seat.deadline <= now);
    });
    if (counts_the_late)
        return violated(Invariant::no_late_commit, &gang, "a member was about to be committed whose caller has gone");
    // The record comes first, the bindings after it; meanwhile the tree is read again (X2).
    gang.commit = GangState::Commit::recording;
    gang.record_is_commit = false;  // One that is still being written is of another commit.
    gang.record_at = now;
    reset_check(gang);
    static_cast<void>(start_or_confirm_check(gang));
    see_stage(gang);
    figures.add(&Stats::commits);
}

void Engine::State::check_deadlines(GangState& gang) {
    const bool is_over =
        std::ranges::any_of(gang.seats, [this](const auto& entry) { return entry.second.deadline <= now; });
    if (!is_over)
        return;
    const bool is_before_commit = gang.commit == GangState::Commit::none;
    for (auto& [uid, seat] : gang.seats) {
        if (seat.call == 0)
            seat.deadline = never;
        if (seat.call == 0 || (!is_before_commit && seat.deadline > now))
            continue;
        answer(std::exchange(seat.call, 0), BindResult::deadline, texts::about(gang.root.name, texts::barrier_timeout));
        seat.deadline = never;
        if (seat.binding != SeatState::Binding::arrived)
            continue;
        seat.binding = SeatState::Binding::idle;
        end_wait(seat, WaitResult::timeout);
        seat.kick_at = now + Time{5000};
    }
    if (!is_before_commit)
        return;
    figures.add(&Stats::barrier_timeouts);
    count_failed_barrier(gang);
}

void Engine::State::count_failed_barrier(GangState& gang) {
    if (++gang.setbacks < setbacks_allowed)
        return;
    gang.setbacks = 0;
    expire(gang);
}

void Engine::State::expire(GangState& gang) {
    gang.expires_at = never;
    std::vector<std::string> idle;
    for (const auto& [uid, seat] : gang.seats) {
        if (seat.binding == SeatState::Binding::idle)
            idle.push_back(uid);
    }
    if (gang.commit == GangState::Commit::none) {
        if (gang.seats.empty())
            return;
        note(Note::Level::warning, &gang, "its members didn't come to their seats in time; the hold is given back");
        release_hold(gang, "aborted, the hold has expired");
    } else if (may_remove_gang(gang)) {
        if (idle.empty()) {
            if (!gang.seats.empty())
                gang.expires_at = now + hold_lifetime(gang);
            return;
        }
        for (const auto& uid : idle)
            end_seat(gang, uid, "aborted, the hold has expired");
        finish_commit(gang);
    } else if (gang.refusal && needs_facts(gang.refusal->reason)) {
        // What is missing didn't come in time: whoever waits for it is planned again when it does (I7).
        fail_waiting_calls(gang);
        gang.expires_at = never;
        gang.barrier_stale = true;
        figures.add(&Stats::holds_expired);
        return schedule_record(gang, Time{100});
    } else {
        gang.expires_at = now + hold_lifetime(gang);  // Committed and below a minimum: only forward.
        return;
    }
    figures.add(&Stats::holds_expired);
    gang.not_before = now + back_off * (1U << std::min(gang.holds_released++, back_off_doublings));
    gang.due = gang.not_before;
    dirty.insert(gang.root);
    schedule_record(gang, Time{100});
}

Time Engine::State::hold_lifetime(const GangState& gang) const {
    return gang.timeout ? Time{std::chrono::seconds(*gang.timeout)} : options.hold_lifetime;
}

Quorum::Counts Engine::State::arrived_counts(const GangState& gang) const {
    auto counts = bound_counts(gang);
    for (const auto& [uid, seat] : gang.seats) {
        if (seat.binding == SeatState::Binding::idle || seat.binding == SeatState::Binding::posted)
            continue;
        if (seat.leaf != model::nowhere)
            ++counts[seat.leaf];
    }
    return counts;
}

Quorum::Counts Engine::State::bound_counts(const GangState& gang) const {
    auto counts = gang.quorum.finished();
    for (const auto& row : gang.members) {
        if (!row.node.empty() && row.leaf != model::nowhere)
            ++counts[row.leaf];
    }
    for (const auto& [uid, seat] : gang.seats) {
        if (seat.binding == SeatState::Binding::posted && seat.leaf != model::nowhere)
            ++counts[seat.leaf];
    }
    return counts;
}

bool Engine::State::is_bound(const GangState& gang) const {
    if (!gang.is_bound_known)
        gang.is_bound_known = is_bound_by(gang, bound_counts(gang));
    return *gang.is_bound_known;
}

// A group whose running members don't count holds the commit open until so many more are bound, needed or not: a
// restart goes on from the record of a commit alone.
bool Engine::State::is_bound_by(const GangState& gang, const Quorum::Counts& counts) const {
    if (!gang.quorum.stands(counts))
        return false;
    if (gang.commit == GangState::Commit::none || !gang.quorum.minds_who_waits())
        return true;
    const auto holds_open = [&](const auto& entry) {
        const auto& seat = entry.second;
        return seat.binding != SeatState::Binding::posted && seat.leaf != model::nowhere &&
               gang.quorum.minds_who_waits(seat.leaf) && gang.quorum.is_short(seat.leaf, counts);
    };
    return !is_partly_committed(gang, counts) && std::ranges::none_of(gang.seats, holds_open);
}

}  // namespace echelon::engine
