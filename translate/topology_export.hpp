#pragma once

// How is a topology written as the objects of another scheduler? (Z34)
//
// Pure and thread-safe. The objects describe the same domains; a tree that they can't express is refused.
//
//   target            objects                         what it needs
//   hyper_node        a HyperNode of Volcano per      each node in domains of all levels, or of none
//                     domain, a tier per level
//   kueue, kai        a Topology                      levels that are labels of the nodes
//   koordinator       the ClusterNetworkTopology      levels that are labels of the nodes
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
    std::string refusal;  // Not empty: why there are no objects.
};

// "HyperNode", "KueueTopology", "KaiTopology" and "ClusterNetworkTopology".
[[nodiscard]] std::vector<std::string> topology_target_names();
[[nodiscard]] std::optional<TopologyTarget> topology_target(std::string_view name);

// The tree of this name with levels above the host; an empty name: the only such tree. An error lists the trees.
// Requires: `snapshot` outlives the tree.
[[nodiscard]] base::Result<const model::Tree*> tree_to_export(const model::Snapshot& snapshot, const std::string& name);

// `nodes`: in the order of the tree's snapshot. `options`: Koordinator's names of levels. `name`: of the objects, if
// their kind allows any; empty: the tree's.
[[nodiscard]] ExportedTopology export_topology(const model::Tree& tree, std::span<const model::Node> nodes,
                                               TopologyTarget target, const TranslationOptions& options,
                                               const std::string& name = {});

}  // namespace echelon::translate
