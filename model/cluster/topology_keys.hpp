#pragma once

// Which nodes share the value of one label? Pure.

#include "model/cluster/node_index.hpp"
#include "model/gang/affinity_constraints.hpp"
#include "model/topology/snapshot.hpp"

#include <string>

namespace echelon::model {

[[nodiscard]] TopologyKeyIndex index_by_label(const std::string& key, const Snapshot& snapshot, const NodeIndex& nodes);

}  // namespace echelon::model
