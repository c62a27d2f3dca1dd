#pragma once

// From which nodes does pod anti-affinity keep a gang, once some pods outside it are gone? (D14)
//
// Single-threaded, belongs to one choice of victims.

#include "model/gang/gang.hpp"
#include "model/gang/running_gang.hpp"
#include "solver/preemption/candidates.hpp"

#include <span>
#include <utility>
#include <vector>

namespace echelon::solver::preemption {

class BarredNodes {
public:
    // Requires: the gang outlives it, and `running` was related to the gang (`Cluster::relate`) or has no terms.
    BarredNodes(const model::Gang& gang, const model::RunningGangs& running, const Candidates& candidates);

    // True if evictions may open a node.
    [[nodiscard]] bool may_change() const { return !leaving_.empty(); }
    // The gang as it is without these pods; sorted.
    [[nodiscard]] model::Gang gang_without(std::span<const PodNumber> gone) const;

private:
    const model::Gang& gang_;
    std::vector<std::vector<std::uint8_t>> barred_;               // AffinityConstraints::barred by all that stays.
    std::vector<std::pair<model::KeptAway, PodNumber>> leaving_;  // By pods that may be evicted.
};

}  // namespace echelon::solver::preemption
