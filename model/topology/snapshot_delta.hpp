#pragma once

// What changed since a snapshot was copied?
//
// Plain values.

#include "model/topology/row_move.hpp"
#include "model/topology/snapshot.hpp"

#include <vector>

namespace echelon::model {

struct SnapshotDelta {
    bool is_all =
        false;  // Many node numbers, resource names or levels changed: everything was copied, and the others are empty.
    std::vector<RowMove> moves;    // One after another, before anything else was written; the trees were copied.
    bool are_pod_classes = false;  // Classes and their eligible nodes changed.
    // Numbers after the moves, which may repeat.
    std::vector<NodeId> nodes;  // Room or capacity was written.
    std::vector<NodeId> hosts;  // Usability or eligibility was written.
};

}  // namespace echelon::model
