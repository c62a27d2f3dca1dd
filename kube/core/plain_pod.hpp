#pragma once

// What does a plain pod in a filter call request, and may it use promised room? (PR1, PR2) Pure.

#include "model/facts/plain_pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

// Reads only the fields that matter here. Nullopt: they can't be read.
[[nodiscard]] std::optional<model::PlainPod> read_plain_pod(std::string_view pod_json);

}  // namespace echelon::kube
