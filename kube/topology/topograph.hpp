#pragma once

// Which topology does a document of Topograph tell? Its graph JSON, or the YAML of its models. Pure.
//
// | field of a graph | type | default | meaning |
// |---|---|---|---|
// | instances[].id | string | required | the provider's name of a node's machine |
// | instances[].network_layers[] | strings | none | its switches, the closest first |
// | instances[].labels | strings | none | region, zone, accelerator domain and sub-domain are read |
//
// | field of a model | type | default | meaning |
// |---|---|---|---|
// | switches.ID.switches[] | strings | none | the switches below; they need no entry of their own |
// | switches.ID.labels, annotations | strings | none | for every node below, unless a lower one says otherwise |
// | blocks[].nodes[] | host names, or ranges of them: `gpu[001-004]` | required | |
// | blocks[].switch | string | none | to which they are connected |
// | blocks[].labels, annotations | strings | none | of these nodes |
//
// Neither says what it is: they are recognised by their fields. The switches become one topology, whose levels have the
// keys of Topograph's node labels (tier 0 is the closest switch), below region and zone as far as those nest; the
// accelerator domains become a second one, NAME/accelerators. Nothing checks such documents, so every fault is
// contained: it takes away only what stands on it.

#include "base/result.hpp"
#include "kube/json/value.hpp"
#include "model/facts/event.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace echelon::kube {

inline constexpr std::string_view topograph_kind = "Topograph.topograph.run";

// Where a document comes from.
struct TopographSource {
    std::string name;  // Of the topology.
    model::TopologySource source = model::TopologySource::object;
    std::string file = {};  // For sentences; empty: it isn't a file.
};

[[nodiscard]] bool is_topograph(const Value& document);
// "fabric" of "topologies/fabric.json": the topology in a file that nobody names.
[[nodiscard]] std::string topology_name_of(std::string_view file);

// What a document changes. An error says why nothing of it can be used; a document that tells of nobody is one, too.
[[nodiscard]] base::Result<std::vector<model::Event>> read_topograph(const Value& document,
                                                                     const TopographSource& source);
// The same of a text, JSON or YAML.
[[nodiscard]] base::Result<std::vector<model::Event>> read_topograph_text(std::string_view text,
                                                                          const TopographSource& source);
// What stands for one that can't be used, while there is no earlier one.
[[nodiscard]] std::vector<model::Event> faulty_topograph(const TopographSource& source, const base::Error& fault);
[[nodiscard]] std::vector<model::Event> topograph_gone(const TopographSource& source);

}  // namespace echelon::kube
