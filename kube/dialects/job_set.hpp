#pragma once

// What do a JobSet and its pods declare? `jobset.x-k8s.io/v1alpha2`; keys have the prefix `jobset.sigs.k8s.io/`.
//
//   the object                             the root, all children needed; a gang only while its pods name no
//                                          other group
//   spec.replicatedJobs[]                  one composite each
//     .replicas (absent: 1)                its Jobs; all that have not succeeded are needed
//     .groupName                           a composite between the root and replicated jobs
//     .template.spec.parallelism,          minimum and expected of each Job's leaf: the smaller one (absent: 1, none)
//       completions
//     .template.spec.template              the pod class of pods that don't exist yet
//     .dependsOn; spec.startupPolicy       Jobs whose pods are created after those of other Jobs: placeholders
//       .startupPolicyOrder: InOrder
//   .suspend                             no more pods come: no placeholders
//   status.terminalState; .conditions[]    the same, and nothing is needed any more
//     Completed, Failed
//   annotation alpha.jobset.sigs.k8s.io/   required level of each Job, on the JobSet, on the template of a replicated
//     exclusive-topology: KEY              job or of the pods, or on any pod; its pods are created after the first has
//                                          a node, unless nodes are labelled by hand
//                                          (alpha.jobset.sigs.k8s.io/node-selector)
//   annotations of Kueue on the pod template or pods   levels and slices of the replicated job; slices without a size
//                                                      are its Jobs
//   labels jobset-name, replicatedjob-name, job-index      name the leaf
//   labels jobset-uid, restart-attempt, job-restart-attempt     attempt
//
// Groups of other dialects learn how many pods come, and which come first: `kube/dialects/replicated_job.hpp`.
//
// The anti-affinity of the pods keeps exclusive Jobs apart. Pods of Kubeflow Trainer name a PodGroup of
// scheduling.x-k8s.io. The JobSet then supplements that group: which pods come late, and how many have ended (H7). For
// each Job in status.replicatedJobsStatus[].succeeded all pods count as ended. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view job_set_group = "jobset.x-k8s.io";

[[nodiscard]] model::GroupSet read_job_set(const Field& object, const Metadata& metadata);
// Nullopt: the pod belongs to no JobSet.
[[nodiscard]] std::optional<model::Membership> job_set_membership(const Metadata& pod);
// The replicated job of a Job, for a leaf that `job_set_membership` named.
[[nodiscard]] model::GroupKey replicated_job_of(const model::GroupKey& job);
// The slices of a topology request consist of ranks that run through all Jobs.
void count_ranks_across_jobs(model::Group& replicated_job);
// True for the leaves that this dialect declares.
[[nodiscard]] bool is_job_of_job_set(const model::GroupKey& key);
// What a pod of a Job adds to its leaf: the level of exclusive topology, which binds each Job. If another dialect
// defines the leaf, it binds the leaf only if that has no pods of another Job. It then also says which Job is there, so
// that the JobSet counts its pods. Nullopt: nothing.
[[nodiscard]] std::optional<model::Group> supplement_of_job(const Metadata& pod, const model::GroupKey& leaf,
                                                            bool are_job_sets_served);

}  // namespace echelon::kube
