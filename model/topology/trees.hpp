#pragma once

// From declared topologies and node labels to trees of domains: which trees there are, and where each node stands.
//
// Pure. Everything follows from the sets of nodes and topologies and from names, never from the order of arrival.

#include "model/facts/node_view.hpp"
#include "model/facts/topology.hpp"
#include "model/topology/presets.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace echelon::model {

// The declared trees of a snapshot, side by side: usable topology objects, then the configured ones, then the label
// presets; of one source those with more levels first, then by name.
[[nodiscard]] std::vector<Levels> choose_levels(std::span<const Topology* const> topologies, const LabelCounts& labels,
                                                std::span<const NodeView> nodes);
// One tree for each asked key that none of `declared` lists and a node carries (D12), by key.
[[nodiscard]] std::vector<Levels> single_label_levels(std::span<const Levels> declared,
                                                      const std::set<std::string>& asked, const LabelCounts& labels,
                                                      std::span<const NodeView> nodes);

// Where each node stands, level by level: a part of its path. The last level is the host.
struct Places {
    static constexpr std::string_view missing = "-";  // In no domain of the level. No label value looks like it.

    std::size_t depth = 0;
    std::vector<std::string_view> parts;  // [node * depth + level]
    // As `parts`: the domain of the next narrower level that isn't one stands here, too, since there is none of its
    // own (a tree of fewer tiers). Empty: nowhere.
    std::vector<std::uint8_t> uses_root_for_missing_tiers = {};

    [[nodiscard]] std::size_t node_count() const { return depth == 0 ? 0 : parts.size() / depth; }
    [[nodiscard]] std::span<const std::string_view> of(NodeId node) const {
        return std::span(parts).subspan(node * depth, depth);
    }
    [[nodiscard]] bool is_stand_in(NodeId node, std::size_t level) const {
        return !uses_root_for_missing_tiers.empty() && uses_root_for_missing_tiers[node * depth + level] != 0;
    }
};

// Nodes are numbered by their places in `nodes`; `Tree::order` is depth-first, siblings in natural name order ("n2"
// before "n10"). `hosts`: the nodes' ranks in that order of all their names; empty: names are sorted here, which is
// most of the cost.
using HostRanks = std::span<const std::uint32_t>;
[[nodiscard]] Tree build_tree(const Levels& levels, std::span<const NodeView> nodes, HostRanks hosts = {});
[[nodiscard]] Tree build_tree(const Levels& levels, const Places& places, HostRanks hosts = {});
// Gives the nodes other numbers: that of `order[i]` becomes i. A tree by its own order has the identity as its order.
void renumber(Tree& tree, const std::vector<NodeId>& order);

}  // namespace echelon::model
