#pragma once

// May kube-scheduler evict these pods of one node for another pod? The shield protects gangs against kube-scheduler's
// own preemption (PR6).
//
// Judges by the facts of the moment. Pure.

#include "model/cluster/cluster.hpp"

#include <span>
#include <string>
#include <vector>

namespace echelon::engine {

// For the UIDs of the victims on each node: true if every gang keeps its minimum and loses whole units only (U1). Pods
// of no gang may always go. Costs a walk over the members of each gang that has victims.
[[nodiscard]] std::vector<bool> may_evict(const model::Cluster& cluster,
                                          std::span<const std::vector<std::string>> victims);

}  // namespace echelon::engine
