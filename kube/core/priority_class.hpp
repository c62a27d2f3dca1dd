#pragma once

// What number does a priority class stand for? `scheduling.k8s.io` PriorityClass. Pure.

#include "kube/json/field.hpp"
#include "model/facts/event.hpp"

namespace echelon::kube {

[[nodiscard]] model::PriorityClassSeen read_priority_class(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube
