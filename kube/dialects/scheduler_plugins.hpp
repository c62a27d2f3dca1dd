#pragma once

// What does a PodGroup of scheduler-plugins (coscheduling) declare? `scheduling.x-k8s.io/v1alpha1`.
//
//   spec.minMember               minimum of the leaf, which is the root
//   spec.scheduleTimeoutSeconds  timeout: how long seats are held for their pods; 0 and less are ignored
//   spec.priorityClassName       priority
//   pod label scheduling.x-k8s.io/pod-group   names the leaf
//
// Not read: minResources (a sum ignores fragmentation), status. A single group without topology levels. Kubeflow
// Trainer and the Slurm bridge create the same object. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view scheduler_plugins_group = "scheduling.x-k8s.io";
inline constexpr std::string_view scheduler_plugins_leaf = "x-k8s-podgroup";  // Kind of the group key.

[[nodiscard]] model::Group read_scheduler_plugins_group(const Field& object, const Metadata& metadata);
// Nullopt: the pod names no such group.
[[nodiscard]] std::optional<model::Membership> scheduler_plugins_membership(const Metadata& pod);

}  // namespace echelon::kube
