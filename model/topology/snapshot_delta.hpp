#pragma once

// What changed since a snapshot was copied?
//
// Plain values.

#include "model/topology/snapshot.hpp"

#include <vector>

namespace echelon::model {

struct SnapshotDelta {
    bool is_all =
        false;  // Node numbers, resource names or trees changed: everything was copied, and the other fields are empty.
    bool are_pod_classes = false;  // Classes and their eligible nodes changed.
    std::vector<NodeId> nodes;     // Room or capacity was written; may repeat.
    std::vector<NodeId> hosts;     // Usability or eligibility was written; may repeat.
};

}  // namespace echelon::model
