#pragma once

// Which pods must never be evicted? Marks of pods and group objects in all dialects (U2, U3).
//
//   annotation echelon.sh/evict: never                                     echelon
//   annotation, else label volcano.sh/preemptable that is not true         Volcano, on pods and PodGroups
//   label quota.scheduling.koordinator.sh/preemptible: "false"             Koordinator
//   annotation kubernetes.io/config.mirror, or an owner of kind Node       static pods: the kubelet starts them again
//   annotation kubernetes.io/config.source that is not "api"               the same
//   a controller of kind DaemonSet                                         it starts a new pod on the same node
//
// Pure.

#include "kube/json/field.hpp"
#include "model/facts/disruption_budget.hpp"

#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view policy_group = "policy";

// Its controller is a DaemonSet.
[[nodiscard]] bool is_of_daemon_set(const Field& object);
// Static, or of a DaemonSet.
[[nodiscard]] bool is_pod_of_node(const Field& object, const Metadata& metadata);
// A mark forbids an eviction; pods of nodes need none.
[[nodiscard]] bool is_marked_protected(const Metadata& metadata);
// True if Volcano's mark forbids an eviction; a value that isn't a boolean forbids it, too.
[[nodiscard]] bool is_unpreemptable(const Metadata& metadata);

// A PodDisruptionBudget whose status is older than its spec allows no eviction. Pods that are not ready may go where
// enough others are, or where its policy says so.
[[nodiscard]] model::DisruptionBudget read_disruption_budget(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube
