#pragma once

// Where could the gang go if pods were evicted, and how many evictions does each place need at least?
//
// A zone is a domain that must hold the whole gang; a gang without such a level has one zone, the cluster. Counting
// gives lower bounds: any victims that make the gang fit in the zone are at least this many pods and roots. Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/preemption/candidates.hpp"

#include <cstdint>
#include <vector>

namespace echelon::solver::preemption {

struct Zone {
    std::vector<UnitNumber> units;  // Those that free something there, the best ones to evict first.
    std::int64_t least_roots = 0;
    std::int64_t least_pods = 0;
};

// The units with a pod that frees what a waiting member needs, on a node that it may use.
[[nodiscard]] std::vector<UnitNumber> useful_units(const model::Snapshot& snapshot, const model::Gang& gang,
                                                   const Candidates& candidates);

// Zones in which counting does not exclude the gang, the most promising first. Only `units` count.
[[nodiscard]] std::vector<Zone> zones_of(const model::Snapshot& snapshot, const model::Gang& gang,
                                         const Candidates& candidates, const std::vector<UnitNumber>& units);

}  // namespace echelon::solver::preemption
