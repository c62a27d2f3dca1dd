#pragma once

// What does a v1 Pod request, where may it run, and which group does it name? Pure.

#include "kube/client/served_kinds.hpp"
#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

namespace echelon::kube {

// A pod without a UID (a manifest written by hand) gets "namespace/name".
[[nodiscard]] model::Pod read_pod(const Field& object, const Metadata& metadata, UnservedKinds unserved = {});
// The pod class of a pod or a pod template.
[[nodiscard]] model::PodClass read_pod_class(const Field& object);
// The template of the group's late members (H6).
void read_late_template(const Field& pod_template, model::Group& group);

}  // namespace echelon::kube
