#pragma once

// A gang has found no room: may pods be evicted for it, and which? (U5)
//
// What costs nothing goes first: unbound holds of less important gangs, and room of pods that end by themselves.
// Choosing takes a walk over all pods, so a gang that got no answer asks again after a while. Not thread-safe.

#include "engine/facts.hpp"
#include "engine/gang/gangs.hpp"
#include "engine/preempt/clearings.hpp"
#include "engine/preempt/yielding_extras.hpp"
#include "engine/queue/step_work.hpp"
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
    Preemptor(const Facts& facts, const Gangs& gangs, Clearings& clearings, YieldingExtras& extras, StepWork& work)
        : facts_(facts), gangs_(gangs), clearings_(clearings), extras_(extras), work_(work) {}

    struct Choice {
        solver::Plan plan;
        std::vector<ClearingVictim> victims;  // None: holds of less important gangs were enough.
    };
    // Requires: the gang is refused in this snapshot.
    [[nodiscard]] std::optional<Choice> choose(GangState& gang, const model::Gang& facts, model::Snapshot& snapshot,
                                               const solver::Refusal& refusal);

    // Pods that run, those protected that must stay as they are for the engine's reasons.
    [[nodiscard]] model::RunningGangs running(const model::Snapshot& snapshot) const;

private:
    [[nodiscard]] bool may_choose(GangState& gang, const model::Gang& facts, const solver::Refusal& refusal) const;
    // It would fit once pods have ended that are ending already: that is waited for, but not for ever.
    [[nodiscard]] bool waits_for_ending_pods(GangState& gang, const model::Gang& facts, model::Snapshot& snapshot);
    [[nodiscard]] TakenRoom room_of_ending_pods(model::Snapshot& snapshot) const;
    [[nodiscard]] std::optional<Choice> choose_victims(GangState& gang, const model::Gang& facts,
                                                       const model::Snapshot& whole);
    // Nothing there can be had: no room, and no pod.
    static void close(const std::vector<std::uint8_t>& nodes, model::Snapshot& snapshot, model::RunningGangs& running);
    void put_off(GangState& gang, const solver::preemption::NoEviction& none, bool has_budgets);

    const Facts& facts_;
    const Gangs& gangs_;
    Clearings& clearings_;
    YieldingExtras& extras_;
    StepWork& work_;
};

}  // namespace echelon::engine
