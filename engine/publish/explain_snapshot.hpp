#pragma once

// What does an explanation of a gang need? Copies of everything that the verdict on the gang is based on.
//
// Pure. Made on the engine's thread (`Engine::explain_snapshot`) and read on any other. Explaining may try hundreds of
// plans, and no decision waits for it.

#include "model/cluster/cluster.hpp"
#include "model/facts/plan_record.hpp"
#include "model/gang/gang.hpp"
#include "model/gang/running_gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/explain/blockers.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace echelon::engine {

// Pods and seats that could make room for the gang. Listed even if preemption is off.
struct PossibleVictims {
    model::RunningGangs running;
    // Seats of less important gangs that would be given up first: indexes into the occupants of `context`.
    std::vector<std::size_t> yielding;
    std::int64_t most_pods = 0;
};

struct ExplainSnapshot {
    model::Snapshot snapshot;  // As the gang sees it: the holds of other gangs are taken.
    model::Gang gang;          // Members with a seat count as bound there.
    solver::ClusterContext context;
    std::optional<model::Reason> refused;  // Absent: the gang has a plan, needs none, or was not judged yet.
    model::PlanRecord record;              // As in the GangPlan.
    // Present: the gang finds no room, and pods might be evicted for it (U5).
    std::optional<PossibleVictims> victims;
};

}  // namespace echelon::engine
