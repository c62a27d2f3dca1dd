#pragma once

// Which levels does a Topology object of Kueue declare? `kueue.x-k8s.io`, v1beta1 and v1beta2. Pure.

#include "kube/field.hpp"
#include "model/topology.hpp"

#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view kueue_topology_kind = "Topology.kueue.x-k8s.io";

// 1 to 16 levels, each once, the host only last; else the topology has a `problem`.
[[nodiscard]] model::Topology read_kueue_topology(const Field& object, const Metadata& metadata);

}  // namespace echelon::kube
