#pragma once

// What do Koordinator's PodGroups and gang annotations declare? `scheduling.sigs.k8s.io/v1alpha1`, and annotations with
// the prefix `gang.scheduling.koordinator.sh/` on the PodGroup, or on the pods of a gang without one.
//
//   spec.minMember, else /min-available       minimum of the leaf; of a gang without a PodGroup: the pods' label
//                                             pod-group.scheduling.sigs.k8s.io/min-available, else /min-available
//   /total-number                             expected; smaller than the minimum: raised to it
//   /groups: JSON list of "namespace/name"    a root over all of them, all needed; the root's levels are the
//                                             widest that the gangs state, if each states one
//   /network-topology-spec, gatherStrategy[]  MustGather: required, PreferGather: preferred, both by a level's alias;
//                                             podCountMultiple: multiples
//   spec.scheduleTimeoutSeconds, else         timeout: how long seats are held for their pods; 0 and less are
//     /waiting-time (Go duration)             ignored
//   /match-policy, else                       once-satisfied, waiting-and-running: waiting and running pods count;
//     pod-group.../match-policy               only-waiting: running pods don't count
//   /mode                                     Strict, NonStrict: no difference; other values: a warning
//   /network-topology-index (pod)             rank
//   pod labels pod-group.scheduling.sigs.k8s.io, .../name; annotation /name      name the leaf
//
// Not read: minResources, network-topology-selector (a tie-break in Koordinator), QoS. An annotation that can't be read
// makes the gang Invalid; Koordinator ignores it. An empty one is absent, as for Koordinator, except /min-available. If
// pods of a gang by annotations disagree, the oldest decides, then the first by name, and a warning names the others;
// Koordinator follows the pod that it saw first. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view koordinator_group = "scheduling.sigs.k8s.io";

[[nodiscard]] model::GroupSet read_koordinator_group(const Field& object, const Metadata& metadata);
// The leaf of a PodGroup; nullopt: the pod names none.
[[nodiscard]] std::optional<model::Membership> koordinator_membership(const Metadata& pod);
// True if the pod states the minimum of a gang without a PodGroup.
[[nodiscard]] bool states_koordinator_minimum(const Metadata& pod);
// The leaf that a pod declares by annotations; nullopt: it declares none.
[[nodiscard]] std::optional<model::Membership> koordinator_annotated_membership(const Metadata& pod);

}  // namespace echelon::kube
