#pragma once

// Which gang has been refused for lack of room for so long that a domain is reserved for it? (rules Q5 to Q7)
//
// Not thread-safe.

#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/publish/outbox.hpp"
#include "engine/queue/plan_queue.hpp"
#include "engine/queue/step_work.hpp"
#include "engine/records/plan_records.hpp"
#include "engine/reserve/domain_reservations.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

namespace echelon::engine {

// True if the gang may use capacity that is reserved for another gang. Either it is more important (Q15), or all its
// waiting pods will end before the reserved room is needed (Q6).
[[nodiscard]] bool may_pass(const Facts& facts, const model::Gang& built, const DomainReservation& reservation);

class Starvation {
public:
    Starvation(const Facts& facts, Outbox& outbox, DomainReservations& reservations, PlanQueue& queue,
               PlanRecords& records, StepWork& work)
        : facts_(facts), outbox_(outbox), reservations_(reservations), queue_(queue), records_(records), work_(work) {}

    // The gang was refused again: it ages, and in the end reserves a domain. While more than room is missing its age
    // stays the same. A refusal without proof earns nothing and loses nothing. With another root object its age starts
    // over (Q16).
    void note_refused(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                      const solver::Refusal& refusal);
    // The gang no longer waits for room: its reservation and its age end.
    void reset(GangState& gang);
    // Ends the reservation when it expires, or when the gang has lacked more than room for too long.
    void expire(GangState& gang);
    // When the gang has to be planned because it may reserve a domain, or has to have its reservation judged anew.
    // Never while pods are evicted for it.
    [[nodiscard]] static Time next_try(const GangState& gang);
    // When `expire` is next due; never: there is no reservation.
    [[nodiscard]] Time next_wake(const GangState& gang) const;

private:
    // The reservation binds gangs by the present priority of the gang that has it (Q15).
    void update_priority(const GangState& gang);
    void pause(GangState& gang);
    void resume(GangState& gang);
    void reserve(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot);
    // The reservation that declared ends allow (Q17); nullopt: they allow none.
    [[nodiscard]] std::optional<DomainReservation> promised(const GangState& gang, const model::Gang& built,
                                                            const model::Snapshot& snapshot);
    [[nodiscard]] std::optional<DomainId> closest(GangState& gang, const model::Gang& built,
                                                  const model::Snapshot& snapshot);
    // When the reservation is judged anew.
    [[nodiscard]] Time next_renewal(const DomainReservation& reservation) const;
    // Ends may be known, or unknown, that were not when the reservation was made. Or its domain is of no use any more.
    void renew(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot);
    // The gang will not fit in the domain, however long it waits.
    [[nodiscard]] bool is_in_vain(const DomainReservation& reservation, const model::Gang& built,
                                  const model::Snapshot& snapshot, bool may_search);

    const Facts& facts_;
    Outbox& outbox_;
    DomainReservations& reservations_;
    PlanQueue& queue_;
    PlanRecords& records_;
    StepWork& work_;
};

}  // namespace echelon::engine
