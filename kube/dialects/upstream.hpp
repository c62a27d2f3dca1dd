#pragma once

// What do the group objects of Kubernetes itself declare? `scheduling.k8s.io` of 1.35 to 1.37, in its three forms.
//
// Pure. PodGroups are leaves (kind "podgroup"), CompositePodGroups are composites ("compositepodgroup"). The Workload
// of 1.35 contains leaves of kind "workload-podgroup", named "namespace/workload/podGroup". For pods with a replica key
// there is one leaf per key, of kind "workload-replica", and each is a gang. Later Workloads are templates that no
// scheduler reads. The only part of a status that is read is the condition whether the group was placed (Z32).

#include "kube/json/field.hpp"
#include "model/facts/group.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view upstream_group = "scheduling.k8s.io";
inline constexpr std::string_view preferred_topology_annotation = "echelon.sh/preferred-topology";

[[nodiscard]] model::Group read_pod_group(const Field& object, const Metadata& metadata);
[[nodiscard]] model::Group read_composite_pod_group(const Field& object, const Metadata& metadata);
// Nullopt: a later version, which declares no groups.
[[nodiscard]] std::optional<model::GroupSet> read_workload(const Field& object, const Metadata& metadata);

// The PodGroup or Workload that the spec of a pod names; nullopt: it names none.
[[nodiscard]] std::optional<model::Membership> pod_group_membership(const Field& spec, std::string_view ns);
[[nodiscard]] std::optional<model::Membership> workload_membership(const Field& spec, std::string_view ns);
// Adds the replica key of a pod to `labels`, by which its Workload selects pods.
void add_replica_key(const Field& spec, model::Labels& labels);

}  // namespace echelon::kube
