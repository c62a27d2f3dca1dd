#pragma once

// Which gang do the pods of a DisaggregatedSet form? Prefix `disaggregatedset.x-k8s.io/`.
//
//   labels name, slice (absent: 0), revision    the gang "namespace/name/slice/revision": every role, at least two
//   label role                                  a composite over the role's replicas, of which one is needed
//   labels of the LeaderWorkerSet               a leaf each, or its sub-groups (`leader_worker_set.hpp`)
//
// The object, `disaggregatedset.x-k8s.io/v1` DisaggregatedSet, says how many roles there are, so that one is waited for
// before a pod of it was seen; no revision is named in it, and what it says holds for all of them:
//
//   spec.roles[].name                           as many children are needed, at least two
//
// Not read: spec.slices, since each slice is a gang of its own by its label; spec.placementPolicy, which arrives as
// affinity and anti-affinity of the pods. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view disaggregated_set_group = "disaggregatedset.x-k8s.io";
inline constexpr std::string_view disaggregated_set_kind = "disaggregatedset";  // Of the group key of the object.

// What the object says of each of its gangs.
[[nodiscard]] model::Group read_disaggregated_set(const Field& object, const Metadata& metadata);
// nullopt: the pod is of no DisaggregatedSet.
[[nodiscard]] std::optional<model::Membership> disaggregated_set_membership(const Metadata& pod);

}  // namespace echelon::kube
