#pragma once

// What does planning see, and which room is promised? Copies for the views of the admin port.
//
// Plain values, taken on the engine's thread.

#include "model/facts/amounts.hpp"
#include "model/facts/node.hpp"
#include "model/topology/snapshot.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace echelon::engine {

// One seat that is promised.
struct HeldSeat {
    std::string pod;   // "namespace/name"; for a pod that doesn't exist yet: its name in the plan.
    std::string gang;  // "namespace/name" of the root; empty: a pod of no gang, whose binding is under way.
    std::string node;
    std::string state;  // "clearing" (victims use the room), "held", "waiting" (at the barrier), "committed",
                        // "binding", "expected" (no pod yet).
    model::Amounts requests = {};
    std::optional<std::chrono::milliseconds> ends_in = {};  // Absent: it ends with its binding.
};

struct TopologyView {
    model::Snapshot snapshot;         // Every hold is taken.
    std::vector<model::Node> nodes;   // By their number in the snapshot.
    std::vector<std::string> faults;  // Faults of topology objects.
};

}  // namespace echelon::engine
