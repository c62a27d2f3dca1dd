#pragma once

// What does the pod in a filter call ask for, and may it use promised room? (PR1, PR2) Pure.

#include "model/facts/plain_pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

// Nullopt: it can't be read. Of the pod only what decides this is looked at.
[[nodiscard]] std::optional<model::PlainPod> read_plain_pod(std::string_view pod_json);

}  // namespace echelon::kube
