#pragma once

// Which gang has been refused for want of room for so long that a domain is kept for it? (rules Q5 to Q7)
//
// Not thread-safe.

#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/publish/outbox.hpp"
#include "engine/queue/plan_queue.hpp"
#include "engine/queue/step_work.hpp"
#include "engine/records/plan_records.hpp"
#include "engine/reserve/claims.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

namespace echelon::engine {

class Starvation {
public:
    Starvation(const Facts& facts, Outbox& outbox, DomainReservations& claims, PlanQueue& queue, PlanRecords& records,
               StepWork& work)
        : facts_(facts), outbox_(outbox), claims_(claims), queue_(queue), records_(records), work_(work) {}

    // The gang was refused once more: it ages, and in the end claims a domain.
    void note_refused(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                      const solver::Refusal& refusal);
    // It doesn't wait for room any more: its claim and its age end.
    void reset(GangState& gang);
    // Its claim has ended without a place for it, if the time of the claim is over.
    void expire(GangState& gang);
    // Every pod of the gang that waits will have ended by then: it may use claimed room.
    [[nodiscard]] bool ends_by(const model::Gang& built, Time until) const;

private:
    void claim(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot);

    const Facts& facts_;
    Outbox& outbox_;
    DomainReservations& claims_;
    PlanQueue& queue_;
    PlanRecords& records_;
    StepWork& work_;
};

}  // namespace echelon::engine
