#pragma once

// How much does a pod take on its node? The effective request, as kube-scheduler computes it. Pure.

#include "kube/json/field.hpp"
#include "model/facts/amounts.hpp"

namespace echelon::kube {

// A map from resource to quantity, without zeros. Faults are noted in the field.
[[nodiscard]] model::Amounts read_amounts(const Field& resources);

// The larger of two amounts: all containers and sidecars together, and each init container with the sidecars that
// started before it. Pod-level cpu, memory and huge pages replace that, and the overhead is added. "pods" is 1.
[[nodiscard]] model::Amounts effective_request(const Field& pod);

}  // namespace echelon::kube
