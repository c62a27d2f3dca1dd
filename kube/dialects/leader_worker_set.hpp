#pragma once

// Which gang does a pod of a LeaderWorkerSet form? Each replica (leader and workers) is a separate gang. Prefix
// `leaderworkerset.sigs.k8s.io/`.
//
//   labels name, group-index, group-key    the gang "namespace/name/index"
//   annotation size                        minimum and expected pods
//   label worker-index (leader: 0)         rank
//   label template-revision-hash           attempt
//   label subgroup-index                   a leaf below the gang
//   annotations subgroup-size, subgroup-policy-type (LeaderWorker, LeaderExcluded)    the size of each leaf
//   label kueue.x-k8s.io/podset, before admission annotation role-hash    `leader` and `worker` are a leaf each, as
//                                          with LeaderExcluded
//   annotations exclusive-topology, subgroup-exclusive-topology: KEY    required level of the gang, of each leaf; one
//                                          pod that has it is enough
//
// The object, `leaderworkerset.x-k8s.io/v1` LeaderWorkerSet, states what pods don't:
//
//   spec.startupPolicy: LeaderReady        workers are created after their leader is ready
//     .leaderWorkerTemplate.workerTemplate    the pod class of workers that don't exist yet
//
// With exclusive topology, workers are created after their leader has a node; only the annotation shows it. In both
// cases seats are held for them (H1 to H7, Z15): the leader declares the sub-groups of all its workers. Workers don't
// have the annotation subgroup-policy-type and assume LeaderWorker; the declaration of the leader, which is older,
// wins. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace echelon::kube {

inline constexpr std::string_view leader_worker_set_group = "leaderworkerset.x-k8s.io";

// What the object states for the replicas that its pods declare: one group for leaves with a leader, one for the
// others.
[[nodiscard]] model::GroupSet read_leader_worker_set(const Field& object, const Metadata& metadata);
// The declared groups are in this order: the pod's leaf, the replica (if it has sub-groups), supplements. Nullopt: the
// pod belongs to no LeaderWorkerSet.
[[nodiscard]] std::optional<model::Membership> leader_worker_set_membership(const Metadata& pod);
// True if the leader and the workers are two PodSets of Kueue, so that each is a leaf: what one asks for doesn't bind
// the other. They are one leaf if there is no template for leaders, and if `podset-group-name` joins them.
[[nodiscard]] bool has_leaf_for_pod_set(const Metadata& pod);
// True for the leaves that this dialect declares.
[[nodiscard]] bool is_leaf_of_leader_worker_set(const model::GroupKey& key);
// True for the group of a whole replica.
[[nodiscard]] bool is_replica_of_leader_worker_set(const model::GroupKey& key);
// Makes the replica that the pod declares, with all its sub-groups and supplements, a child of `parent`. Its name
// becomes PARENT/INDEX.
void attach_replica(const model::GroupKey& parent, const Metadata& pod, model::Membership& replica);
// What a pod of a replica adds to its leaf if another dialect defines that: the size, the level of exclusive topology
// and late workers, and the level of the sub-group. Levels bind the leaf only if it has no pods of another replica or
// sub-group. The supplements have no key yet. Empty: the pod belongs to no LeaderWorkerSet, or states nothing.
[[nodiscard]] std::vector<model::Group> supplements_of_replica(const Metadata& pod);

}  // namespace echelon::kube
