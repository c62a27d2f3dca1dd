#pragma once

// Which priority does a PriorityClass (`scheduling.k8s.io`) have, and may its pods preempt others? Pure.

#include "kube/json/field.hpp"
#include "model/facts/event.hpp"

#include <optional>

namespace echelon::kube {

[[nodiscard]] model::PriorityClassSeen read_priority_class(const Field& object, const Metadata& metadata);
// `preemptionPolicy` of a PriorityClass, a pod or a group. Nullopt: it is absent, or wrong, which is a fault.
[[nodiscard]] std::optional<bool> read_preempts(const Field& holder);

}  // namespace echelon::kube
