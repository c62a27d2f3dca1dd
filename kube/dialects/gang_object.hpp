#pragma once

// What does our own Gang ask for? `echelon.sh/v1alpha1`, a whole tree in one object.
//
//   the object                      root; without groups the only leaf
//   spec.groups[], at each level    a child each
//     .name                         its name, below that of its parent
//     .replicas                     so many of this group, told apart by a label: below NAME, NAME/0, NAME/1 ...
//     .replicaLabel (absent:        its values are the numbers of the replicas
//       echelon.sh/replica)
//     .minimumReplicas (absent:     minimum of the composite over the replicas
//       all)
//     .podSelector (absent: label   which pods of the gang are in the leaf; the first leaf that takes a pod has it
//       echelon.sh/group: NAME)
//   at the root and in each group:
//     .minimum                      leaf: pods; with groups: satisfied groups (absent: all)
//     .minimumPods                  with groups: pods in the whole subtree
//     .requiredTopology, .preferredTopology     levels, by key or other name
//     .topologyMultiples: KEY -> n  a multiple of n pods in each domain
//     .maxPerDomain: KEY -> n       at most n of its pods, groups, or with .replicas replicas, in each domain
//     .pairedTopology               with groups: the level in each domain of which they keep in proportion
//     .disruptionMode               all or single: whether its pods are evicted together (absent: single)
//     .expectedPods, .startPods     declared number of pods; how many of them come before the others
//   spec.topologyName, .priorityClassName, .priority, .preemptionPolicy     of the whole tree
//   spec.timeoutSeconds             how long held seats wait for their pods (absent: as configured)
//   pod label echelon.sh/gang, without annotations of gangs by labels       names the object
//
// A pod of the gang that no leaf takes makes it Invalid. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view own_group = "echelon.sh";
inline constexpr std::string_view gang_object_root = "gang";  // Kind of the root's key.

[[nodiscard]] model::GroupSet read_gang_object(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube
