#pragma once

// Where do levels come from? One declared topology: a Topology object of some dialect, the configuration, or a label
// preset. Plain values; the tree of domains that nodes form under it is in `model/topology/snapshot.hpp`.
//
// A group names its levels by text (`Group::required` and so on). A text means the first of these that exists:
//   - a built-in word below. Tiers of HyperNodes are such words: `tier_level(2)` for Volcano's highestTierAllowed: 2,
//   and `narrowest_tier_level` for its mode soft. The bare tierName means its highestTierName;
//   - the key of a level, or else its alias, in the topology that the group names or in any (most levels, then name). A
//   decoder therefore passes on what its object says: a node label key or another name;
//   - a label that nodes carry and no topology lists: it forms a tree of one level (D12).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

// Koordinator's words for the whole cluster (no constraint, even if required) and for the host.
inline constexpr std::string_view whole_cluster_level = "ClusterTopologyLayer";
inline constexpr std::string_view node_layer = "NodeTopologyLayer";

// A group asks for a level of the HyperNode tree by tier: it gets the widest level with at most this tier. A tier above
// every tier means the whole cluster, and one below every tier is no level. A tree with nothing between its root and
// the tier gives its root (Z6). The level keys of that tree have the same form, one for each tier that occurs.
inline constexpr std::string_view tier_prefix = "hypernode-tier/";
inline constexpr std::string_view narrowest_tier_level = "hypernode-tier/narrowest";  // The lowest tier (Z8).
[[nodiscard]] std::string tier_level(std::int64_t tier);
// The tier in such a text; nullopt: it names none.
[[nodiscard]] std::optional<std::int64_t> tier_in(std::string_view level);

// In order of precedence (docs/topologies.md).
enum class TopologySource : std::uint8_t { object, configuration, preset };

// A part of a topology that can't be used as declared. It affects only levels and nodes that need it.
struct TopologyFault {
    std::string sentence;             // "instances[3].id is missing"; names no topology.
    std::vector<std::string> levels;  // Keys of the levels that lack domains because of it; sorted.
    std::vector<std::string> nodes;   // Nodes that would be in those domains, named as in `Topology::places`; sorted.

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
    std::uint8_t precedence = 0;  // Among topologies with one name and different kinds, the smallest goes first (Z22).

    // The domains of each node: one path part for each of `levels`, empty if the node is in no domain there. Keys are
    // instance names (`instance_annotation`) or node names. If the map has entries, labels place no node.
    std::map<std::string, std::vector<std::string>, std::less<>> places = {};
    std::vector<TopologyFault> flaws = {};

    bool operator==(const Topology&) const = default;
};

// `Topology "fabric"`: how sentences name it.
[[nodiscard]] std::string title_of(const Topology& topology);

}  // namespace echelon::model
