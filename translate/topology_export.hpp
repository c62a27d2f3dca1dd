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

#include "model/facts/node.hpp"
#include "model/topology/snapshot.hpp"
#include "translate/translation.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace echelon::translate {

enum class TopologyTarget : std::uint8_t { hyper_node, kueue, kai, koordinator };

struct ExportedTopology {
    std::vector<nlohmann::json> objects;
    std::string refusal;  // Not empty: there are no objects, and why.
};

// `nodes` by their number in the snapshot that `tree` is of. `options`: what Koordinator calls levels.
[[nodiscard]] ExportedTopology export_topology(const model::Tree& tree, std::span<const model::Node> nodes,
                                               TopologyTarget target, const TranslationOptions& options);

}  // namespace echelon::translate
