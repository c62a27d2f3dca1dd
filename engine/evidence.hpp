#pragma once

// What is a gang's verdict founded on? Everything that an explanation of it needs, as values of its own.
//
// Pure. Taken on the engine's thread (`Engine::evidence`), read wherever there is time: explaining may try hundreds of
// plans, and nobody who decides waits for it.

#include "model/cluster.hpp"
#include "model/gang.hpp"
#include "model/plan_record.hpp"
#include "model/snapshot.hpp"
#include "solver/blockers.hpp"

#include <optional>

namespace echelon::engine {

struct Evidence {
    model::Snapshot snapshot;  // As the gang meets it: every other gang's holds are taken.
    model::Gang gang;          // Members with a seat count as bound there.
    solver::Surroundings surroundings;
    std::optional<model::Reason> refused;  // Absent: it has a plan, needs none, or hasn't been judged yet.
    model::PlanRecord record;              // As the GangPlan says it.
};

// Every pod that runs, and the nodes as they are. Walks all pods.
[[nodiscard]] solver::Surroundings surroundings_of(const model::Cluster& cluster, const model::Snapshot& snapshot);

}  // namespace echelon::engine
