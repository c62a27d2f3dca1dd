#pragma once

// What does planning see at this moment? Every node with its place in each topology, what it has and what is left of it
// when every promise is kept. What /debug/snapshot shows.
//
// Pure. Equal snapshots give equal bytes.

#include "model/topology/snapshot.hpp"

#include <string>

namespace echelon::report {

// The `Snapshot` of echelon.sh/v1alpha1; amounts as the model has them: cpu in thousandths, memory in bytes.
[[nodiscard]] std::string snapshot_json(const model::Snapshot& snapshot);
// A row for each node, devices alone.
[[nodiscard]] std::string snapshot_text(const model::Snapshot& snapshot, bool has_colour);

}  // namespace echelon::report
