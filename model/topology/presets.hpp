#pragma once

// Which levels do well-known node labels form if no topology is declared? (docs/topologies.md, label presets)
//
// Pure; depends only on the set of nodes, not on their order.

#include "model/facts/node_view.hpp"
#include "model/facts/topology.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

inline constexpr std::string_view host_level = "kubernetes.io/hostname";
// Below the host: one NUMA zone of it (NU3). No label; no tree has it.
inline constexpr std::string_view zone_level = "echelon.sh/numa";
// A level that is no label key: the cluster part of the label `nvidia.com/gpu.clique`, whose value has cluster and
// clique.
inline constexpr std::string_view clique_cluster_level = "nvidia.com/gpu.clique/cluster";
inline constexpr std::string_view presets_tree_name = "presets";  // Name of the tree of each family of fabric labels.

// The levels of one tree, widest first; the last is always `host_level`.
struct Levels {
    std::string name;
    std::vector<std::string> keys;
    std::string api_kind = {};  // As in Topology.
    std::map<std::string, std::vector<std::string>, std::less<>> labels = {};
    std::map<std::string, std::string, std::less<>> aliases = {};
    TopologySource source = TopologySource::object;

    // True if `level` is one of the keys or aliases.
    [[nodiscard]] bool lists(std::string_view level) const;
    // True if a node's value of the label decides its domain at some level.
    [[nodiscard]] bool reads(std::string_view label) const;
    bool operator==(const Levels&) const = default;
};

// Label -> how many nodes have it with a value; no zeros.
using LabelCounts = std::map<std::string, std::size_t, std::less<>>;

// The value that decides a node's domain at a level: usually its label. For `nvidia.com/gpu.clique/cluster` it is the
// part of the label `nvidia.com/gpu.clique` before the last dot (Z21). An empty value means no domain.
[[nodiscard]] std::optional<std::string_view> place_at(const NodeView& node, std::string_view key);
// The same at a level of a tree, where several labels may decide; the first with a value does.
[[nodiscard]] std::optional<std::string_view> place_at(const NodeView& node, const Levels& levels, std::size_t depth);

// True if adding or removing the label may change the result of `preset_levels`.
[[nodiscard]] bool is_preset_label(std::string_view label);

// False if the counts of labels alone decide which levels there are; else the nodes decide, too.
[[nodiscard]] bool nodes_decide_levels(const LabelCounts& labels);

// A tree for each fabric family, then one for each accelerator family that nests in no fabric, each with region and
// zone above it. At least one tree, with hosts only. A node's own labels decide its domains.
[[nodiscard]] std::vector<Levels> preset_levels(const LabelCounts& labels, std::span<const NodeView> nodes);
// False if the counts of labels alone decide whether some node has a domain at the level.
[[nodiscard]] bool nodes_decide(std::string_view key, const LabelCounts& labels);
// True if some node has a domain at the level. `labels`: counts over `nodes`. Looks at the nodes if they decide.
[[nodiscard]] bool is_carried(std::string_view key, const LabelCounts& labels, std::span<const NodeView> nodes);

}  // namespace echelon::model
