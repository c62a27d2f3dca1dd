#pragma once

// When can a waiting gang start at the latest, and on which nodes, if running pods end as they declared? (Q17)
//
// Pure; the answer follows from the facts alone.

#include "engine/facts.hpp"
#include "engine/reserve/domain_reservations.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/solve.hpp"

#include <cstdint>
#include <optional>

namespace echelon::engine {

struct PromisedStart {
    DomainId domain;  // It holds all the nodes: of the narrowest level that the root requires, else the narrowest.
    DomainReservation::Promise promise;
};

struct PromisedStartSearch {
    std::optional<PromisedStart> found;  // Nullopt: declared ends alone don't make room, or the budget ended.
    std::uint64_t steps = 0;
};

// Nodes that are reserved for other gangs are left out. Requires: the gang was built against the snapshot, its own
// holds are given back, and it doesn't fit now. Walks every pod.
[[nodiscard]] PromisedStartSearch promised_start(const Facts& facts, const DomainReservations& reservations,
                                                 const model::Gang& gang, const model::Snapshot& snapshot,
                                                 solver::SolveOptions budget);

}  // namespace echelon::engine
