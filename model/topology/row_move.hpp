#pragma once

// How does the row of one node come into the arrays of a snapshot, or leave them, so that all behind it move by one?
//
// Pure. The trees and the table of names aren't among these arrays.

#include "base/text.hpp"
#include "model/topology/snapshot.hpp"

#include <vector>

namespace echelon::model {

struct RowMove {
    NodeId id = 0;
    base::Text name;  // Of the node that comes; its amounts are 0. Empty: the node that has the number goes.

    [[nodiscard]] bool comes() const { return !name.empty(); }
};

void apply(const RowMove& move, Snapshot& snapshot);
// What the nodes of these numbers are called afterwards; `nowhere` stays. Requires: the one that goes isn't among them.
void follow(const RowMove& move, std::vector<NodeId>& numbers);

}  // namespace echelon::model
