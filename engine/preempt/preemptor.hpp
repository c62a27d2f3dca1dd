#pragma once

// A gang has found no room: may pods be evicted for it, and which? (U5)
//
// Two options come first: unbound holds of less important gangs, and room of terminating pods. Choosing walks over all
// pods, so a gang without an answer asks again only after a while. Not thread-safe.

#include "engine/facts.hpp"
#include "engine/gang/gangs.hpp"
#include "engine/preempt/clearings.hpp"
#include "engine/preempt/yielding_seats.hpp"
#include "engine/queue/step_work.hpp"
#include "engine/reserve/closed_nodes.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/reserve/refused_nodes.hpp"
#include "engine/reserve/taken_room.hpp"
#include "model/gang/gang.hpp"
#include "model/gang/running_gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"
#include "solver/preemption/victims.hpp"
#include "solver/solve.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace echelon::engine {

class Preemptor {
public:
    Preemptor(const Facts& facts, const Gangs& gangs, const Ledger& ledger, const RefusedNodes& refused_nodes,
              Clearings& clearings, YieldingSeats& yielding_seats, StepWork& work)
        : facts_(facts),
          gangs_(gangs),
          ledger_(ledger),
          refused_nodes_(refused_nodes),
          clearings_(clearings),
          yielding_seats_(yielding_seats),
          work_(work) {}

    struct Choice {
        solver::Plan plan;
        std::vector<ClearingVictim> victims;  // Empty: the holds of less important gangs were enough.
    };
    // `closed`: nodes that the gang may not use. Requires: the gang is refused in this snapshot, in which the room of
    // these nodes is taken.
    [[nodiscard]] std::optional<Choice> choose(GangState& gang, const model::Gang& built, const ClosedNodes& closed,
                                               model::Snapshot& snapshot, const solver::Refusal& refusal);

    // Running gangs. Pods that the engine must keep are marked as protected, and so are those that this gang must be
    // beside.
    [[nodiscard]] model::RunningGangs running(const model::Snapshot& snapshot, const model::Gang& built) const;

private:
    // The gang is one for which others make way (U5).
    [[nodiscard]] bool preempts(const GangState& gang, const model::Gang& built, const solver::Refusal& refusal) const;
    // Pods may be evicted for it now: no back-off is under way, and no other clearing (P5, P6).
    [[nodiscard]] bool may_choose_victims(GangState& gang, const model::Gang& built) const;
    [[nodiscard]] std::optional<solver::Plan> plan_in(const model::Snapshot& snapshot, const model::Gang& built,
                                                      const solver::SolveOptions& budget);
    // The gang would fit once terminating pods are gone. It waits for them, up to a time limit.
    [[nodiscard]] bool waits_for_ending_pods(GangState& gang, const model::Gang& built, const ClosedNodes& closed,
                                             model::Snapshot& snapshot);
    // Terminating pods that are no victims.
    [[nodiscard]] std::vector<const model::Pod*> ending_pods(const model::Snapshot& snapshot) const;
    // Gives the room of these pods back for as long as the result lives, but not on closed nodes.
    [[nodiscard]] static TakenRoom room_of(const std::vector<const model::Pod*>& pods, const ClosedNodes& closed,
                                           model::Snapshot& snapshot);
    [[nodiscard]] std::optional<Choice> choose_victims(GangState& gang, const model::Gang& built,
                                                       const ClosedNodes& closed, const model::Snapshot& whole);
    // The gang's pods can't be evicted yet: it is being bound, or loses pods already.
    [[nodiscard]] bool is_changing(const model::RunningGang& running) const;
    // `running`: the pods among which there are no victims for the gang.
    void put_off(GangState& gang, std::int64_t priority, const solver::preemption::NoEviction& none,
                 const model::RunningGangs& running);

    const Facts& facts_;
    const Gangs& gangs_;
    const Ledger& ledger_;
    const RefusedNodes& refused_nodes_;
    Clearings& clearings_;
    YieldingSeats& yielding_seats_;
    StepWork& work_;
};

}  // namespace echelon::engine
