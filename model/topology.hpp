#pragma once

// Where levels come from: one declared topology (a Topology object of some dialect, the configuration, a label preset).
// Plain values; the tree of domains that nodes form under it is in `model/snapshot.hpp`.
//
// A group names its levels by text (`Group::required` and so on). In this order a text is
//   - one of the built-in words below;
//   - the key of a level, or else an alias of one, in the topology that the group names or in any (most levels, then
//     name), so that a decoder of groups hands on what its object says: a node label key or another name;
//   - a label that nodes carry and no topology lists: a level of its own (D12).

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

// Words of Koordinator for the whole cluster (required there: no constraint) and for the host.
inline constexpr std::string_view whole_cluster_level = "ClusterTopologyLayer";
inline constexpr std::string_view node_layer = "NodeTopologyLayer";

// In order of precedence (dialects section 14).
enum class TopologySource : std::uint8_t { object, configuration, preset };

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

    bool operator==(const Topology&) const = default;
};

}  // namespace echelon::model
