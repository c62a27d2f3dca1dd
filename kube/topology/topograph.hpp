#pragma once

// Which topology does a document of Topograph describe? The document is a graph (JSON) or a model (YAML). Pure.
//
// A graph:
//
//   instances[].id                       the provider's name of the machine, required
//   instances[].network_layers[]         its switches, closest first
//   instances[].labels                   region, zone, accelerator domain and sub-domain are read
//
// A model:
//
//   switches.ID.switches[]               the switches below, which need no entry of their own
//   switches.ID.labels, annotations      of every node below, unless a lower switch states its own
//   blocks[].nodes[]                     host names, or ranges such as `gpu[001-004]`; required
//   blocks[].switch                      the switch to which they are connected
//   blocks[].labels, annotations         of these nodes
//
// Neither has a kind; they are recognised by their fields. The switches become one topology. Its levels have the keys
// of Topograph's node labels (tier 0 is the closest switch), below region and zone if those nest. The accelerator
// domains become a second topology, NAME/accelerators. Nothing validates such documents before echelon reads them, so
// a fault removes only the nodes and levels that depend on it.

#include "base/result.hpp"
#include "kube/json/value.hpp"
#include "model/facts/event.hpp"
#include "model/facts/limits.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace echelon::kube {

inline constexpr std::string_view topograph_kind = "Topograph.topograph.run";

// Where a document comes from.
struct TopographSource {
    std::string name;  // The topology's name.
    model::TopologySource source = model::TopologySource::object;
    std::string file = {};  // For error sentences; empty: not a file.
    model::Limits limits = {};
};

[[nodiscard]] bool is_topograph(const Value& document);
// "fabric" for "topologies/fabric.json": the default name of the topology in a file.
[[nodiscard]] std::string topology_name_of(std::string_view file);

// The events of a document. An error: nothing of it can be used, or it describes no node.
[[nodiscard]] base::Result<std::vector<model::Event>> read_topograph(const Value& document,
                                                                     const TopographSource& source);
// The events of a document as text, JSON or YAML.
[[nodiscard]] base::Result<std::vector<model::Event>> read_topograph_text(std::string_view text,
                                                                          const TopographSource& source);
// The events for a document that can't be used, if there is no earlier one.
[[nodiscard]] std::vector<model::Event> faulty_topograph(const TopographSource& source, const base::Error& fault);
[[nodiscard]] std::vector<model::Event> topograph_gone(const TopographSource& source);

}  // namespace echelon::kube
