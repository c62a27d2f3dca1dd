#pragma once

// Which stage is a gang in, and which stages may follow? `Lifecycle` is the only writer of a gang's stage.
//
// Plain values, no clock. `transitions` is the authoritative table, and ARCHITECTURE.md repeats it. A transition
// outside the table is a bug of echelon. The gang is then faulted: nothing of it is bound until it starts over.

#include "engine/gang/roster.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace echelon::engine {

enum class Stage : std::uint8_t { pending, clearing, held, recording, committed, bound, degraded };

struct Transition {
    Stage from;
    Stage to;
    std::string_view why;
};

inline constexpr std::array transitions = {
    Transition{Stage::pending, Stage::clearing, "a plan is found on room that victims have to leave"},
    Transition{Stage::pending, Stage::held, "a plan is found"},
    Transition{Stage::pending, Stage::committed, "the commit record of an earlier run or leader is found"},
    Transition{Stage::pending, Stage::bound, "others have bound every minimum"},
    Transition{Stage::pending, Stage::degraded, "a record says that it was Bound, and members are gone since"},
    Transition{Stage::clearing, Stage::held, "the victims are gone, or room has come without them"},
    Transition{Stage::clearing, Stage::pending,
               "an eviction is refused, the victims take too long, or the gang has changed"},
    Transition{Stage::clearing, Stage::bound, "others have bound every minimum"},
    Transition{Stage::held, Stage::pending, "the hold is broken, has expired, or is given back"},
    Transition{Stage::held, Stage::recording, "the quorum has arrived"},
    Transition{Stage::held, Stage::bound,
               "others have bound every minimum, or the minimum was lowered to what is bound"},
    Transition{Stage::recording, Stage::committed, "the record is written"},
    Transition{Stage::recording, Stage::held, "the quorum is lost, the record is refused, or the tree has changed"},
    Transition{Stage::recording, Stage::pending, "the hold is broken meanwhile"},
    Transition{Stage::recording, Stage::bound, "others have bound every minimum meanwhile"},
    Transition{Stage::recording, Stage::degraded,
               "the record of replacements is refused, or this echelon no longer leads"},
    Transition{Stage::committed, Stage::bound, "every minimum is bound"},
    Transition{Stage::committed, Stage::held, "the quorum is lost, or the tree has changed, before the first binding"},
    Transition{Stage::committed, Stage::pending,
               "the seats are lost before the first binding, or this echelon no longer leads"},
    Transition{Stage::committed, Stage::degraded,
               "replacements are given up, since this echelon no longer leads, or wait for another commit"},
    Transition{Stage::bound, Stage::degraded, "below a minimum"},
    Transition{Stage::bound, Stage::committed, "below a minimum while bindings are under way"},
    Transition{Stage::bound, Stage::recording, "more members have arrived of a group whose running ones don't count"},
    Transition{Stage::degraded, Stage::recording, "replacements have arrived"},
    Transition{Stage::degraded, Stage::bound, "others have replaced what was missing, or the minimum was lowered"},
    Transition{Stage::degraded, Stage::held, "every bound member is gone, and a new plan is found"},
    Transition{Stage::degraded, Stage::pending, "every bound member is gone"},
};

[[nodiscard]] constexpr bool may_follow(Stage from, Stage to) {
    for (const auto& transition : transitions) {
        if (transition.from == from && transition.to == to)
            return true;
    }
    return false;
}

// "Pending", "recording": as in the table. Stages that a GangPlan shows have its spelling.
[[nodiscard]] constexpr std::string_view to_string(Stage stage) {
    constexpr std::array<std::string_view, 7> names = {"Pending",   "Clearing", "Held",    "recording",
                                                       "committed", "Bound",    "Degraded"};
    return names[static_cast<std::size_t>(stage)];
}

class Lifecycle {
public:
    [[nodiscard]] Stage stage() const { return stage_; }
    // A commit is open: its record is being written, or not every member of it is bound yet.
    [[nodiscard]] bool is_committing() const { return commit_ != Commit::none; }
    [[nodiscard]] bool is_recording() const { return commit_ == Commit::recording; }
    // Bindings may be posted. After the first one the gang only rolls forward (I6).
    [[nodiscard]] bool is_committed() const { return commit_ == Commit::committed; }
    // The seats of the gang are on room that victims have to leave first (P2).
    [[nodiscard]] bool is_clearing() const { return is_clearing_; }
    // Every minimum was bound once, so the gang is Degraded while it is below one.
    [[nodiscard]] bool was_bound() const { return was_bound_; }
    // The gang made a transition that the table lacks.
    [[nodiscard]] bool is_faulted() const { return is_faulted_; }
    // The first such transition since the last call, if any.
    [[nodiscard]] std::optional<std::pair<Stage, Stage>> take_illegal_transition() {
        return std::exchange(illegal_transition_, std::nullopt);
    }

    // --- Events. `roster`: as it is after the event.
    // Seats were given or ended; members were bound, ended or left; or minimums changed.
    void members_changed(const Roster& roster);
    // The gang has seats on room that victims have to leave first.
    void clearing_began(const Roster& roster);
    // Victims have left the room, or the clearing was given up.
    void clearing_ended(const Roster& roster);
    // The members of every minimum wait at the barrier, and the commit record is about to be written.
    void quorum_arrived(const Roster& roster);
    void record_written(const Roster& roster);
    // The commit record of an earlier run or leader was found, and the commit continues.
    void record_found(const Roster& roster);
    // A record of an earlier run says that every minimum was bound.
    void found_bound(const Roster& roster);
    // The commit ends before all of it is bound. The record was refused, the quorum or the plan was lost, or this
    // echelon no longer leads.
    void commit_given_up(const Roster& roster);
    // No member of the commit is left to bind. Each minimum was bound at some time, or waits for the next commit.
    void commit_completed(const Roster& roster);
    void minimums_bound(const Roster& roster);
    // No member is bound any more: the next plan is a new attempt.
    void attempt_ended(const Roster& roster);

private:
    enum class Commit : std::uint8_t { none, recording, committed };
    [[nodiscard]] Stage derived(const Roster& roster) const;
    void enter(Stage stage);

    Commit commit_ = Commit::none;
    bool is_clearing_ = false;
    bool was_bound_ = false;
    Stage stage_ = Stage::pending;
    bool is_faulted_ = false;
    std::optional<std::pair<Stage, Stage>> illegal_transition_;
};

}  // namespace echelon::engine
