#pragma once

// What does a v1 Pod need, where may it go, and to which group does it say it belongs? Pure.

#include "kube/client/served_kinds.hpp"
#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

namespace echelon::kube {

// A pod without a UID (a manifest written by hand) gets "namespace/name".
[[nodiscard]] model::Pod read_pod(const Field& object, const Metadata& metadata, UnservedKinds unserved = {});
// Of a pod, or of the template of one.
[[nodiscard]] model::PodClass read_shape(const Field& object);

}  // namespace echelon::kube
