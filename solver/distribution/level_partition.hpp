#pragma once

// Into which parts is the cluster divided, level by level along one tree? The children of a part are its domains one
// level down, and the runs of nodes that lack the label.
//
// Every part is a range of the tree's order, and the parts of the last level are single nodes. The parts of one level
// cover every node once. Parts are made on first use. Single-threaded, belongs to one search.

#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace echelon::solver {

using PartId = std::uint32_t;
inline constexpr PartId whole = 0;  // The cluster.

struct Part {
    std::uint32_t depth = model::nowhere;  // Level of the tree; nowhere: the cluster.
    std::uint32_t first = 0;               // Positions in the order of the tree.
    std::uint32_t last = 0;
    std::uint32_t domain = model::nowhere;  // At its level; nowhere: these nodes lack the label.
    PartId first_child = 0;                 // Children are consecutive, in path order.
    PartId last_child = 0;
};

class LevelPartition {
public:
    // Requires: the snapshot outlives it.
    LevelPartition(const model::Snapshot& snapshot, std::uint32_t tree);

    [[nodiscard]] const Part& operator[](PartId part) const { return parts_[part]; }
    [[nodiscard]] std::size_t size() const { return parts_.size(); }
    [[nodiscard]] std::uint32_t tree() const { return tree_index_; }
    [[nodiscard]] std::uint32_t levels() const { return static_cast<std::uint32_t>(tree_.domain_of.size()); }
    // The node of a part at the last level.
    [[nodiscard]] model::NodeId node(PartId part) const { return tree_.order[parts_[part].first]; }
    // One level down, made on the first call. Requires: the part isn't a single node.
    std::pair<PartId, PartId> children(PartId part);
    // The parts that hold a node, widest first.
    std::vector<PartId> around(model::NodeId node);

private:
    void open(PartId part);

    const model::Tree& tree_;
    std::uint32_t tree_index_;
    std::vector<Part> parts_;
    std::vector<std::uint32_t> position_of_;  // [node] in the order of the tree; empty: nobody has asked yet.
};

}  // namespace echelon::solver
