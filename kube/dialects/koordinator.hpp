#pragma once

// What do Koordinator's PodGroups and gang annotations ask for? `scheduling.sigs.k8s.io/v1alpha1`, and annotations
// below `gang.scheduling.koordinator.sh/` on the PodGroup, or on the pods of a gang without one.
//
//   spec.minMember, else /min-available       minimum of the leaf
//   /total-number                             expected; smaller than the minimum: raised to it
//   /groups: JSON list of "namespace/name"    the root over all of them, every one needed; the root's levels are the
//                                             widest that the gangs ask for, if each asks for one
//   /network-topology-spec, gatherStrategy[]  MustGather: required, PreferGather: preferred, both by a level's alias;
//                                             podCountMultiple: multiples
//   spec.scheduleTimeoutSeconds, else         timeout: how long held seats wait for their pods; 0 and less state
//     /waiting-time (Go duration)             nothing
//   /match-policy, else                       once-satisfied, waiting-and-running: who waits and who runs counts;
//     pod-group.../match-policy               only-waiting: who runs doesn't count
//   /mode                                     Strict, NonStrict: no difference; anything else is Strict
//   /network-topology-index (pod)             rank
//   pod labels pod-group.scheduling.sigs.k8s.io, .../name; annotation /name      name the leaf
//
// Not read: minResources, network-topology-selector (for Koordinator a tie-break), QoS. What can't be read makes the
// gang Invalid, where Koordinator falls back to "no rule". Of pods that form a gang by annotations and disagree the
// oldest decides, then the first by name, and the others are named in a warning; Koordinator follows whichever it saw
// first. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view koordinator_group = "scheduling.sigs.k8s.io";

[[nodiscard]] model::GroupSet read_koordinator_group(const Field& object, const Metadata& metadata);
// The leaf that is a PodGroup; nullopt: the pod names none.
[[nodiscard]] std::optional<model::Membership> koordinator_membership(const Metadata& pod);
// The leaf that exists by annotations of its pods only; nullopt: the pod names none.
[[nodiscard]] std::optional<model::Membership> koordinator_annotated_membership(const Metadata& pod);

}  // namespace echelon::kube
