#pragma once

// Which members of gangs does a plan leave out, since no profile has their schedulerName? (Z2)
//
// Pure.

#include "model/cluster/cluster.hpp"
#include "model/facts/event.hpp"

#include <string>
#include <vector>

namespace echelon::app {

// A sentence for each such schedulerName, by name. Pods that have a node, or have ended, aren't left out.
[[nodiscard]] std::vector<std::string> left_out_pods(const std::vector<model::Event>& events,
                                                     const model::Profiles& profiles);

}  // namespace echelon::app
