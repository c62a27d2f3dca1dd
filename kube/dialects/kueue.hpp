#pragma once

// What do Kueue's Workloads and pods declare? Prefix `kueue.x-k8s.io/`; quota and admission stay with Kueue.
//
//   Workload (kueue.x-k8s.io)              the root, all PodSets needed; a gang only while its pods name no other group
//   spec.podSets[] {name, count}           a leaf; minimum and expected are the admitted count, else the declared one
//     .template.metadata.annotations       the topology request below
//     .topologyRequest                     the same: required, preferred, unconstrained, podSetSliceRequiredTopology,
//                                          podSetSliceSize, podsetSliceRequiredTopologyConstraints, podSetGroupName;
//                                          either place counts; if both state it, they must agree (Z30)
//     podset-group-name                    a composite over exactly two PodSets, one of them a single leader; the
//                                          request applies to it
//   label podset, annotation workload      name the leaf
//   annotation workload-slice-name,        name the first Workload of an elastic job, and so the root: the Workloads
//     on pods and Workloads                that follow each other are one gang. One that is replaced declares nothing
//   label pod-group-name, annotation       a leaf of plain pods: minimum and expected are the total count
//     pod-group-total-count
//   podset-required-topology: KEY          required
//   podset-preferred-topology: KEY         preferred
//   podset-unconstrained-topology: "true"  no level; the three exclude each other
//   podset-slice-required-topology: KEY,   slices of n pods of consecutive ranks, each in one domain of KEY:
//     podset-slice-size: n                 multiples, cut by rank (Z42); the size must divide the count, and may be
//                                          stated by the PodSet where only its pods state the level
//   podset-slice-required-topology-        JSON [{topology, size}], coarse to fine, at most 3; each size divides the
//     constraints                          one above
//   pod-group-pod-index, pod-group-pod-    rank
//     index-label, pod-index-offset
//
// The topology request also applies to groups of other dialects, in addition to their own levels. Scheduling gates of
// Kueue are gates of another controller, and a nodeSelector that it wrote counts like any other. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view kueue_group = "kueue.x-k8s.io";

[[nodiscard]] model::GroupSet read_kueue_workload(const Field& object, const Metadata& metadata);
// The leaf of a PodSet; nullopt: the pod names none.
[[nodiscard]] std::optional<model::Membership> kueue_membership(const Metadata& pod);
// The leaf of a group of plain pods; nullopt: the pod names none.
[[nodiscard]] std::optional<model::Membership> kueue_pod_group_membership(const Metadata& pod);
// Adds the topology request of annotations to a group. `count`: its pods, if known. False: there is no request. A level
// of slices without a size is a problem; if `unsized` is given, it is stored there instead.
bool read_kueue_topology_request(const Field& annotations, std::optional<std::int64_t> count, model::Group& group,
                                 std::string* unsized = nullptr);
// Adds a level of slices without a size to what a pod asks for: its PodSet may state the size, else it is a problem
// (Z30). Nothing is added if the level is empty, or if the request has a problem.
void leave_slice_size_open(const std::string& level, model::Group& request);
// Reads the topology request of a PodSet from the annotations of the template and from the field `topologyRequest`,
// which must agree (Z30).
void read_topology_requests(const Field& pod_set, const Field& annotations, model::Group& leaf);
// True if the annotations ask for no level, which is unlike any level (Z30).
[[nodiscard]] bool is_unconstrained(const Field& annotations);
// What an object says that asks for no level of a group: pods that ask for one contradict it (Z30).
[[nodiscard]] model::Group supplement_without_level(const model::GroupKey& key);
// The rank in its PodSet of a pod whose index counts others before them, as a leader (`pod-index-offset`).
[[nodiscard]] std::int64_t rank_in_pod_set(const Metadata& pod, std::int64_t index);
// Nullopt: Kueue gave the pod no rank.
[[nodiscard]] std::optional<std::int64_t> kueue_rank(const Metadata& pod);

}  // namespace echelon::kube
