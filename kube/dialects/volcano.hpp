#pragma once

// What does a PodGroup of Volcano declare? `scheduling.volcano.sh/v1beta1`.
//
//   the object                             the root: the only leaf, or with tasks or policies a composite, all needed
//   spec.minMember (absent: 0)             minimum of the only leaf; with policies or tasks: pods in the whole tree
//   spec.minTaskMember: task -> pods       a leaf per task, by the pods' label or annotation volcano.sh/task-spec;
//                                          ignored if its sum exceeds minMember, or if there are policies
//   spec.networkTopology                   levels of the root
//   spec.subGroupPolicy[]                  one composite each
//     .name
//     .labelSelector (absent: every pod)   which pods; the first policy that matches gets the pod
//     .matchLabelKeys[]                    each combination of values is a leaf; a pod without one doesn't match
//     .subGroupSize (absent: 1)            minimum of each leaf
//     .minSubGroups (absent: 0)            minimum of the composite
//     .networkTopology                     levels of each leaf
//   networkTopology.mode (absent: hard)    soft: the narrowest tier is preferred
//     .highestTierAllowed, .highestTierName   hard: the required level, by exactly one of the two
//   spec.priorityClassName                 priority
//   annotation, else label volcano.sh/preemptable   any value but true: no pod is evicted; also read on pods
//   pod annotation scheduling.k8s.io/group-name, else scheduling.volcano.sh/group-name     names the group
//
// Pods that match no policy or task are extras in the leaf "-". Not read: queue, minResources, status; annotations of
// plain workloads, for which Volcano's controller creates a PodGroup. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view volcano_group = "scheduling.volcano.sh";

[[nodiscard]] model::GroupSet read_volcano_group(const Field& object, const Metadata& metadata);
// Nullopt: the pod names no such group.
[[nodiscard]] std::optional<model::Membership> volcano_membership(const Metadata& pod);
// Adds the annotation by which such groups select pods to `labels`, unless the pod has it as a label.
void add_volcano_selector_keys(const Metadata& pod, model::Labels& labels);

}  // namespace echelon::kube
