#pragma once

// What has become otherwise since a snapshot was copied?
//
// Plain values.

#include "model/topology/snapshot.hpp"

#include <vector>

namespace echelon::model {

struct SnapshotDelta {
    bool is_all = false;        // Numbers, names of resources or trees: the copy was made anew, and the rest is empty.
    bool are_shapes = false;    // The shapes, and which nodes are eligible for them.
    std::vector<NodeId> nodes;  // Whose room or capacity was written; some perhaps twice.
    std::vector<NodeId> hosts;  // Whose usability was written, or what they are eligible for; the same.
};

}  // namespace echelon::model
