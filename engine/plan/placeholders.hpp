#pragma once

// Which seats are held for members that don't exist yet? They are planned with the others, taken over by the members
// that arrive, and released if none does (H2 to H5).
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

    // Removes placeholders whose time is over from a gang that is about to be planned, and judges the rest.
    void leave_out(const GangState& gang, model::Gang& built) const;
    // A member takes the seat of a placeholder of the same leaf if it fits there and may go there (H4). The remaining
    // placeholders are renamed to the members that are still expected. Requires: the gang's own holds are given back in
    // `snapshot`.
    void take_over(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot);
    // Makes the held placeholders exactly those of the plan.
    void hold(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot, const solver::Plan& plan);
    // A new attempt of the gang: late members are expected again.
    void begin_attempt(GangState& gang);
    // Releases placeholders whose time is over. It runs from the first binding of the gang on, or from the end of the
    // existing members, and for leaves that come later from their plan on. Before that the gang's hold covers them.
    // True if some were released now: the plan's message is outdated.
    bool check(GangState& gang);

private:
    // Late members of the leaf are no longer waited for.
    [[nodiscard]] bool is_over(const GangState& gang, const model::Gang& built, const model::GangGroup& leaf) const;
    // Forgets the limits of leaves that begin anew, or have all their members. A limit that is over is also forgotten
    // once another needed member has come: those that follow have a time for themselves. `built`: after `leave_out`.
    void forget_limits(GangState& gang, const model::Gang& built);
    // Leaves with placeholders get a limit if they have none.
    void set_limits(GangState& gang);
    // Ends those on nodes where others have taken their room: pods that exist go first (I2).
    void end_crowded(GangState& gang, const model::Snapshot& snapshot);
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
