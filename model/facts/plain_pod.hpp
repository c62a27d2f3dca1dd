#pragma once

// What does a pod of no gang request, and must it stay out of promised room? (PR1, PR2) Plain values, pure.

#include "model/facts/amounts.hpp"
#include "model/facts/pod_class.hpp"

#include <cstdint>

namespace echelon::model {

struct PlainPod {
    Amounts requests;  // With "pods" = 1.
    std::int64_t priority = 0;
    std::int64_t active_deadline = 0;  // Seconds after its start; 0: no deadline.
    bool is_exempt = false;            // May use promised room, since it has no other node to go to.
};

// The node selector, or every term of the required node affinity, names the same single host.
[[nodiscard]] bool names_one_host(const PodClass& pod_class);

}  // namespace echelon::model
