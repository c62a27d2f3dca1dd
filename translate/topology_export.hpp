#pragma once

// How does a topology that echelon knows look as the objects of another scheduler? (Z34)
//
// Pure and thread-safe. Whatever reads the objects has the same domains: what they can't say refuses the tree.
//
//   target            objects                         what it needs
//   hyper_node        a HyperNode of Volcano per      nothing
//                     domain, a tier per level
//   kueue, kai        a Topology                      levels that are labels of the nodes
//   koordinator       the ClusterNetworkTopology      the same
//                     "default", a layer per level

#include "base/result.hpp"
#include "model/facts/node.hpp"
#include "model/topology/snapshot.hpp"
#include "translate/translation.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace echelon::translate {

enum class TopologyTarget : std::uint8_t { hyper_node, kueue, kai, koordinator };

struct ExportedTopology {
    std::vector<nlohmann::json> objects;
    std::string refusal;  // Not empty: there are no objects, and why.
};

// "HyperNode", "KueueTopology", "KaiTopology" and "ClusterNetworkTopology".
[[nodiscard]] std::vector<std::string> topology_target_names();
[[nodiscard]] std::optional<TopologyTarget> topology_target(std::string_view name);

// Of the trees with levels above the host the one of this name; an empty name: the only one. An error says which there
// are. Requires: `snapshot` outlives the tree.
[[nodiscard]] base::Result<const model::Tree*> tree_to_export(const model::Snapshot& snapshot, const std::string& name);

// `nodes` by their number in the snapshot that `tree` is of. `options`: what Koordinator calls levels. `name`: of the
// objects, where their kind leaves it open; empty: the tree's.
[[nodiscard]] ExportedTopology export_topology(const model::Tree& tree, std::span<const model::Node> nodes,
                                               TopologyTarget target, const TranslationOptions& options,
                                               const std::string& name = {});

}  // namespace echelon::translate
