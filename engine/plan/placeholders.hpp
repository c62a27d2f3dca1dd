#pragma once

// Which seats are held for members that don't exist yet? They are planned with the others, taken over by the members
// that come, and given back when none comes (H2 to H5).
//
// Not thread-safe.

#include "engine/commit/tree_checker.hpp"
#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/publish/figures.hpp"
#include "engine/publish/outbox.hpp"
#include "engine/queue/plan_queue.hpp"
#include "engine/records/plan_records.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/seats/seating.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

#include <string>
#include <vector>

namespace echelon::engine {

class Placeholders {
public:
    Placeholders(const Facts& facts, Outbox& outbox, Figures& figures, const Ledger& ledger, Seating& seating,
                 PlanQueue& queue, PlanRecords& records, TreeChecker& checker);

    // Removes those whose time is over from a gang that is to be planned, and judges what is left.
    static void leave_out(const GangState& gang, model::Gang& built);
    // A member that exists takes the seat of a placeholder of its leaf that has room for it and lies where it may go
    // (H4). What is left is renamed to those that are still expected.
    // Requires: the gang's own holds are given back in `snapshot`.
    void take_over(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot);
    // As the plan has them, and no others.
    void hold(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot, const solver::Plan& plan);
    // Another attempt of the gang: those that come are expected again.
    void begin_attempt(GangState& gang);
    // Their time runs from the first binding on, or from when the members that are there have ended: before it they
    // live and end with the hold of the others. True when it has ended, and the plan's message with it.
    bool check(GangState& gang);

private:
    void take_over_one(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                       const model::Member& member, std::vector<std::string>& held);
    void rename(GangState& gang, std::vector<std::string>& held, const std::vector<std::string>& expected);

    const Facts& facts_;
    Outbox& outbox_;
    Figures& figures_;
    const Ledger& ledger_;
    Seating& seating_;
    PlanQueue& queue_;
    PlanRecords& records_;
    TreeChecker& checker_;
};

}  // namespace echelon::engine
