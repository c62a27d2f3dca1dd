#pragma once

// What do pods behind Kueue ask for? Prefix `kueue.x-k8s.io/`; quota and admission are Kueue's own.
//
//   Workload (kueue.x-k8s.io)              root, every PodSet needed; a gang only while its pods follow no other group
//   spec.podSets[] {name, count}           leaf; minimum and expected are the admitted count, else the declared one
//     .template.metadata.annotations       the wishes below
//     .topologyRequest                     the same: required, preferred, unconstrained, podSetSliceRequiredTopology,
//                                          podSetSliceSize, podsetSliceRequiredTopologyConstraints, podSetGroupName;
//                                          whichever place says it binds, and unlike ones contradict (Z30)
//     podset-group-name                    a composite over exactly two PodSets, one of them a single leader; its
//                                          wishes are theirs
//   label podset, annotation workload      name the leaf
//   label pod-group-name, annotation       a leaf of plain pods: minimum and expected are the total count
//     pod-group-total-count
//   podset-required-topology: KEY          required
//   podset-preferred-topology: KEY         preferred
//   podset-unconstrained-topology: "true"  nothing; the three exclude each other
//   podset-slice-required-topology: KEY,   slices of so many pods, of consecutive ranks, each in one domain of KEY:
//     podset-slice-size: n                 multiples, cut by rank (Z42); the size must divide the count
//   podset-slice-required-topology-        JSON [{topology, size}], coarse to fine, at most 3; each size divides the
//     constraints                          one above
//   pod-group-pod-index, pod-group-pod-    rank
//     index-label, pod-index-offset
//
// The wishes also hold for groups that another dialect defines, beside their own. Gates of Kueue are others' gates, and
// a nodeSelector that it wrote is a fact like any other. Pure.

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
// The leaf that plain pods form; nullopt: the pod names none.
[[nodiscard]] std::optional<model::Membership> kueue_pod_group_membership(const Metadata& pod);
// Adds the wishes of annotations to a group; `count`: its pods, when that is known. False: there are none. Slices
// without a size are a complaint, unless somebody knows what it is: then their level goes to `unsized`.
bool read_kueue_topology_request(const Field& annotations, std::optional<std::int64_t> count, model::Group& group,
                                 std::string* unsized = nullptr);
// nullopt: Kueue gave the pod none.
[[nodiscard]] std::optional<std::int64_t> kueue_rank(const Metadata& pod);

}  // namespace echelon::kube
