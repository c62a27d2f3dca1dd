#pragma once

// What does a PodGroup of KAI Scheduler ask for? `scheduling.run.ai/v2alpha2`.
//
//   the object                          root: the only leaf, or with subGroups a composite
//   spec.minMember (absent: 1)          minimum of the only leaf; not read beside subGroups
//   spec.minSubGroup (absent: all)      minimum of the root over its direct children
//   spec.subGroups[] {name, parent}     a flat list of any depth
//     .minMember (absent: 0)            minimum of a leaf
//     .minSubGroup (absent: all)        minimum of an inner group
//   topologyConstraint                  requiredTopologyLevel, preferredTopologyLevel: a label key or an alias; on the
//     {topology, ...}                   PodGroup it counts only if `topology` is set
//   pods without a part beside subGroups     extras, in the leaf "-"
//   spec.priorityClassName (absent: 50) priority
//   spec.preemptibility                 preemptible, or not: then no pod is evicted; absent: it is below priority 100
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
// nullopt: the pod names no such group.
[[nodiscard]] std::optional<model::Membership> kai_membership(const Metadata& pod);
// A pod that asks for a part of a GPU in KAI's words, of whatever gang: a warning of the gang says that it isn't counted.
void tell_gpu_shares(const Metadata& pod, model::Membership& membership);

}  // namespace echelon::kube
