#pragma once

// What does a PodGroup of KAI Scheduler declare? `scheduling.run.ai/v2alpha2`.
//
//   the object                          the root: the only leaf, or a composite if there are subGroups
//   spec.minMember (absent: 1)          minimum of the only leaf; ignored if there are subGroups
//   spec.minSubGroup (absent: all)      minimum of the root over its direct children
//   spec.subGroups[] {name, parent}     a tree of any depth as a flat list
//     .minMember (absent: 0)            minimum of a leaf
//     .minSubGroup (absent: all)        minimum of an inner group
//   topologyConstraint                  requiredTopologyLevel, preferredTopologyLevel: a label key or an alias; on the
//     {topology, ...}                   PodGroup it counts only if `topology` is set
//   pods without a subGroup             extras in the leaf "-", if there are subGroups; minSubGroup doesn't count it
//   spec.priorityClassName              priority; absent: that of the class with globalDefault, else 50
//   spec.preemptibility                 non-preemptible: no pod is evicted; absent: preemptible below priority 100
//   pod annotation pod-group-name, label kai.scheduler/subgroup-name      name the leaf
//
// Not read: queue, markUnschedulable, schedulingBackoff, preemptionDelay, stalenessGracePeriod. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view kai_group = "scheduling.run.ai";

[[nodiscard]] model::GroupSet read_kai_group(const Field& object, const Metadata& metadata);
// Nullopt: the pod names no such group.
[[nodiscard]] std::optional<model::Membership> kai_membership(const Metadata& pod);
// Adds a warning to the gang of a pod, whatever its dialect: the part of a GPU that KAI's annotations request is not
// counted.
void warn_of_gpu_shares(const Metadata& pod, model::Membership& membership);

}  // namespace echelon::kube
