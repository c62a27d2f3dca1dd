#pragma once

// What is a gang's verdict founded on? Everything that an explanation of it needs, as values of its own.
//
// Pure. Taken on the engine's thread (`Engine::evidence`), read wherever there is time: explaining may try hundreds of
// plans, and nobody who decides waits for it.

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

// What could make room for a gang that has none, whether preemption is on or not.
struct PossibleVictims {
    model::RunningGangs running;
    // Seats that less important gangs hold and would give up first: indexes into the occupants of the surroundings.
    std::vector<std::size_t> yielding;
    std::int64_t most_pods = 0;
};

struct ExplainSnapshot {
    model::Snapshot snapshot;  // As the gang meets it: every other gang's holds are taken.
    model::Gang gang;          // Members with a seat count as bound there.
    solver::ClusterContext surroundings;
    std::optional<model::Reason> refused;  // Absent: it has a plan, needs none, or hasn't been judged yet.
    model::PlanRecord record;              // As the GangPlan says it.
    // Present: the gang has no room, and pods might be evicted for it (U5).
    std::optional<PossibleVictims> victims;
};

// Every pod that runs, and the nodes as they are. Walks all pods.
[[nodiscard]] solver::ClusterContext surroundings_of(const model::Cluster& cluster, const model::Snapshot& snapshot);

}  // namespace echelon::engine
