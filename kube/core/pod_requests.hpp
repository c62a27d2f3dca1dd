#pragma once

// How much room does a pod take on its node? The effective request, as kube-scheduler counts it. Pure.

#include "kube/json/field.hpp"
#include "model/facts/amounts.hpp"

namespace echelon::kube {

// A map from resource to quantity, without zeros. Faults are noted in the field.
[[nodiscard]] model::Amounts read_amounts(const Field& resources);

// The larger of all containers together and of each init container beside the sidecars that started before it;
// pod-level cpu, memory and huge pages replace that sum; the overhead comes on top. "pods" is 1.
[[nodiscard]] model::Amounts effective_request(const Field& pod);

}  // namespace echelon::kube
