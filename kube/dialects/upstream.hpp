#pragma once

// What do the group objects of Kubernetes itself ask for? `scheduling.k8s.io` of 1.35 to 1.37, in its three shapes.
//
// Pure. PodGroups are leaves (kind "podgroup"), CompositePodGroups are composites ("compositepodgroup"); the Workload
// of 1.35 holds leaves of kind "workload-podgroup", named "namespace/workload/podGroup"; pods with a replica key are in
// leaves of their own, "workload-replica", named by the key too, and each is a gang. Later Workloads are templates that
// no scheduler reads. Of a status only the condition is read that says whether the group was placed (Z32).

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
// nullopt: it is of a later version, and says nothing.
[[nodiscard]] std::optional<model::GroupSet> read_workload(const Field& object, const Metadata& metadata);

// The leaf that a pod names by a field of its spec; nullopt: by none.
[[nodiscard]] std::optional<model::GroupKey> upstream_leaf(const Field& spec, std::string_view ns);
// The replica key of a pod, as a mark by which its Workload sorts it.
void add_replica_key(const Field& spec, model::Labels& labels);

}  // namespace echelon::kube
