#pragma once

// Does each seat of a gang hold what its pod asks for now? A claim may have got devices since, or a pod was resized.

#include "engine/gang/gang_state.hpp"
#include "engine/reserve/ledger.hpp"
#include "model/cluster/cluster.hpp"

namespace echelon::engine {

// True: some hold was put anew, so room may have become free.
bool renew_holds(const GangState& gang, const model::Cluster& cluster, Ledger& ledger);

}  // namespace echelon::engine
