#pragma once

// Which group does a pod belong to? The first source that names one wins, so that a pod is in one leaf only.
//
// Pure. In order (docs/dialects.md): a field of Kubernetes itself, our labels, Grove, KAI, Volcano,
// scheduler-plugins, PodGroups of Koordinator, RoleBasedGroup, Koordinator's annotations, DisaggregatedSet,
// LeaderWorkerSet, JobSet, Kueue. A named object beats labels, the original beats its rendering for another scheduler.
// What does not exist yet is waited for; nothing falls through to a later source, but from an object of a kind that
// isn't served.

#include "kube/client/served_kinds.hpp"
#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>

namespace echelon::kube {

// Rank and attempt are filled in from whatever controller made the pod, also for groups of another source; so are the
// size of a LeaderWorkerSet's replica, the levels of exclusive topology and the wishes of Kueue, as supplements of the
// leaf.
[[nodiscard]] std::optional<model::Membership> read_membership(const Field& object, const Metadata& metadata,
                                                               UnservedKinds unserved = {});
// The pod's labels, with the other marks by which groups sort their members (`model/gang/sub_group_selection.hpp`).
[[nodiscard]] model::Labels read_sorting_labels(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube
