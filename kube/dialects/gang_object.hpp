#pragma once

// What does echelon's own Gang declare? `echelon.sh/v1alpha1`, a whole tree in one object.
//
//   the object                      the root; the only leaf if there are no groups
//   spec.groups[], at each level    one child each
//     .name                         its name, appended to its parent's
//     .replicas                     a composite NAME over that many copies of this group: NAME/0, NAME/1 ...
//     .replicaLabel (absent:        the pod label whose value is the number of the replica
//       echelon.sh/replica)
//     .minimumReplicas (absent:     minimum of the composite over the replicas
//       all)
//     .podSelector (absent: label   which pods of the gang are in the leaf; the first leaf that matches gets the pod
//       echelon.sh/group: NAME)
//   at the root and in each group:
//     .minimum                      leaf: pods; with groups: satisfied groups (absent: all)
//     .minimumPods                  with groups: pods in the whole subtree
//     .requiredTopology, .preferredTopology     levels, by key or other name
//     .topologyMultiples: KEY -> n  a multiple of n pods in each domain
//     .maxPerDomain: KEY -> n       at most n pods in each domain; with groups: n groups; with replicas: n replicas
//     .pairedTopology               with groups: in each domain of this level the groups keep their proportion
//     .disruptionMode               all or single: whether its pods are evicted together (absent: single)
//     .expectedPods, .startPods     declared number of pods; how many of them are created first
//   spec.topologyName, .priorityClassName, .priority, .preemptionPolicy     for the whole tree
//   spec.timeoutSeconds             how long seats are held for their pods (absent: as configured)
//   pod label echelon.sh/gang       names the object, if the pod has no annotation of `label_gang.hpp`
//
// A pod of the gang that matches no leaf makes it Invalid. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view own_group = "echelon.sh";
inline constexpr std::string_view gang_object_root = "gang";  // Kind of the root's key.

[[nodiscard]] model::GroupSet read_gang_object(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube
