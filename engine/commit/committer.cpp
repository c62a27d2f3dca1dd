#include "engine/commit/committer.hpp"

#include "engine/texts.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

using Binding = SeatState::Binding;

constexpr Time post_retry{200};        // After a failed binding; doubles up to 6.4 s.
constexpr Time refused_retry{10'000};  // Before a member whose binding was refused is woken; doubles up to 320 s.
constexpr std::uint32_t retry_doublings = 5;

Time doubled(Time first, std::uint32_t failures) {
    return first * (1U << std::min(failures, retry_doublings));
}

}  // namespace

Committer::Committer(const Facts& facts, Outbox& outbox, Figures& figures, Seating& seating, PlanQueue& queue,
                     PlanRecords& records, TreeChecker& checker)
    : facts_(facts),
      outbox_(outbox),
      figures_(figures),
      seating_(seating),
      queue_(queue),
      records_(records),
      checker_(checker) {}

void Committer::begin(GangState& gang) {
    // The record comes first, the bindings after it. Meanwhile the tree is read again (X2).
    gang.lifecycle.quorum_arrived(gang.roster);
    records_.schedule_commit_record(gang);
    checker_.reset_check(gang);
    static_cast<void>(checker_.start_or_confirm_check(gang));
    figures_.add(&Stats::commits);
}

void Committer::post_bindings(GangState& gang) {
    auto& roster = gang.roster;
    if (!gang.lifecycle.is_committed() || gang.lifecycle.is_faulted() || !facts_.leads)
        return;
    if (gang.plan().refusal && gang.plan().refusal->reason == model::Reason::invalid)
        return;  // The groups now ask for something invalid: members without a binding in flight wait (I5, D11).
    if (!roster.counts().has_begun() && !roster.quorum().is_met(roster.counts().arrived())) {
        // Members were lost, or their callers left, while the record was written. No member is bound yet.
        return return_to_barrier(gang);
    }
    if (!roster.counts().has_begun() && !records_.is_plan_committed(gang)) {
        // Seats were replaced while the record was written. After a restart the record would name seats that no
        // member took (I1).
        gang.is_barrier_stale = true;
        return return_to_barrier(gang);
    }
    if (!checker_.start_or_confirm_check(gang))
        return;
    if (roster.counts().at_barrier() == 0)
        return;
    // A group that isn't satisfied gets no member bound (N4, X4), but one that has begun is rolled forward. Both are
    // judged as they are before the first of these bindings.
    auto may_go = roster.quorum().satisfied(roster.counts().arrived());
    std::vector<std::uint8_t> begun(may_go.size(), 0);
    for (std::uint32_t group = 0; group < roster.counts().groups(); ++group) {
        begun[group] = roster.counts().has_begun(group) ? 1 : 0;
        may_go[group] = may_go[group] | begun[group];
    }
    for (const auto& uid : roster.times().at_barrier()) {
        const auto& seat = *roster.seat(uid);
        if (seat.leaf == model::nowhere || may_go[seat.leaf] == 0)
            continue;
        // In groups that count only waiting members, these must be in the record first. After a restart only the record
        // shows which members belong to one commit.
        const bool needs_record = roster.quorum().counts_only_waiting(seat.leaf) && !records_.is_plan_committed(gang) &&
                                  begun[seat.leaf] == 0;
        if (needs_record) {
            records_.schedule_write(gang, Time{0});
        } else {
            post(gang, uid);
        }
    }
}

bool Committer::is_postable(const SeatState& seat) const {
    const auto* pod = facts_.cluster.pod(seat.pod.uid);
    return pod != nullptr && pod->node.empty() && !pod->deleting && !pod->is_finished() &&
           facts_.cluster.has_node(seat.node);
}

void Committer::post(GangState& gang, const base::Text& uid) {
    const auto& seat = *gang.roster.seat(uid);
    const auto violated = [&](Invariant invariant, std::string sentence) {
        figures_.violated(invariant, gang.root(), std::move(sentence));
    };
    if (!gang.lifecycle.is_committed())
        return violated(Invariant::no_partial_gang, "a binding was about to be posted before the commit");
    if (!facts_.leads)
        return violated(Invariant::one_writer, "a binding was about to be posted by an echelon that doesn't lead");
    if (is_under_way(seat) && !seat.is_next_to_post) {
        return violated(Invariant::no_lost_bind,
                        "a binding was about to be posted again before the outcome of the first was known");
    }
    // Planning usually ends such a seat first. But nothing is planned while draining, and facts may come together with
    // an answer.
    if (!is_postable(seat)) {
        queue_.mark(gang);
        return seating_.fail_call(gang, uid,
                                  {.wait = WaitResult::aborted,
                                   .result = BindResult::rejected,
                                   .why = texts::not_waiting,
                                   .kick_at = facts_.now + post_retry});
    }
    if (!facts_.cluster.is_ours(*facts_.cluster.pod(uid)))
        return violated(Invariant::isolation, "a pod of another scheduler was about to be bound");
    gang.roster.change(uid, [&](SeatState& changed) {
        changed.binding = Binding::posting;
        seating_.end_wait(changed, WaitResult::released);
        changed.retry_at = never;
        changed.is_next_to_post = false;
    });
    std::string plan = fmt::format("{}.{}", gang.root().name, gang.record().epoch);
    std::ranges::replace(plan, '/', '.');
    outbox_.write({WriteTarget::Purpose::bind, gang.root(), uid}, model::BindPod{seat.pod, seat.node, std::move(plan)});
}

bool Committer::posts_again(const GangState& gang) const {
    return std::ranges::any_of(gang.roster.times().to_resolve(facts_.now),
                               [&](const auto& uid) { return gang.roster.seat(uid)->is_next_to_post; });
}

void Committer::retry(GangState& gang) {
    std::vector<base::Text> unbound;
    for (const auto& uid : gang.roster.times().to_resolve(facts_.now)) {
        const bool posts = gang.roster.seat(uid)->is_next_to_post;
        if (posts && !facts_.leads) {
            unbound.push_back(uid);
            continue;
        }
        gang.roster.change(uid, [](SeatState& seat) { seat.retry_at = never; });
        if (posts) {
            post(gang, uid);
        } else {
            outbox_.write({WriteTarget::Purpose::read, gang.root(), uid}, model::ReadPod{gang.roster.seat(uid)->pod});
        }
    }
    for (const auto& uid : unbound)
        seating_.end(gang, uid, texts::not_leading);  // The next leader decides about these members.
}

void Committer::end_vain_waits(GangState& gang) {
    const bool is_undecided = gang.record().write != 0 || gang.check().check == CheckState::Check::reading;
    if (!gang.lifecycle.is_committed() || is_undecided)
        return;
    for (const auto& uid : gang.roster.times().at_barrier())
        seating_.fail_call(gang, uid, {.why = texts::shutting_down});
}

void Committer::reread_unresolved(GangState& gang) {
    for (const auto& [uid, seat] : gang.roster.seats()) {
        if (seat.binding != Binding::unresolved)
            continue;
        gang.roster.change(uid, [this](SeatState& changed) {
            changed.is_next_to_post = false;  // The pod may have changed since it was read.
            changed.retry_at = facts_.now;
        });
    }
}

void Committer::release_callers(GangState& gang) {
    for (const auto& [uid, seat] : gang.roster.seats()) {
        if (seat.call == 0)
            continue;
        std::uint64_t call = 0;
        gang.roster.change(uid, [&call](SeatState& changed) {
            call = std::exchange(changed.call, 0);
            changed.deadline = never;
        });
        outbox_.answer(call, BindResult::error, texts::about(gang.root().name, texts::outcome_unknown));
    }
}

void Committer::note_posted(GangState& gang, const base::Text& uid) {
    std::uint64_t call = 0;
    gang.roster.change(uid, [&](SeatState& seat) {
        seat.binding = Binding::posted;
        seat.deadline = never;
        call = std::exchange(seat.call, 0);
    });
    figures_.add(&Stats::members_bound);
    if (call != 0)
        outbox_.answer(call, BindResult::ok, "");
    records_.schedule_write(gang, Time{500});
    gang.is_barrier_stale = true;
    gang.lifecycle.members_changed(gang.roster);
}

Committer::AfterBind Committer::on_bind_written(GangState& gang, const base::Text& uid, const model::Outcome& outcome) {
    using Kind = model::Outcome::Kind;
    const auto& seat = *gang.roster.seat(uid);
    if (outcome.kind == Kind::done) {
        note_posted(gang, uid);
        return AfterBind::go_on;
    }
    if (outcome.kind == Kind::rejected) {
        // Final for this attempt. kube-scheduler decides when the member comes again.
        const auto pod = seat.pod.ns + "/" + seat.pod.name;
        if (facts_.leads) {  // Otherwise it was not sent, and the next leader posts it.
            outbox_.note({.level = Note::Level::warning,
                          .gang = gang.root().name,
                          .sentence = fmt::format("binding of pod \"{}\" was refused: {}", pod, outcome.sentence),
                          .pod = pod,
                          .err = outcome.sentence});
        }
        const auto why = "binding refused: " + outcome.sentence;
        const auto kick_at = facts_.now + doubled(refused_retry, seat.write_failures);
        gang.roster.change(uid, [](SeatState& changed) { ++changed.write_failures; });
        seating_.fail_call(gang, uid, {.result = BindResult::rejected, .why = why, .kick_at = kick_at});
        if (gang.roster.counts().has_begun())
            return AfterBind::go_on;
        // No member is bound: the gang backs off as a whole.
        return_to_barrier(gang);
        return AfterBind::count_failed_barrier;
    }
    // Conflict, gone or unknown: read the pod before anything else (I4).
    const bool is_certain = outcome.kind == Kind::conflict || outcome.kind == Kind::gone;
    gang.roster.change(uid, [&](SeatState& changed) {
        changed.binding = Binding::unresolved;
        changed.retry_at = is_certain ? facts_.now : facts_.now + doubled(post_retry, changed.write_failures++);
    });
    return AfterBind::go_on;
}

void Committer::on_member_read(GangState& gang, const base::Text& uid, const model::Outcome& outcome) {
    using Kind = model::Outcome::Kind;
    const bool is_same = outcome.kind == Kind::done && outcome.uid == uid;
    if (is_same && outcome.node == gang.roster.seat(uid)->node)
        return note_posted(gang, uid);
    if (is_same && outcome.node.empty()) {
        // The binding didn't happen: it is posted again, the first time at once.
        gang.roster.change(uid, [&](SeatState& seat) {
            seat.is_next_to_post = true;
            const auto failures = seat.write_failures++;
            seat.retry_at = failures == 0 ? facts_.now : facts_.now + doubled(post_retry, failures);
        });
        return;
    }
    if (outcome.kind == Kind::done || outcome.kind == Kind::gone) {
        // The pod is on another node, or another pod has its name. The watch will show that, too. The gang is planned
        // around it.
        seating_.end(gang, uid, "aborted, the pod was bound elsewhere or is gone");
        return queue_.mark(gang);
    }
    gang.roster.change(
        uid, [&](SeatState& seat) { seat.retry_at = facts_.now + doubled(post_retry, seat.write_failures++); });
}

void Committer::on_group_read(GangState& gang, std::uint64_t write, const model::Outcome& outcome) {
    using Result = TreeChecker::Result;
    const auto [result, object] = checker_.on_read(gang, write, outcome);
    if (result == Result::passed)
        gang.is_barrier_stale = true;
    if (result != Result::failed && result != Result::gone)
        return;
    if (gang.roster.counts().has_begun())
        return;  // Bound members stay. No other member follows before the watch has shown what has changed.
    return_to_barrier(gang);
    if (result == Result::failed)
        return;
    // The hold ends as if the watch had shown that the object is gone. If the watch doesn't show it, the gang is
    // planned again.
    seating_.release_hold(gang, fmt::format("aborted, \"{}\" is gone", object));
    queue_.hold_off(gang, gang.check().retry_at);
}

void Committer::return_to_barrier(GangState& gang) {
    if (gang.roster.counts().has_begun()) {
        return figures_.violated(Invariant::no_late_commit, gang.root(),
                                 "a commit was about to be given up after its first binding");
    }
    gang.lifecycle.commit_given_up(gang.roster);
    records_.schedule_write(gang, Time{0});
    if (facts_.is_draining)
        seating_.fail_all_calls(gang, {.why = texts::shutting_down});
}

void Committer::on_member_bound(GangState& gang, const base::Text& uid, const base::Text& node) {
    const auto* seat = gang.roster.seat(uid);
    // Bound by another party before the commit is recorded. `TreeRefresher` judges other news of members likewise (I1).
    const bool is_early = seat != nullptr && seat->leaf != model::nowhere && gang.lifecycle.is_recording() &&
                          !is_under_way(*seat) && gang.roster.quorum().counts_only_waiting(seat->leaf);
    seating_.end_bound(gang, uid);
    if (is_early && gang.roster.add_ran_before(uid))
        queue_.mark(gang);
    gang.roster.set_bound(uid, node);
    // Another party bound the member: a group that counts only waiting members no longer counts it.
    if (!gang.lifecycle.is_committing() && gang.roster.quorum().counts_only_waiting())
        queue_.mark(gang);
    gang.is_barrier_stale = true;
    gang.lifecycle.members_changed(gang.roster);
    if (gang.lifecycle.stage() == Stage::bound)
        seating_.reset_setbacks(gang);  // Also of a gang that was Bound before (Q11, B8).
    records_.schedule_write(gang, Time{500});
}

void Committer::finish(GangState& gang) {
    // A newer record may have come before the groups: then it was unknown whether they count only waiting members.
    if (const auto* shown = records_.shown(gang); shown != nullptr && gang.record().was_commit_adopted)
        on_newer_record(gang, *shown);
    record_completed_groups(gang);
    if (gang.roster.is_bound(gang.lifecycle.is_committing()) && !gang.lifecycle.was_bound()) {
        gang.lifecycle.minimums_bound(gang.roster);
        seating_.reset_setbacks(gang);
        auto& first_seen = gang.commit(Key<Committer>()).first_seen;
        if (const auto since = std::exchange(first_seen, never); since != never && facts_.leads)
            figures_.bound_after(facts_.now - since);
        outbox_.note(Note::Level::info, gang.root(), "every minimum is bound");
        records_.schedule_write(gang, Time{50});
    }
    const bool is_over = gang.roster.seats().empty() && gang.roster.may_end_commit();
    const auto& refusal = gang.plan().refusal;
    const bool leaves_rest = refusal && refusal->came_too_late && gang.roster.may_leave_rest();
    if (gang.lifecycle.is_committed() && (is_over || leaves_rest)) {
        gang.lifecycle.commit_completed(gang.roster);
        PlanRecords::note_completed(gang);
        if (gang.roster.seats().empty())
            seating_.clear_expiry(gang);
        if (gang.roster.quorum().counts_only_waiting())
            queue_.mark(gang);  // A new commit needs enough waiting members.
    }
    gang.lifecycle.members_changed(gang.roster);
}

// In groups that count only waiting members: once the minimum is bound, members that arrive are too late for this
// commit. Only extras that have a seat in the commit record are still bound.
void Committer::record_completed_groups(GangState& gang) {
    auto& roster = gang.roster;
    const auto& quorum = roster.quorum();
    if (!gang.lifecycle.is_committed() || !quorum.counts_only_waiting())
        return;
    std::vector<std::uint8_t> completes(roster.counts().groups(), 0);
    for (std::uint32_t leaf = 0; leaf < roster.counts().groups(); ++leaf) {
        completes[leaf] = roster.counts().has_begun(leaf) && quorum.counts_only_waiting(leaf) &&
                          !quorum.is_short(leaf, roster.counts().bound()) && !roster.counts().is_complete(leaf);
    }
    const bool is_recorded = records_.is_plan_committed(gang);
    bool loses_seats = false;
    for (const auto& row : roster.members()) {
        if (row.leaf == model::nowhere || completes[row.leaf] == 0)
            continue;
        const auto* seat = roster.seat(row.uid);
        const bool is_included = seat != nullptr && (is_recorded || is_under_way(*seat));
        if (is_included || !row.node.empty()) {
            roster.add_completed(row.uid);
        } else if (seat != nullptr) {
            loses_seats = true;
        }
    }
    if (loses_seats)
        queue_.mark(gang);
}

// A later record may show that a commit is over which this process continued from an earlier run. Then bindings in
// flight are settled first, and no other member joins the commit.
void Committer::on_newer_record(GangState& gang, const model::PlanRecord& seen) {
    auto& roster = gang.roster;
    const bool is_over = seen.phase == model::Phase::bound || seen.phase == model::Phase::degraded;
    if (!is_over || !gang.lifecycle.is_committed() || !roster.quorum().counts_only_waiting())
        return;
    if (gang.record().was_commit_adopted && roster.counts().under_way() == 0) {
        gang.lifecycle.commit_completed(roster);
        PlanRecords::note_completed(gang);
        return queue_.mark(gang);
    }
    for (const auto& seat : seen.seats) {
        const auto* row = roster.member(seat.uid);
        const auto leaf = row == nullptr ? model::nowhere : row->leaf;
        if (leaf == model::nowhere || !roster.quorum().counts_only_waiting(leaf) ||
            roster.ran_before().contains(seat.uid))
            continue;
        if (roster.add_completed(seat.uid))
            queue_.mark(gang);
    }
}

}  // namespace echelon::engine
