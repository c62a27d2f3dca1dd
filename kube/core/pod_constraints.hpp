#pragma once

// On which nodes may a pod run at all, and beside which other pods? Its node selector, required affinities and
// tolerations, as sorted values, so that pods with the same wishes in another order have the same shape. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <vector>

namespace echelon::kube {

// requiredDuringSchedulingIgnoredDuringExecution of a pod's spec; nullopt: no constraint.
[[nodiscard]] std::optional<std::vector<model::NodeTerm>> read_node_affinity(const Field& spec);
// A selector of nodes: its nodeSelectorTerms, one of which must hold.
[[nodiscard]] std::vector<model::NodeTerm> read_node_selector(const Field& selector);
[[nodiscard]] std::vector<model::Toleration> read_tolerations(const Field& spec);
// A selector of pods by their labels, which exists: matchLabels and matchExpressions as one list that must hold.
[[nodiscard]] std::vector<model::Requirement> read_label_selector(const Field& selector,
                                                                  const Bound& bound = list_bound);
// NoSchedule, PreferNoSchedule, NoExecute; nullopt when absent, or unknown, which is noted.
[[nodiscard]] std::optional<model::TaintEffect> read_effect(const Field& taint);

}  // namespace echelon::kube
