#include "model/snapshot.hpp"

#include <algorithm>

namespace echelon::model {

namespace {

// Wraps instead of overflowing, so that `give_back` undoes `take` for any amounts.
std::int64_t shifted(std::int64_t room, std::int64_t amount, bool adds) {
    const auto base = static_cast<std::uint64_t>(room);
    const auto delta = static_cast<std::uint64_t>(amount);
    return static_cast<std::int64_t>(adds ? base + delta : base - delta);
}

void shift(Snapshot& snapshot, NodeId node, ShapeId shape, bool adds) {
    const auto& need = snapshot.need[shape];
    for (std::size_t resource = 0; resource < need.size(); ++resource) {
        if (need[resource] == 0)
            continue;
        auto& room = snapshot.room[resource][node];
        room = shifted(room, need[resource], adds);
    }
}

std::optional<LevelRef> find_level(const Tree& tree, std::size_t index, std::string_view key) {
    const auto found = std::ranges::find(tree.keys, key);
    if (found == tree.keys.end())
        return std::nullopt;
    return LevelRef{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(found - tree.keys.begin())};
}

}  // namespace

// Names follow the order of the first tree, not the alphabet, hence the index.
std::optional<NodeId> Snapshot::node(std::string_view name) const {
    if (by_name.size() == node_names.size()) {
        const auto name_of = [this](NodeId id) { return std::string_view(node_names[id]); };
        const auto at = std::ranges::lower_bound(by_name, name, {}, name_of);
        return at != by_name.end() && name_of(*at) == name ? std::optional(*at) : std::nullopt;
    }
    const auto found = std::ranges::find(node_names, name);
    if (found == node_names.end())
        return std::nullopt;
    return static_cast<NodeId>(found - node_names.begin());
}

// Trees stand by number of levels, then name, so the first hit is the right one.
std::optional<LevelRef> Snapshot::level(std::string_view key, std::string_view topology) const {
    for (std::size_t index = 0; index < trees.size(); ++index) {
        if (!topology.empty() && trees[index].name != topology)
            continue;
        if (const auto level = find_level(trees[index], index, key))
            return level;
    }
    return std::nullopt;
}

std::string Snapshot::path(std::uint32_t tree, std::uint32_t depth, NodeId node) const {
    const Tree& along = trees[tree];
    for (std::uint32_t d = depth + 1; d-- > 0;) {
        if (const auto domain = along.domain_of[d][node]; domain != nowhere)
            return along.domains[d][domain].path;
    }
    return {};
}

void Snapshot::take(NodeId node, ShapeId shape) {
    shift(*this, node, shape, false);
}

void Snapshot::give_back(NodeId node, ShapeId shape) {
    shift(*this, node, shape, true);
}

}  // namespace echelon::model
