#pragma once

// On which cluster does a trace run? Nodes, topology and running pods of the manifests, and the levels that the trace
// names.
//
// Plain values, made by the same model that the service uses. Pure.

#include "model/facts/node.hpp"
#include "model/topology/snapshot.hpp"
#include "simulate/trace.hpp"

#include <expected>
#include <vector>

namespace echelon::model {

class Cluster;

}  // namespace echelon::model

namespace echelon::simulate {

struct World {
    // What a LevelRequest of the trace means here.
    struct Levels {
        std::vector<model::LevelRef> required;
        std::vector<model::LevelRef> preferred;
    };
    struct RunningPod {
        model::NodeId node = 0;
        model::Amounts requests;
    };

    model::Snapshot snapshot;         // Without pod classes.
    std::vector<model::Node> nodes;   // [node]
    std::vector<RunningPod> running;  // Pods that never end.
    std::vector<Levels> levels;       // As Trace::levels.
};

// A level that no topology has is a fault of the trace.
[[nodiscard]] std::expected<World, TraceFault> world_of(model::Cluster cluster, const Trace& trace);

}  // namespace echelon::simulate
