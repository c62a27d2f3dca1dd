#pragma once

// Which parts of the cluster belong to ongoing clearings, so that another one may begin beside them? (P6)
//
// Pure.

#include "engine/reserve/closed_nodes.hpp"
#include "engine/reserve/domain_reservations.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

#include <optional>
#include <vector>

namespace echelon::engine {

// The plan's domain at the narrowest level that the root requires; nullopt: it requires none, or the plan has no seat.
[[nodiscard]] std::optional<DomainId> domain_of(const model::Snapshot& snapshot, const model::Gang& gang,
                                                const solver::Plan& plan);

// Nodes in those domains of `level` that overlap one of `taken`.
[[nodiscard]] ClosedNodes overlapping(const model::Snapshot& snapshot, model::LevelRef level,
                                      const std::vector<DomainId>& taken);

}  // namespace echelon::engine
