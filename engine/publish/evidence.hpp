#pragma once

// What is a gang's verdict founded on? Everything that an explanation of it needs, as values of its own.
//
// Pure. Taken on the engine's thread (`Engine::evidence`), read wherever there is time: explaining may try hundreds of
// plans, and nobody who decides waits for it.

#include "model/cluster/cluster.hpp"
#include "model/facts/plan_record.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/explain/blockers.hpp"

#include <optional>

namespace echelon::engine {

struct ExplainSnapshot {
    model::Snapshot snapshot;  // As the gang meets it: every other gang's holds are taken.
    model::Gang gang;          // Members with a seat count as bound there.
    solver::ClusterContext surroundings;
    std::optional<model::Reason> refused;  // Absent: it has a plan, needs none, or hasn't been judged yet.
    model::PlanRecord record;              // As the GangPlan says it.
};

// Every pod that runs, and the nodes as they are. Walks all pods.
[[nodiscard]] solver::ClusterContext surroundings_of(const model::Cluster& cluster, const model::Snapshot& snapshot);

}  // namespace echelon::engine
