#pragma once

// How many of the pods that a selector matches may be evicted now? A PodDisruptionBudget. Plain values.

#include "model/facts/pod_class.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace echelon::model {

struct DisruptionBudget {
    std::string ns;
    std::string name;
    // All must hold; an empty list selects every pod of the namespace. Absent: no pod.
    std::optional<std::vector<Requirement>> selector;
    std::int64_t allowed = 0;      // 0 if the status is older than the spec.
    bool ignores_unready = false;  // Pods that are not ready may be evicted, whatever is allowed.

    bool operator==(const DisruptionBudget&) const = default;
};

}  // namespace echelon::model
