#pragma once

// Where levels come from: one declared topology (a Topology object of some dialect, the configuration, a label preset).
// Plain values; the tree of domains that nodes form under it is in `model/topology/snapshot.hpp`.
//
// A group names its levels by text (`Group::required` and so on). In this order a text is
//   - one of the built-in words below, a tier of the HyperNodes among them: `tier_level(2)` for Volcano's
//     highestTierAllowed: 2, `narrowest_tier_level` for its mode soft, and the bare tierName for highestTierName;
//   - the key of a level, or else an alias of one, in the topology that the group names or in any (most levels, then
//     name), so that a decoder of groups hands on what its object says: a node label key or another name;
//   - a label that nodes carry and no topology lists: a level of its own (D12).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

// Words of Koordinator for the whole cluster (required there: no constraint) and for the host.
inline constexpr std::string_view whole_cluster_level = "ClusterTopologyLayer";
inline constexpr std::string_view node_layer = "NodeTopologyLayer";

// A level of the tree of HyperNodes by its tier, as a group asks for it: the widest level with at most this tier. A
// tier above every tier is the whole cluster, one below every tier is no level; a tree that has nothing between its
// root and the tier gives its root (Z6). The keys of the tree's levels look alike, one for each tier that occurs.
inline constexpr std::string_view tier_prefix = "hypernode-tier/";
inline constexpr std::string_view narrowest_tier_level = "hypernode-tier/narrowest";  // The lowest tier (Z8).
[[nodiscard]] std::string tier_level(std::int64_t tier);
// The tier of such a text; nullopt: it names none.
[[nodiscard]] std::optional<std::int64_t> tier_in(std::string_view level);

// In order of precedence (docs/topologies.md).
enum class TopologySource : std::uint8_t { object, configuration, preset };

// A part of a topology that can't be used as it is told. It affects only what stands on it.
struct TopologyFault {
    std::string sentence;             // "instances[3].id is missing"; names no topology.
    std::vector<std::string> levels;  // Keys of those that lack something because of it; sorted.
    std::vector<std::string> nodes;   // That would stand in them, called as in `Topology::places`; sorted.

    bool operator==(const TopologyFault&) const = default;
};

struct Topology {
    std::string name;
    TopologySource source = TopologySource::object;
    std::string api_kind;             // "Topology.kueue.x-k8s.io"; empty unless an object.
    std::vector<std::string> levels;  // Keys, widest first; node labels unless `labels` says more. The host is implied.
    std::string problem;              // Why it can't be used; empty: it can.

    // Key of a level -> node labels, of which the first with a value places a node; absent: the key is the label.
    std::map<std::string, std::vector<std::string>, std::less<>> labels = {};
    std::map<std::string, std::string, std::less<>> aliases = {};  // Another name of a level -> its key.
    std::uint8_t precedence = 0;  // Among kinds of objects that bear one name the smallest goes first (Z22).

    // Where each node stands: a part for each of `levels`, empty: in no domain of it. Nodes are called as their
    // instance is (`instance_annotation`) or by name. Unless there are none, labels place nobody.
    std::map<std::string, std::vector<std::string>, std::less<>> places = {};
    std::vector<TopologyFault> flaws = {};

    bool operator==(const Topology&) const = default;
};

// `Topology "fabric"`: how sentences name it.
[[nodiscard]] std::string title_of(const Topology& topology);

}  // namespace echelon::model
