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
//   annotations exclusive-topology, subgroup-exclusive-topology: KEY    required level of the gang, of each leaf; on
//                                          any of its pods
//
// The object, `leaderworkerset.x-k8s.io/v1` LeaderWorkerSet, says what pods don't:
//
//   spec.startupPolicy: LeaderReady        workers are created after their leader is ready
//     .leaderWorkerTemplate.workerTemplate    the shape of workers that don't exist yet
//
// Under exclusive topology workers are created after their leader has a node; the annotation alone tells. Either way
// seats are held for them (H1 to H7, Z15): the leader comes first, and declares the sub-groups of all others. A
// worker isn't told how sub-groups are cut, and takes it to be LeaderWorker: what its leader says, which is older,
// holds. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view leader_worker_set_group = "leaderworkerset.x-k8s.io";

// What the object says of the replicas that its pods declare: of leaves with a leader in them, and of the others.
[[nodiscard]] model::GroupSet read_leader_worker_set(const Field& object, const Metadata& metadata);
// nullopt: the pod is of no LeaderWorkerSet. The replica stands behind its leaves, supplements behind it.
[[nodiscard]] std::optional<model::Membership> leader_worker_set_membership(const Metadata& pod);
// The replica that the pod declares, and what is below it or added to it, become part of a larger gang: its name is
// that of `parent` with its index.
void hang_replica_below(const model::GroupKey& parent, const Metadata& pod, model::Membership& replica);
// What a replica adds to a group of another dialect that stands for it: its size, whatever that one says of it, its
// level, and that workers may come late. False: the pod is of no LeaderWorkerSet, or doesn't say.
bool add_replica(const Metadata& pod, model::Group& group);

}  // namespace echelon::kube
