#pragma once

// Which nodes does pod anti-affinity open to a gang once some pods outside it are gone? (D14)
//
// Pure.

#include "engine/reserve/ledger.hpp"
#include "model/cluster/cluster.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"

#include <optional>
#include <vector>

namespace echelon::engine {

// The gang as it is once these pods are gone; nullopt: it is the same. Required affinity still counts them.
[[nodiscard]] std::optional<model::Gang> without_pods(const model::Cluster& cluster, const Ledger& ledger,
                                                      const model::Gang& built, const model::Snapshot& snapshot,
                                                      const std::vector<const model::Pod*>& gone);

}  // namespace echelon::engine
