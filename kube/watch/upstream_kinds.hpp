#pragma once

// Which kinds of Kubernetes' own group APIs does the API server lack, and how are they enabled (Z33)? All their feature
// gates are off by default.
//
// Pure.

#include "kube/watch/watcher.hpp"
#include "model/facts/event.hpp"

#include <string>
#include <vector>

namespace echelon::kube {

// True for a pod that names one of Kubernetes' own groups; the API server then keeps that field.
[[nodiscard]] bool names_upstream_group(const model::Event& event);

// One sentence per missing part; none before the first lists. `is_named`: some pod has named such a group.
[[nodiscard]] std::vector<std::string> missing_of_upstream(const std::vector<WatchStatus>& watched, bool is_named);

}  // namespace echelon::kube
