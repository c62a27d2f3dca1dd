#pragma once

// Which gang do the pods of a DisaggregatedSet form? Prefix `disaggregatedset.x-k8s.io/`.
//
//   labels name, slice (absent: 0), revision    the gang "namespace/name/slice/revision": every role, at least two
//   label role                                  a composite over the role's replicas, of which one is needed
//   labels of the LeaderWorkerSet               a leaf each, or its sub-groups (`leader_worker_set.hpp`)
//
// Placement policies arrive as affinity and anti-affinity of the pods. Labels alone suffice; the object isn't read, so
// that a role is waited for only once a pod of it was seen, and never fewer than two roles are. Pure.

#include "kube/field.hpp"
#include "model/pod.hpp"

#include <optional>

namespace echelon::kube {

// nullopt: the pod is of no DisaggregatedSet.
[[nodiscard]] std::optional<model::Membership> disaggregated_set_membership(const Metadata& pod);

}  // namespace echelon::kube
