#pragma once

// Does the API server serve Kubernetes' own groups whole, and what would it need (Z33)? All their gates are off by
// default.
//
// Pure.

#include "kube/watch/watcher.hpp"
#include "model/facts/event.hpp"

#include <string>
#include <vector>

namespace echelon::kube {

// True for a pod that names one of Kubernetes' own groups: the field for it is kept.
[[nodiscard]] bool names_upstream_group(const model::Event& event);

// A sentence for each part that is missing; none while the first lists are still to come. `is_named`: some pod has
// named such a group.
[[nodiscard]] std::vector<std::string> missing_of_upstream(const std::vector<WatchStatus>& watched, bool is_named);

}  // namespace echelon::kube
