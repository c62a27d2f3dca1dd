#pragma once

// Which gang does a pod of a LeaderWorkerSet form? Each replica (leader and workers) is a gang of its own. Prefix
// `leaderworkerset.sigs.k8s.io/`.
//
//   labels name, group-index, group-key    the gang "namespace/name/index"
//   annotation size                        minimum and expected
//   label worker-index (leader: 0)         rank
//   label template-revision-hash           attempt
//   label subgroup-index                   a leaf below the gang
//   annotations subgroup-size, subgroup-policy-type (LeaderWorker, LeaderExcluded)    how large each leaf is
//   annotations exclusive-topology, subgroup-exclusive-topology: KEY    required level of the gang, of each leaf
//
// Workers may be created only after their leader has a node or is ready, which pods don't tell: the leader is always
// the start set, and seats are held for workers that don't exist yet (semantics, section 10). Not so with sub-groups,
// whose workers are waited for; exclusive topology with sub-groups is read as one leaf. Labels and annotations alone
// suffice; the LeaderWorkerSet object isn't read. Pure.

#include "kube/field.hpp"
#include "model/pod.hpp"

#include <optional>

namespace echelon::kube {

// nullopt: the pod is of no LeaderWorkerSet.
[[nodiscard]] std::optional<model::Membership> leader_worker_set_membership(const Metadata& pod);
// What a replica adds to a group of another dialect that stands for it: its size, whatever that one says of it, and
// that workers may come late. False: the pod is of no LeaderWorkerSet, or doesn't say.
bool add_replica_size(const Metadata& pod, model::Group& group);

}  // namespace echelon::kube
