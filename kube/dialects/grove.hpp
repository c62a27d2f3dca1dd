#pragma once

// What does a PodGang of Grove declare? `scheduler.grove.io/v1alpha1`.
//
//   the object                               the root; all children are needed
//   label grove.io/scheduler-name            another scheduler: a gang only once it has pods for our profiles
//   spec.topologyConstraintGroupConfigs[]    a composite over its podGroupNames, all needed; skipped if there are none
//   spec.podgroups[] {name, minReplicas}     a leaf, below its config or the root; 0: always satisfied (N6)
//     .podReferences[]                       expected pods; may be partial; another namespace is a problem;
//                                            a pod that names no gang is a member by its name (Z36)
//   topologyConstraint.packConstraint        required and preferred label keys, in all three places above
//   spec.priorityClassName                   priority (the pods don't have it)
//   annotation grove.io/topology-name        the topology (earlier: kai.scheduler/topology)
//   pod labels grove.io/podgang, /podclique  name the leaf; /podclique-pod-index: rank; /pod-template-hash: attempt
//   pod label grove.io/base-podgang          on pods of a scaled gang: must share the domain of that PodGang (X5)
//
//   status.placementScore                    written by echelon when every minimum is bound; 1: all preferences met
//
// Not read: status, conditions, spec.reuseReservationRef (with a warning). Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view grove_group = "scheduler.grove.io";

[[nodiscard]] model::GroupSet read_pod_gang(const Field& object, const Metadata& metadata);
// Nullopt: the pod names no PodGang.
[[nodiscard]] std::optional<model::Membership> grove_membership(const Metadata& pod);

}  // namespace echelon::kube
