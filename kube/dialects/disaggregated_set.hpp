#pragma once

// Which gang do the pods of a DisaggregatedSet form? Prefix `disaggregatedset.x-k8s.io/`.
//
//   labels name, slice (absent: 0), revision    the gang "namespace/name/slice/revision": all roles, at least two
//   label role                                  a composite over the role's replicas; its minimum is 1
//   labels of the LeaderWorkerSet               a leaf per replica, or its sub-groups (`leader_worker_set.hpp`)
//
// The object, `disaggregatedset.x-k8s.io/v1` DisaggregatedSet, states the roles, so that the gang waits for a role
// without pods. It applies to all revisions:
//
//   spec.roles[].name                           the children that are needed, at least two
//   spec.roles[].scaling.mode: External         the role isn't needed while it has no pods
//
// Not read: spec.slices, since the label makes each slice a gang; spec.placementPolicy, which becomes affinity and
// anti-affinity of the pods. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view disaggregated_set_group = "disaggregatedset.x-k8s.io";
inline constexpr std::string_view disaggregated_set_kind = "disaggregatedset";  // Kind of the object's group key.

// What the object states for each gang of the set.
[[nodiscard]] model::Group read_disaggregated_set(const Field& object, const Metadata& metadata);
// Nullopt: the pod belongs to no DisaggregatedSet.
[[nodiscard]] std::optional<model::Membership> disaggregated_set_membership(const Metadata& pod);

}  // namespace echelon::kube
