#pragma once

// Which group does a pod belong to? The first source that names a group wins, so a pod is in one leaf only.
//
// Pure. In order (docs/dialects.md): a field of Kubernetes itself, our labels, Grove, KAI, Volcano, scheduler-plugins,
// PodGroups of Koordinator, RoleBasedGroup, Koordinator's annotations, DisaggregatedSet, LeaderWorkerSet, JobSet,
// Kueue. A named object wins over labels, and an original over its translation for another scheduler. A pod waits for a
// named object that does not exist yet. A later source is asked only if the kind of the object isn't served.

#include "kube/client/served_kinds.hpp"
#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>

namespace echelon::kube {

// Rank and attempt come from the controller that made the pod, whichever source names the group. So do
// supplements of the leaf: the size of a LeaderWorkerSet's replica, which Jobs of a JobSet are there, levels of
// exclusive topology, and Kueue's topology request.
[[nodiscard]] std::optional<model::Membership> read_membership(const Field& object, const Metadata& metadata,
                                                               UnservedKinds unserved = {});
// The group of the object that declares this part of a gang, when only pods have named the part so far. Nullopt: no
// object has such parts, or each part is a gang.
[[nodiscard]] std::optional<model::GroupKey> object_of_part(const model::GroupKey& part);
// The pod's labels, and the other fields by which groups select members (`model/gang/sub_group_selection.hpp`).
[[nodiscard]] model::Labels read_sorting_labels(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube
