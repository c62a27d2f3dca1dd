#pragma once

// What do a JobSet and its pods ask for? `jobset.x-k8s.io/v1alpha2`; keys have the prefix `jobset.sigs.k8s.io/`.
//
//   the object                             root, every replicated job needed; a gang only while its pods follow no
//                                          other group
//   spec.replicatedJobs[]                  a composite each
//     .replicas (absent: 1)                its Jobs, every one needed; those that have succeeded are needed no more
//     .groupName                           a composite between root and replicated jobs
//     .template.spec.parallelism,          minimum and expected of each Job's leaf: the smaller (absent: 1, none)
//       completions
//     .template.spec.template              the shape of pods that don't exist yet
//     .dependsOn; spec.startupPolicy       Jobs whose pods come after those of others: placeholders
//       .startupPolicyOrder: InOrder
//   annotation alpha.jobset.sigs.k8s.io/   required KEY of each Job, on the JobSet or a replicated job's template; the
//     exclusive-topology: KEY              pods of a Job come after its first one has a node, unless nodes are labelled
//                                          by hand (alpha.jobset.sigs.k8s.io/node-selector)
//   annotations of Kueue on the pods' template         levels of the replicated job, slices of it
//   labels jobset-name, replicatedjob-name, job-index      name the leaf
//   labels jobset-uid, restart-attempt, job-restart-attempt     attempt
//
// Which Jobs are exclusive follows from the anti-affinity of their pods. Where the pods name a PodGroup of
// scheduling.x-k8s.io, as Kubeflow Trainer has it, the JobSet says of that one which pods come late, and how many have
// ended (H7): as many for each Job that status.replicatedJobsStatus[].succeeded counts as it had. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view job_set_group = "jobset.x-k8s.io";

[[nodiscard]] model::GroupSet read_job_set(const Field& object, const Metadata& metadata);
// nullopt: the pod is of no JobSet.
[[nodiscard]] std::optional<model::Membership> job_set_membership(const Metadata& pod);
// The level of exclusive topology, for a group of another dialect that stands for the only Job of a JobSet: one around
// several Jobs isn't bound by what binds each. False: there is none.
bool add_exclusive_job(const Metadata& pod, model::Group& group);

}  // namespace echelon::kube
