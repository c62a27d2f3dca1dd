#pragma once

// What does a PodGroup of Volcano ask for? `scheduling.volcano.sh/v1beta1`.
//
//   the object                             root: the only leaf, or with tasks or policies a composite, every one needed
//   spec.minMember (absent: 0)             minimum of the only leaf; beside policies and tasks pods in the whole tree
//   spec.minTaskMember: task -> pods       a leaf per task, by the pods' label or annotation volcano.sh/task-spec; not
//                                          read when its sum exceeds minMember, or beside policies
//   spec.networkTopology                   levels of the root
//   spec.subGroupPolicy[]                  a composite each
//     .name
//     .labelSelector (absent: every pod)   which pods; the first policy that takes a pod has it
//     .matchLabelKeys[]                    each combination of values is a leaf; without one the pod isn't taken
//     .subGroupSize (absent: 1)            minimum of each leaf
//     .minSubGroups (absent: 0)            minimum of the policy
//     .networkTopology                     levels of each leaf
//   networkTopology.mode (absent: hard)    soft: preferred, the narrowest tier
//     .highestTierAllowed, .highestTierName   hard: required, one of the two
//   spec.priorityClassName                 priority
//   annotation, else label volcano.sh/preemptable   not true: no pod is evicted; also on pods
//   pod annotation scheduling.k8s.io/group-name, else scheduling.volcano.sh/group-name     names the group
//
// Pods that no policy takes, or that are of no task, are extras in the leaf "-". Not read: queue, minResources, status;
// annotations of plain workloads, of which Volcano's controller makes a PodGroup. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view volcano_group = "scheduling.volcano.sh";

[[nodiscard]] model::GroupSet read_volcano_group(const Field& object, const Metadata& metadata);
// nullopt: the pod names no such group.
[[nodiscard]] std::optional<model::Membership> volcano_membership(const Metadata& pod);
// The marks by which such groups sort their pods and that aren't labels of the pod.
void add_volcano_selector_keys(const Metadata& pod, model::Labels& labels);

}  // namespace echelon::kube
