#pragma once

// What follows from a search? Seats are given or ended, and a refused gang gets its reason.
//
// Not thread-safe.

#include "engine/commit/committer.hpp"
#include "engine/commit/tree_checker.hpp"
#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/plan/placeholders.hpp"
#include "engine/plan/starvation.hpp"
#include "engine/preempt/clearings.hpp"
#include "engine/publish/figures.hpp"
#include "engine/publish/outbox.hpp"
#include "engine/queue/plan_queue.hpp"
#include "engine/records/plan_records.hpp"
#include "engine/seats/seating.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"
#include "solver/violation.hpp"

#include <optional>

namespace echelon::engine {

// The classes that act on the outcome.
struct PlanOutcomeParts {
    const Facts& facts;
    Outbox& outbox;
    Figures& figures;
    PlanQueue& queue;
    Seating& seating;
    PlanRecords& records;
    TreeChecker& checker;
    Committer& committer;
    Placeholders& placeholders;
    Starvation& starvation;
    Clearings& clearings;
};

class PlanOutcome {
public:
    explicit PlanOutcome(const PlanOutcomeParts& parts);

    // Requires: the referee finds nothing in the plan.
    void hold(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot, solver::Plan plan);
    // The plan needs room that victims have to leave. Requires: there is a victim, and the referee accepts the plan
    // once all are gone.
    void clear(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot, const solver::Plan& plan,
               std::vector<ClearingVictim> victims);
    // The victims are still there. Requires: the plan contains the gang's seats.
    void go_on_clearing(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                        const solver::Plan& plan);
    void refuse(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot, solver::Refusal refusal);
    // The referee rejects the plan. That is a bug of echelon, and is counted. The gang is refused.
    void reject(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                const solver::Violation& fault);
    // True once, when the minimum is bound and extras have waited for it. The gang has to be planned then.
    [[nodiscard]] static bool take_turn_of_extras(GangState& gang);
    // The message of the last plan is outdated.
    static void forget_message(GangState& gang);

private:
    // nullopt: the API server may store its GangPlan.
    [[nodiscard]] static std::optional<solver::Refusal> too_large(const GangState& gang, const model::Gang& built,
                                                                  const solver::Plan& plan);
    // Leaves out the extras of a gang that has begun, unless they have a seat. Returns how many.
    [[nodiscard]] static std::size_t put_off_extras(const GangState& gang, const model::Gang& built,
                                                    const model::Snapshot& snapshot, solver::Plan& plan);
    // A refusal if the commit can't be completed without them.
    [[nodiscard]] static std::optional<solver::Refusal> exclude_new_members(const GangState& gang,
                                                                            const model::Gang& built,
                                                                            solver::Plan& plan);
    // False: the message is the same already.
    bool describe_clearing(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                           const solver::Plan& plan);
    void reseat(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot, const solver::Plan& plan);

    const Facts& facts_;
    Outbox& outbox_;
    Figures& figures_;
    PlanQueue& queue_;
    Seating& seating_;
    PlanRecords& records_;
    TreeChecker& checker_;
    Committer& committer_;
    Placeholders& placeholders_;
    Starvation& starvation_;
    Clearings& clearings_;
};

}  // namespace echelon::engine
