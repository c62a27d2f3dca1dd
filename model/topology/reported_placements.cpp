#include "model/topology/reported_placements.hpp"

#include "base/quoted.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace echelon::model {

namespace {

using Row = std::vector<std::string>;

// By instance if the topology lists it, else by node name.
const Row* row_of(const Topology& topology, const NodeView& node) {
    auto found = topology.places.end();
    if (const auto instance = node.annotations.value_of(instance_annotation))
        found = topology.places.find(*instance);
    if (found == topology.places.end())
        found = topology.places.find(node.name());
    return found == topology.places.end() ? nullptr : &found->second;
}

std::vector<NodeId> nodes_of(const TopologyFault& flaw, std::span<const NodeView> nodes) {
    std::vector<NodeId> found;
    if (flaw.nodes.empty())
        return found;
    const auto is_listed = [&flaw](std::string_view name) {
        return std::ranges::binary_search(flaw.nodes, name, {},
                                          [](const std::string& each) { return std::string_view(each); });
    };
    for (NodeId node = 0; node < nodes.size(); ++node) {
        const auto instance = nodes[node].annotations.value_of(instance_annotation);
        if ((instance && is_listed(*instance)) || is_listed(nodes[node].name()))
            found.push_back(node);
    }
    return found;
}

}  // namespace

Places reported_placements(const Topology& topology, const Levels& levels, std::span<const NodeView> nodes) {
    // A level that is listed twice counts once.
    std::vector<std::size_t> columns;
    for (const auto& key : levels.keys) {
        if (const auto at = std::ranges::find(topology.levels, key); at != topology.levels.end() && key != host_level)
            columns.push_back(static_cast<std::size_t>(at - topology.levels.begin()));
    }
    Places places{.depth = columns.size() + 1, .parts = {}};
    places.parts.reserve(nodes.size() * places.depth);
    for (const auto& node : nodes) {
        const auto* row = row_of(topology, node);
        for (const auto column : columns) {
            const bool stands = row != nullptr && column < row->size() && !(*row)[column].empty();
            places.parts.push_back(stands ? std::string_view((*row)[column]) : Places::missing);
        }
        places.parts.push_back(node.name());
    }
    return places;
}

std::vector<UnusablePart> unusable_parts_of(const Topology& topology, std::span<const NodeView> nodes) {
    std::vector<UnusablePart> parts;
    parts.reserve(topology.flaws.size() + 1);
    for (const auto& flaw : topology.flaws) {
        parts.push_back({.sentence = title_of(topology) + ": " + flaw.sentence,
                         .tiers = {},
                         .names = flaw.levels,
                         .nodes = nodes_of(flaw, nodes)});
    }
    if (std::ranges::none_of(nodes, [&](const NodeView& node) { return row_of(topology, node) != nullptr; })) {
        auto levels = topology.levels;
        std::ranges::sort(levels);
        parts.push_back({.sentence = title_of(topology) + ": no node is called as one of its instances, neither by " +
                                     "annotation " + base::quoted(instance_annotation) + " nor by name",
                         .tiers = {},
                         .names = std::move(levels),
                         .nodes = {}});
    }
    return parts;
}

}  // namespace echelon::model
