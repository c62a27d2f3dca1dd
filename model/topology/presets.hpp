#pragma once

// Which levels do the well-known node labels form, when nobody declares a topology? (docs/topologies.md, label
// presets)
//
// Pure; depends on the set of nodes alone, never on their order.

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
// A level of ours that is no label key: where the label `nvidia.com/gpu.clique` says both cluster and clique.
inline constexpr std::string_view clique_cluster_level = "nvidia.com/gpu.clique/cluster";
inline constexpr std::string_view presets_tree_name = "presets";  // Of each family of labels of a fabric.

// The levels of one tree, widest first; the last is always `host_level`.
struct Levels {
    std::string name;
    std::vector<std::string> keys;
    std::string api_kind = {};  // As in Topology.
    std::map<std::string, std::vector<std::string>, std::less<>> labels = {};
    std::map<std::string, std::string, std::less<>> aliases = {};
    TopologySource source = TopologySource::object;

    // By key or alias.
    [[nodiscard]] bool lists(std::string_view level) const;
    // A node's value of the label decides where it stands.
    [[nodiscard]] bool reads(std::string_view label) const;
    bool operator==(const Levels&) const = default;
};

// How many nodes carry each label with a value. Zeros don't stand in it.
using LabelCounts = std::map<std::string, std::size_t, std::less<>>;

// The value that places a node at a level: its label, or for `nvidia.com/gpu.clique/cluster` the part of the label
// `nvidia.com/gpu.clique` before its last dot (Z21). An empty value places it nowhere.
[[nodiscard]] std::optional<std::string_view> place_at(const NodeView& node, std::string_view key);
// The same at a level of a tree, which may be placed by any of several labels.
[[nodiscard]] std::optional<std::string_view> place_at(const NodeView& node, const Levels& levels, std::size_t depth);

// True for a label whose coming or going may change what `preset_levels` answers.
[[nodiscard]] bool is_preset_label(std::string_view label);

// A tree for each fabric family, then one for each accelerator family that nests in none of them; region and zone are
// around each. At least one, of hosts only. A node is in the domains whose labels it has, whatever the others have.
[[nodiscard]] std::vector<Levels> preset_levels(const LabelCounts& labels, std::span<const NodeView> nodes);
// A node has a place at the level. `labels` are those of `nodes`.
[[nodiscard]] bool is_carried(std::string_view key, const LabelCounts& labels, std::span<const NodeView> nodes);

}  // namespace echelon::model
