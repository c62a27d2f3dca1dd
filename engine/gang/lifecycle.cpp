#include "engine/gang/lifecycle.hpp"

namespace echelon::engine {

Stage Lifecycle::derived(const Roster& roster) const {
    if (roster.is_bound(is_committing()))
        return Stage::bound;
    if (is_committing())
        return is_recording() ? Stage::recording : Stage::committed;
    if (was_bound_ || stage_ == Stage::bound)
        return Stage::degraded;
    if (roster.seats().empty())
        return Stage::pending;
    return is_clearing_ ? Stage::clearing : Stage::held;
}

void Lifecycle::enter(Stage stage) {
    const auto before = std::exchange(stage_, stage);
    if (before == Stage::bound && stage == Stage::degraded)
        was_bound_ = true;
    if (before != stage && !may_follow(before, stage)) {
        is_faulted_ = true;
        if (!illegal_transition_)
            illegal_transition_ = {before, stage};
    } else if (stage == Stage::pending) {
        is_faulted_ = false;  // The gang starts over.
    }
}

void Lifecycle::members_changed(const Roster& roster) {
    enter(derived(roster));
}

void Lifecycle::clearing_began(const Roster& roster) {
    is_clearing_ = true;
    enter(derived(roster));
}

void Lifecycle::clearing_ended(const Roster& roster) {
    is_clearing_ = false;
    enter(derived(roster));
}

void Lifecycle::quorum_arrived(const Roster& roster) {
    commit_ = Commit::recording;
    enter(derived(roster));
}

void Lifecycle::record_written(const Roster& roster) {
    commit_ = Commit::committed;
    enter(derived(roster));
}

void Lifecycle::record_found(const Roster& roster) {
    commit_ = Commit::committed;
    enter(derived(roster));
}

void Lifecycle::found_bound(const Roster& roster) {
    was_bound_ = true;
    enter(derived(roster));
}

void Lifecycle::commit_given_up(const Roster& roster) {
    commit_ = Commit::none;
    enter(derived(roster));
}

void Lifecycle::commit_completed(const Roster& roster) {
    commit_ = Commit::none;
    was_bound_ = true;
    enter(derived(roster));
}

void Lifecycle::minimums_bound(const Roster& roster) {
    was_bound_ = true;
    enter(derived(roster));
}

void Lifecycle::attempt_ended(const Roster& roster) {
    was_bound_ = false;
    enter(derived(roster));
}

}  // namespace echelon::engine
