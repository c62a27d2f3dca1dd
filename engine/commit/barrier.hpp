#pragma once

// Have enough members come for every minimum? No bind call of a member passes before that (rules B2, B3, R7, R8).
//
// Not thread-safe.

#include "base/text.hpp"
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

namespace echelon::engine {

class Barrier {
public:
    Barrier(const Facts& facts, Gangs& gangs, Outbox& outbox, Figures& figures, Seating& seating, PlanQueue& queue,
            PlanRecords& records, Committer& committer, Wakeups& wakeups);

    // A bind call for a member. Requires: the gang is planned, unless it is in back-off.
    void on_call(GangState& gang, const model::Pod& pod, const BindCalled& called);
    // The caller has closed its connection.
    void on_caller_gone(GangState& gang, const base::Text& uid);
    // Begins the commit if the quorum has arrived.
    void open_if_met(GangState& gang);
    // Fails the calls past their deadline, and before the commit all other calls of the gang with them.
    void check_deadlines(GangState& gang);
    // The barrier failed once more. After a few times the hold is released (B8).
    void count_failed_barrier(GangState& gang);
    // The hold has expired.
    void expire(GangState& gang);
    // This echelon is shutting down: calls of gangs that aren't committed fail.
    void drain(GangState& gang);

    // The refusal of a gang whose minimum is larger than the barrier's capacity; nullopt: it is not larger.
    [[nodiscard]] std::optional<solver::Refusal> too_large(const GangState& gang) const;

private:
    // False: the barrier is full, and the call of the arriving member fails.
    [[nodiscard]] bool make_room(GangState& gang, const SeatState& coming);
    [[nodiscard]] GangState& last_before_commit(GangState& gang);
    // Plans the gang again after a delay, longer each time.
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
