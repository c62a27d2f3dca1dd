#pragma once

// Which trees of domains do declared topologies and node labels form, and in which domains is each node?
//
// Pure. Results depend on the sets of nodes and topologies and on names, not on the order of arrival.

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

// The declared trees of a snapshot: usable topology objects, then configured topologies, then label presets. Within one
// source, more levels first, then by name.
[[nodiscard]] std::vector<Levels> choose_levels(std::span<const Topology* const> topologies, const LabelCounts& labels,
                                                std::span<const NodeView> nodes);
// One tree for each asked key that no tree of `declared` lists and some node carries (D12); sorted by key.
[[nodiscard]] std::vector<Levels> single_label_levels(std::span<const Levels> declared,
                                                      const std::set<std::string>& asked, const LabelCounts& labels,
                                                      std::span<const NodeView> nodes);
// True if `single_label_levels` looks at the nodes; otherwise none need be given.
[[nodiscard]] bool nodes_decide_single_levels(std::span<const Levels> declared, const std::set<std::string>& asked,
                                              const LabelCounts& labels);

// The domains of each node, level by level, as parts of a path. The last level is the host.
struct Places {
    static constexpr std::string_view missing = "-";  // In no domain of the level. No label value equals it.

    std::size_t depth = 0;
    std::vector<std::string_view> parts;  // [node * depth + level]
    // Indexed like `parts`. 1: the node's part of the tree lacks this tier, and the domain of the next narrower tier
    // takes its place. Empty: nowhere.
    std::vector<std::uint8_t> uses_root_for_missing_tiers = {};

    [[nodiscard]] std::size_t node_count() const { return depth == 0 ? 0 : parts.size() / depth; }
    [[nodiscard]] std::span<const std::string_view> of(NodeId node) const {
        return std::span(parts).subspan(node * depth, depth);
    }
    [[nodiscard]] bool is_stand_in(NodeId node, std::size_t level) const {
        return !uses_root_for_missing_tiers.empty() && uses_root_for_missing_tiers[node * depth + level] != 0;
    }
};

// The domains of one node in a tree whose places labels decide.
[[nodiscard]] std::vector<std::string_view> path_parts(const Levels& levels, const NodeView& node);

// Nodes are numbered by index in `nodes`. `Tree::order` is depth-first, siblings in natural name order ("n2" before
// "n10"). `hosts`: [node] rank of the name in that order; if empty, names are sorted here, which is most of the cost.
using HostRanks = std::span<const std::uint32_t>;
[[nodiscard]] Tree build_tree(const Levels& levels, std::span<const NodeView> nodes, HostRanks hosts = {});
[[nodiscard]] Tree build_tree(const Levels& levels, const Places& places, HostRanks hosts = {});
// Renumbers the nodes: `order[i]` becomes i. Renumbering a tree by its own `order` makes `order` the identity.
void renumber(Tree& tree, const std::vector<NodeId>& order);

}  // namespace echelon::model
