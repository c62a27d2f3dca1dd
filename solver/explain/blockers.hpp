#pragma once

// What keeps members out of some nodes? The pods, holds and node conditions that block pods of one class there. Pure.

#include "model/facts/amounts.hpp"
#include "model/facts/node.hpp"
#include "model/gang/affinity_constraints.hpp"
#include "model/gang/explanation.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/packing/demand.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace echelon::solver {

// A pod, a hold or a reservation that takes room on a node.
struct Occupant {
    enum class Kind : std::uint8_t { held, running, sibling, claimed };
    Kind kind = Kind::running;
    std::string pod;   // "namespace/name"; of a reservation (claimed): the node.
    std::string gang;  // Its root, "namespace/name"; of a sibling: its group. Empty: none.
    model::NodeId node = 0;
    model::Amounts requests;
    std::int64_t priority = 0;
};

// The pods and nodes behind a snapshot, which has only sums.
struct ClusterContext {
    std::vector<Occupant> occupants;  // All of them; members of the explained gang are ignored.
    std::vector<model::Node> nodes;   // [node]; empty: the causes of unusable nodes aren't known.
};

// Occupants by node. Requires: they outlive it.
class OccupantsByNode {
public:
    OccupantsByNode(std::span<const Occupant> occupants, std::size_t nodes);

    [[nodiscard]] std::span<const Occupant* const> on(model::NodeId node) const {
        return std::span(rows_).subspan(first_[node], first_[node + 1] - first_[node]);
    }

private:
    std::vector<const Occupant*> rows_;  // By node, else in the given order.
    std::vector<std::size_t> first_;     // [node], and the end.
};

struct Blocked {
    std::vector<model::Blocker> blockers;  // A few; the one that would free most room first.
    std::size_t left_out = 0;
};

// What keeps pods of `pod_class` and `affinity_class` (an index into `affinity`) out of these nodes. `missing`: the
// resource that blockers are measured in.
[[nodiscard]] Blocked blockers_in(const model::Snapshot& snapshot, const Room& room,
                                  std::span<const model::NodeId> nodes, model::PodClassId pod_class,
                                  const model::AffinityConstraints& affinity, std::uint32_t affinity_class,
                                  std::optional<std::size_t> missing, const OccupantsByNode& occupants_by_node,
                                  std::span<const model::Node> node_facts);

}  // namespace echelon::solver
