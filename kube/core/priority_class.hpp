#pragma once

// Which priority does a PriorityClass (`scheduling.k8s.io`) have? Pure.

#include "kube/json/field.hpp"
#include "model/facts/event.hpp"

namespace echelon::kube {

[[nodiscard]] model::PriorityClassSeen read_priority_class(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube
