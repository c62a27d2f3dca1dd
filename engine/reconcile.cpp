// The end of a step: gangs that are due are planned, and each gang that was touched is reconciled.

#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <algorithm>
#include <utility>

namespace echelon::engine {

void Engine::State::process_changed_gangs() {
    do {
        queue_.retry_refused();
        if (facts_.may_act() && !work_.is_planning_over()) {
            if (resolve_topology() && work_.is_bounded()) {
                planner_.adopt_all();
                work_.end_planning();  // All nodes may have been numbered anew, and planning copies them (BD4).
            } else {
                planner_.plan_due();
            }
        }
        while (const auto root = wakeups_.next_touched()) {
            auto* gang = gangs_.find(*root);
            if (gang == nullptr)
                continue;
            if (leaves_for_next_step(*gang)) {
                wakeups_.wake_at(*root, facts_.now);
            } else {
                reconcile(*gang);
            }
        }
        // Reconciling may have freed room: a hold or a reservation may have expired.
    } while (queue_.is_freed_room_noted() || (!work_.is_planning_over() && facts_.may_act() && queue_.is_any_due()));
}

// True if what became of the gang is so much that it is a step's work (BD4). Facts may change before that step: then
// the gang is planned once more, so that no seat is published that has no room. Members of a commit that was taken up
// get their verdicts at once (I8).
bool Engine::State::leaves_for_next_step(GangState& gang) {
    if (std::exchange(gang.is_reconciled_late, false)) {
        if (gang.is_dirty() && !planner_.plan_now(gang) && !gang.lifecycle.is_committing())
            seating_.release_hold(gang, texts::plan_changed);  // Facts may have broken its seats.
        gang.is_placed_anew = false;
        return false;
    }
    const bool may_wait = std::exchange(gang.is_placed_anew, false) && !gang.lifecycle.is_committing();
    gang.is_reconciled_late = may_wait && work_.fills_step(gang.roster.members().size());
    return gang.is_reconciled_late;
}

void Engine::State::schedule_conditions() {
    for (auto& [root, gang] : gangs_.all()) {
        if (!gang.has_conditions())
            queue_.mark(gang);  // Planning finds out which objects have a field for a condition.
        GroupConditions::schedule(gang);
        wakeups_.touch(root);
    }
}

void Engine::State::reconcile(GangState& gang) {
    const Time now = facts_.now;
    clearings_.check(gang);
    if (facts_.may_act() && clearings_.take_replan(gang) && !gang.is_dirty())
        queue_.plan_at(gang, now);
    barrier_.check_deadlines(gang);
    if (placeholders_.check(gang))
        outcome_.forget_message(gang);
    if (now >= gang.hold().expires_at)
        barrier_.expire(gang);
    if (facts_.may_release())
        releaser_.release(gang);
    if (gang.release().clear_nominations_at <= now && facts_.may_act() && !gang.is_dirty())
        releaser_.clear_nominations(gang);
    starvation_.expire(gang);
    if (starvation_.next_try(gang) <= now && facts_.may_act() && !gang.is_dirty())
        queue_.plan_at(gang, now);  // Plans once more; a gang that is refused again may reserve a domain.
    if (gang.check().retry_at <= now) {
        checker_.allow_retry(gang);
        gang.is_barrier_stale = true;
    }
    if (std::exchange(gang.is_barrier_stale, false)) {
        committer_.finish(gang);
        open_or_post(gang);
    }
    if (facts_.is_draining)
        committer_.end_vain_waits(gang);
    if (facts_.may_act() && PlanOutcome::take_turn_of_extras(gang))
        queue_.mark(gang);
    // Members that have left the gang since their binding failed lose their seats before it is posted again (B5).
    if (committer_.posts_again(gang) && gang.is_dirty())
        planner_.plan_now(gang);
    committer_.retry(gang);
    if (gang.record().due <= now && PlanRecords::may_write(gang)) {
        records_.write(gang);
        GroupConditions::schedule(gang);
    }
    if (gang.conditions().due <= now)
        conditions_.write(gang);
    if (gang.verdicts.needs_refresh())
        refresh_verdicts(gang);
    update_figures(gang);
    wakeups_.wake_at(gang.root(), next_wake(gang));
}

void Engine::State::open_or_post(GangState& gang) {
    if (!gang.lifecycle.is_committed())
        return barrier_.open_if_met(gang);
    // Facts may have changed while the record was written: seats that are no longer sound are replaced first (B5).
    if (gang.is_dirty() && !facts_.may_act())
        return;  // Nothing is planned while draining: the next echelon continues.
    const auto& due = gang.due();
    if (gang.is_dirty() && queue_.goes_round(gang)) {
        return figures_.violated(Invariant::bounded, gang.root(),
                                 "planning it asks for planning it again, without end");
    }
    if (gang.is_dirty() && !due.is_searching)
        planner_.plan_now(gang);
    if (due.is_searching || due.due <= facts_.now)
        return;  // A long search decides which seats stay; then the barrier is looked at again.
    committer_.post_bindings(gang);
}

Time Engine::State::next_wake(const GangState& gang) const {
    Time first = std::min({gang.hold().expires_at, gang.check().retry_at,
                           gang.hold().placeholders.empty() ? never : gang.placeholders().next});
    if (facts_.may_act() && !gang.is_dirty())
        first = std::min({first, starvation_.next_try(gang), gang.release().clear_nominations_at});
    if (facts_.may_act())
        first = std::min({first, clearings_.next_wake(gang), gang.conditions().due});
    first = std::min(first, starvation_.next_wake(gang));
    if (PlanRecords::may_write(gang))
        first = std::min(first, gang.record().due);
    const auto& times = gang.roster.times();
    first = std::min({first, times.next_deadline(), times.next_unresolved()});
    return facts_.may_release() ? std::min({first, times.next_release(), gang.release().followers_at}) : first;
}

}  // namespace echelon::engine
