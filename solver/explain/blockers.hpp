#pragma once

// Who or what is in the way? The pods, holds and node faults that keep members of one shape out of some nodes. Pure.

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

// A pod that takes room on a node, or will.
struct Occupant {
    enum class Kind : std::uint8_t { held, running, sibling, claimed };
    Kind kind = Kind::running;
    std::string pod;   // "namespace/name"; of a claim: the node.
    std::string gang;  // Its root, "namespace/name"; of a sibling: its group. Empty: none.
    model::NodeId node = 0;
    model::Amounts requests;
    std::int64_t priority = 0;
};

// What a snapshot has only the sums of.
struct ClusterContext {
    std::vector<Occupant> occupants;  // Everybody; members of the gang that is explained don't count.
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
    std::vector<const Occupant*> rows_;  // By node, in their own order.
    std::vector<std::size_t> first_;     // [node] and one more.
};

struct Blocked {
    std::vector<model::Blocker> blockers;  // Those that free most room first; a few.
    std::size_t left_out = 0;
};

// What stands between pods of `shape` and `kin`, an index into `kinship`, and these nodes. `missing`: the resource by
// which occupants are measured.
[[nodiscard]] Blocked blockers_in(const model::Snapshot& snapshot, const Room& room,
                                  std::span<const model::NodeId> nodes, model::PodClassId shape,
                                  const model::AffinityConstraints& kinship, std::uint32_t kin,
                                  std::optional<std::size_t> missing, const OccupantsByNode& crowd,
                                  std::span<const model::Node> facts);

}  // namespace echelon::solver
