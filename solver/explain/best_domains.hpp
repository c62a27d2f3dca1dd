#pragma once

// How many seats would one group get in each domain that it could use, and what blocks it there? Pure.

#include "model/gang/explanation.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/explain/blockers.hpp"
#include "solver/packing/demand.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace echelon::solver {

// What an explanation of a group reads. Requires: everything outlives it.
struct ExplainContext {
    const model::Snapshot& snapshot;
    const Room& room;         // The snapshot's room, or its capacity for the empty cluster.
    const model::Gang& gang;  // Its bound members pin domains.
    const OccupantsByNode& occupants_by_node;
    std::span<const model::Node> node_facts;
};

// Fills in the seats, classes, domains and nodes without a level of a row.
void describe_domains(const ExplainContext& context, std::uint32_t group, model::ExplainedGroup& row);
// The narrowest required level of a group or its ancestors; nullopt: none.
[[nodiscard]] std::optional<model::LevelRef> level_of(const model::Gang& gang, std::uint32_t group);

}  // namespace echelon::solver
