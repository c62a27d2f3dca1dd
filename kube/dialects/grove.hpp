#pragma once

// What does a PodGang of Grove ask for? `scheduler.grove.io/v1alpha1`.
//
//   the object                               root, every child needed
//   label grove.io/scheduler-name            of another scheduler: a gang only once it has pods of ours
//   spec.topologyConstraintGroupConfigs[]    a composite over its podGroupNames, every one needed; none: skipped
//   spec.podgroups[] {name, minReplicas}     leaf, below its config or the root; 0: always satisfied (N6)
//     .podReferences[]                       expected; may be partial; another namespace is refused;
//                                           a pod that names no gang is a member by its name (Z36)
//   topologyConstraint.packConstraint        required and preferred label keys, at all three places
//   spec.priorityClassName                   priority (it isn't on the pods)
//   annotation grove.io/topology-name        the topology (earlier: kai.scheduler/topology)
//   pod labels grove.io/podgang, /podclique  name the leaf; /podclique-pod-index: rank; /pod-template-hash: attempt
//   pod label grove.io/base-podgang          on pods of a scaled gang: it shares the domain of that PodGang (X5)
//
//   status.placementScore                    written when every minimum is bound: 1 is every preferred level met
//
// Not read: status, conditions, spec.reuseReservationRef (a warning says so). Nothing but bindings is ever written to
// its pods' specs. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view grove_group = "scheduler.grove.io";

[[nodiscard]] model::GroupSet read_pod_gang(const Field& object, const Metadata& metadata);
// nullopt: the pod names no PodGang.
[[nodiscard]] std::optional<model::Membership> grove_membership(const Metadata& pod);

}  // namespace echelon::kube
