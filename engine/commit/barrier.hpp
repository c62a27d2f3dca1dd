#pragma once

// Has everyone come? No bind call of a member passes before every minimum of the tree has arrived or is bound (rules
// B2, B3, R7, R8).
//
// Not thread-safe.

#include "engine/commit/committer.hpp"
#include "engine/facts.hpp"
#include "engine/gang/gangs.hpp"
#include "engine/input.hpp"
#include "engine/publish/figures.hpp"
#include "engine/publish/outbox.hpp"
#include "engine/queue/plan_queue.hpp"
#include "engine/records/plan_records.hpp"
#include "engine/seats/seating.hpp"
#include "engine/wakeups.hpp"
#include "solver/plan.hpp"

#include <optional>
#include <string>

namespace echelon::engine {

class Barrier {
public:
    Barrier(const Facts& facts, Gangs& gangs, Outbox& outbox, Figures& figures, Seating& seating, PlanQueue& queue,
            PlanRecords& records, Committer& committer, Wakeups& wakeups);

    // A member comes to its seat. Requires: the gang is planned, unless it has to wait.
    void on_call(GangState& gang, const model::Pod& pod, const BindCalled& called);
    // Its caller has hung up.
    void on_caller_gone(GangState& gang, const std::string& uid);
    // The commit begins, if the quorum is there.
    void open_if_met(GangState& gang);
    // Calls whose time is over fail, together with all others while nothing is committed.
    void check_deadlines(GangState& gang);
    // It came to nothing once more: after a few times the hold is given back (B8).
    void count_failed_barrier(GangState& gang);
    // The time of the hold is over.
    void expire(GangState& gang);
    // This echelon ends: calls of gangs that aren't committed fail.
    void drain(GangState& gang);

    // Its minimum can never be there at once, however long it waits.
    [[nodiscard]] std::optional<solver::Refusal> too_large(const GangState& gang) const;

private:
    // False: the member that comes has to leave.
    [[nodiscard]] bool make_room(GangState& gang, const SeatState& coming);
    [[nodiscard]] GangState& last_before_commit(GangState& gang);
    // What is over is planned anew after a while, longer each time.
    void back_off(GangState& gang);

    const Facts& facts_;
    Gangs& gangs_;
    Outbox& outbox_;
    Figures& figures_;
    Seating& seating_;
    PlanQueue& queue_;
    PlanRecords& records_;
    Committer& committer_;
    Wakeups& wakeups_;
};

}  // namespace echelon::engine
