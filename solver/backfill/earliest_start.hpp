#pragma once

// At which moment, and on which nodes, can a gang start at the earliest, if every running pod ends when it declared?
// (Q17)
//
// Pure and deterministic. Room only grows while pods end, so the moment is found by halving: the pods are sorted once,
// and a few searches follow. Each search has its own budget of counted steps.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"
#include "solver/solve.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace echelon::solver::backfill {

using Moment = double;  // By any clock, in any unit: moments are only compared.

// What a pod leaves on its node when it ends. Pods without a declared end leave nothing, ever.
struct Release {
    Moment at = 0;
    model::NodeId node = 0;
    std::vector<std::pair<std::size_t, std::int64_t>> amounts;  // Resource id, amount.
};

struct Start {
    Moment at = 0;  // `now`, or the end of a pod: also one that has passed, of a pod that is late.
    Plan plan;
};

struct EarliestStart {
    std::optional<Start> start;  // Nullopt: not by declared ends alone, or no plan was found within the budget.
    std::uint64_t steps = 0;     // Of all searches.
};

// Nobody else starts in between: nodes where others may do so must be closed in the snapshot. Requires: the gang was
// built against the snapshot, which is afterwards as it was before.
[[nodiscard]] EarliestStart earliest_start(model::Snapshot& snapshot, const model::Gang& gang,
                                           std::vector<Release> releases, Moment now, SolveOptions budget);

}  // namespace echelon::solver::backfill
