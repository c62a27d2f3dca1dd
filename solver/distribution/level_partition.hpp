#pragma once

// Into which parts does a place fall, one level down? Its domains along one tree, and beside them what lacks the label.
//
// Every part is a range of the tree's order, and the last level falls into single nodes, so the parts of one level
// cover every node once. Parts are made when they are first asked for. Single-threaded, belongs to one search.

#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace echelon::solver {

using CellId = std::uint32_t;
inline constexpr CellId whole = 0;  // The cluster.

struct Part {
    std::uint32_t depth = model::nowhere;  // Level of the tree; nowhere: the cluster.
    std::uint32_t first = 0;               // Positions in the order of the tree.
    std::uint32_t last = 0;
    std::uint32_t domain = model::nowhere;  // At its level; nowhere: these nodes lack the label.
    CellId first_child = 0;                 // Children stand side by side, in path order.
    CellId last_child = 0;
};

class Parts {
public:
    // Requires: the snapshot outlives it.
    Parts(const model::Snapshot& snapshot, std::uint32_t tree);

    [[nodiscard]] const Part& operator[](CellId part) const { return parts_[part]; }
    [[nodiscard]] std::size_t size() const { return parts_.size(); }
    [[nodiscard]] std::uint32_t tree() const { return tree_index_; }
    [[nodiscard]] std::uint32_t levels() const { return static_cast<std::uint32_t>(tree_.domain_of.size()); }
    // The node of a part at the last level.
    [[nodiscard]] model::NodeId node(CellId part) const { return tree_.order[parts_[part].first]; }
    // One level down, made on the first call. Requires: the part isn't a single node.
    std::pair<CellId, CellId> children(CellId part);
    // The parts around a node, widest first.
    std::vector<CellId> around(model::NodeId node);

private:
    void open(CellId part);

    const model::Tree& tree_;
    std::uint32_t tree_index_;
    std::vector<Part> parts_;
};

}  // namespace echelon::solver
