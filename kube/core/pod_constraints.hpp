#pragma once

// On which nodes may a pod run? Its node affinity and tolerations as sorted values, so that pods with the same
// constraints in another order are of the same pod class. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <vector>

namespace echelon::kube {

// requiredDuringSchedulingIgnoredDuringExecution of a pod's spec; nullopt: no constraint.
[[nodiscard]] std::optional<std::vector<model::NodeTerm>> read_node_affinity(const Field& spec);
// The nodeSelectorTerms of a node selector, one of which must match.
[[nodiscard]] std::vector<model::NodeTerm> read_node_selector(const Field& selector);
[[nodiscard]] std::vector<model::Toleration> read_tolerations(const Field& spec, const Bound& bound = list_bound);
// A label selector: matchLabels and matchExpressions as one list, all of which must match. Requires: it exists.
[[nodiscard]] std::vector<model::Requirement> read_label_selector(const Field& selector,
                                                                  const Bound& bound = list_bound);
// Nullopt: the effect is absent, or unknown, which is a fault.
[[nodiscard]] std::optional<model::TaintEffect> read_effect(const Field& taint);

}  // namespace echelon::kube
