// After the commit record: bindings, what came of them, and only forward (rules B3, B4, R10).

#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr Time post_retry{200};        // After a failed binding; doubles up to 6.4 s.
constexpr Time refused_retry{10'000};  // Before a member whose binding was refused is woken; doubles up to 320 s.
constexpr std::uint32_t retry_doublings = 5;

}  // namespace

void Engine::State::post_bindings(GangState& gang) {
    // Facts may have changed while the record was written: what isn't sound any more is seated anew first (B5).
    if (gang.is_dirty() && !may_act())
        return;  // Nothing is planned while draining: who comes after us goes on.
    if (gang.is_dirty())
        plan_now(gang);
    if (gang.commit != GangState::Commit::committed || !leads)
        return;
    if (gang.refusal && gang.refusal->reason == model::Reason::invalid)
        return;  // What its groups ask for now can't be understood: who isn't on the way waits (I5, D11).
    const auto counts = arrived_counts(gang);
    if (!has_begun(gang) && !gang.quorum.is_met(counts)) {
        // Members were lost or left meanwhile and nobody is bound yet.
        return return_to_barrier(gang);
    }
    if (!has_begun(gang) && gang.epoch != gang.committed_epoch) {
        // Seated anew while the record was written: after a restart it would tell of seats that nobody took (I1).
        gang.barrier_stale = true;
        return return_to_barrier(gang);
    }
    if (!start_or_confirm_check(gang))
        return;
    // A group that isn't satisfied gets nobody bound (N4, X4), but one that has begun is only rolled forward.
    auto may_go = gang.quorum.satisfied(counts);
    const auto begun = groups_with_bindings(gang);
    std::ranges::transform(may_go, begun, may_go.begin(), [](auto a, auto b) -> std::uint8_t { return a | b; });
    for (auto& [uid, seat] : gang.seats) {
        if (seat.binding != SeatState::Binding::arrived || seat.leaf == model::nowhere || may_go[seat.leaf] == 0)
            continue;
        // Where only members count that wait, the record alone tells after a restart that they are of one commit.
        const bool needs_record =
            gang.quorum.minds_who_waits(seat.leaf) && gang.epoch != gang.committed_epoch && begun[seat.leaf] == 0;
        if (needs_record) {
            schedule_record(gang, Time{0});
        } else {
            post(gang, seat);
        }
    }
}

bool Engine::State::is_postable(const SeatState& seat) const {
    const auto* pod = cluster.pod(seat.pod.uid);
    return pod != nullptr && pod->node.empty() && !pod->deleting && !pod->is_finished() && cluster.has_node(seat.node);
}

void Engine::State::post(GangState& gang, SeatState& seat) {
    if (gang.commit != GangState::Commit::committed)
        return violated(Invariant::no_partial_gang, &gang, "a binding was about to be posted before the commit");
    if (!leads)
        return violated(Invariant::one_writer, &gang, "a binding was about to be posted by who doesn't lead");
    if (is_under_way(seat) && !seat.is_next_to_post) {
        return violated(Invariant::no_lost_bind, &gang,
                        "a binding was about to be posted again before it was known what became of the first");
    }
    // Mostly planning has seen to it; but nothing is planned while draining, and facts may come together with an
    // answer.
    if (!is_postable(seat)) {
        seat.binding = SeatState::Binding::idle;
        seat.deadline = never;
        seat.kick_at = now + post_retry;
        end_wait(seat, WaitResult::aborted);
        if (seat.call != 0) {
            answer(std::exchange(seat.call, 0), BindResult::rejected, texts::about(gang.root.name, texts::not_waiting));
        }
        return;
    }
    if (!cluster.is_ours(*cluster.pod(seat.pod.uid)))
        return violated(Invariant::isolation, &gang, "a pod of another scheduler was about to be bound");
    seat.binding = SeatState::Binding::posting;
    end_wait(seat, WaitResult::released);
    seat.retry_at = never;
    seat.is_next_to_post = false;
    std::string plan = fmt::format("{}.{}", gang.root.name, gang.epoch);
    std::ranges::replace(plan, '/', '.');
    write({WriteTarget::Purpose::bind, gang.root, seat.pod.uid}, model::BindPod{seat.pod, seat.node, std::move(plan)});
}

void Engine::State::retry_bindings(GangState& gang) {
    std::vector<std::string> unbound;
    for (auto& [uid, seat] : gang.seats) {
        if (seat.binding != SeatState::Binding::settling || seat.retry_at > now)
            continue;
        if (seat.is_next_to_post && !leads) {
            unbound.push_back(uid);
            continue;
        }
        seat.retry_at = never;
        if (seat.is_next_to_post) {
            post(gang, seat);
        } else {
            write({WriteTarget::Purpose::read, gang.root, uid}, model::ReadPod{seat.pod});
        }
    }
    for (const auto& uid : unbound)
        end_seat(gang, uid, std::string(texts::not_leading));  // The next leader has the word.
}

void Engine::State::on_bind_written(GangState& gang, SeatState& seat, const model::Outcome& outcome) {
    using Kind = model::Outcome::Kind;
    if (outcome.kind == Kind::done) {
        seat.binding = SeatState::Binding::posted;
        figures.add(&Stats::members_bound);
        if (seat.call != 0)
            answer(std::exchange(seat.call, 0), BindResult::ok, "");
        seat.deadline = never;
        schedule_record(gang, Time{500});
        gang.barrier_stale = true;
        see_stage(gang);
        return;
    }
    if (outcome.kind == Kind::rejected) {
        // Final for this attempt; the member may come again, kube-scheduler decides when.
        const auto pod = seat.pod.ns + "/" + seat.pod.name;
        outbox.note({.level = Note::Level::warning,
                     .gang = gang.root.name,
                     .sentence = fmt::format("binding of pod \"{}\" was refused: {}", pod, outcome.sentence),
                     .pod = pod,
                     .err = outcome.sentence});
        seat.binding = SeatState::Binding::idle;
        seat.deadline = never;
        seat.kick_at = now + refused_retry * (1U << std::min(seat.write_failures++, retry_doublings));
        if (seat.call != 0) {
            answer(std::exchange(seat.call, 0), BindResult::rejected,
                   texts::about(gang.root.name, "binding refused: " + outcome.sentence));
        }
        if (!has_begun(gang)) {
            // Not one of them: the gang backs off as a whole.
            return_to_barrier(gang);
            count_failed_barrier(gang);
        }
        return;
    }
    // Conflict, gone or unknown: read the pod before anything else (I4).
    seat.binding = SeatState::Binding::settling;
    const bool is_certain = outcome.kind == Kind::conflict || outcome.kind == Kind::gone;
    seat.retry_at = is_certain ? now : now + post_retry * (1U << std::min(seat.write_failures++, retry_doublings));
}

void Engine::State::on_member_read(GangState& gang, SeatState& seat, const model::Outcome& outcome) {
    using Kind = model::Outcome::Kind;
    const std::string uid = seat.pod.uid;
    if (outcome.kind == Kind::done && outcome.uid == uid && outcome.node == seat.node) {
        return on_bind_written(gang, seat, {});
    }
    if (outcome.kind == Kind::done && outcome.uid == uid && outcome.node.empty()) {
        // It didn't happen: post it again, at once the first time.
        seat.is_next_to_post = true;
        const auto failures = seat.write_failures++;
        seat.retry_at = failures == 0 ? now : now + post_retry * (1U << std::min(failures, retry_doublings));
        return;
    }
    if (outcome.kind == Kind::done || outcome.kind == Kind::gone) {
        // Another node, or another pod of that name: the watch will say so too; plan the rest around it.
        end_seat(gang, uid, "aborted, the pod was bound elsewhere or is gone");
        return mark(gang, false);
    }
    seat.retry_at = now + post_retry * (1U << std::min(seat.write_failures++, retry_doublings));
}

void Engine::State::on_member_bound(GangState& gang, const std::string& uid, const std::string& node) {
    touched.insert(gang.root);
    if (auto found = gang.seats.find(uid); found != gang.seats.end()) {
        if (found->second.binding != SeatState::Binding::posted)
            figures.add(&Stats::members_bound);
        if (found->second.call != 0)
            answer(found->second.call, BindResult::ok, "");
        end_wait(found->second, WaitResult::aborted);  // Somebody else bound it.
        gang.seats.erase(found);
    }
    if (const auto row = gang.row_of.find(uid); row != gang.row_of.end())
        gang.members[row->second].node = node;
    published.drop(gang.root, uid);
    if (gang.commit == GangState::Commit::none && gang.quorum.minds_who_waits())
        mark(gang, false);  // Somebody else bound it: it doesn't count any more where only those do that wait.
    gang.barrier_stale = true;
    see_stage(gang);
    schedule_record(gang, Time{500});
}

void Engine::State::finish_commit(GangState& gang) {
    record_completed_groups(gang);
    const bool is_complete = is_bound(gang);
    if (is_complete && !gang.was_bound) {
        gang.was_bound = true;
        gang.setbacks = 0;
        gang.holds_released = 0;
        if (const auto since = std::exchange(gang.seen_at, never); since != never && leads)
            figures.bound_after(now - since);
        note(Note::Level::info, &gang, "every minimum is bound");
        schedule_record(gang, Time{50});
    }
    if (gang.seats.empty() && gang.commit == GangState::Commit::committed && may_remove_gang(gang)) {
        gang.commit = GangState::Commit::none;
        gang.expires_at = never;
        gang.was_bound = true;  // Every minimum was, if not all at the same time.
        if (gang.quorum.minds_who_waits())
            mark(gang, false);  // Whoever still waits can't count on those that run now.
    }
    see_stage(gang);
}

}  // namespace echelon::engine
