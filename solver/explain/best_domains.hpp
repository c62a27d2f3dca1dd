#pragma once

// How far does one group get in each domain that it could use, and what stands in its way there? Pure.

#include "model/gang/explanation.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/explain/blockers.hpp"
#include "solver/packing/demand.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace echelon::solver {

// What a group is looked at against. Requires: all of it outlives the look.
struct ExplainContext {
    const model::Snapshot& snapshot;
    const Room& room;         // The snapshot's own, or its capacity for the empty cluster.
    const model::Gang& gang;  // Its bound members pin domains.
    const OccupantsByNode& crowd;
    std::span<const model::Node> facts;
};

// Fills in what a row says of seats, level, sizes, domains and nodes without a level.
void describe_domains(const ExplainContext& setting, std::uint32_t group, model::ExplainedGroup& row);
// The narrowest level that a group must keep to, its own or an ancestor's; nullopt: none.
[[nodiscard]] std::optional<model::LevelRef> level_of(const model::Gang& gang, std::uint32_t group);

}  // namespace echelon::solver
