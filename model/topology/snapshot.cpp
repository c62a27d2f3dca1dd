#include "model/topology/snapshot.hpp"

#include "model/facts/topology.hpp"
#include "model/topology/united_levels.hpp"

#include <algorithm>

namespace echelon::model {

namespace {

// Wraps around instead of overflowing, so that `give_back` undoes `take` for any amounts.
std::int64_t shifted(std::int64_t room, std::int64_t amount, bool adds) {
    const auto base = static_cast<std::uint64_t>(room);
    const auto delta = static_cast<std::uint64_t>(amount);
    return static_cast<std::int64_t>(adds ? base + delta : base - delta);
}

void shift(Snapshot& snapshot, NodeId node, PodClassId pod_class, bool adds) {
    const auto& need = snapshot.need[pod_class];
    for (std::size_t resource = 0; resource < need.size(); ++resource) {
        if (need[resource] == 0)
            continue;
        auto& room = snapshot.room[resource][node];
        room = shifted(room, need[resource], adds);
    }
}

void shift_parts(Snapshot& snapshot, NodeId node, PodClassId pod_class, std::int64_t pods) {
    if (const auto here = snapshot.zoned.find(node); here != snapshot.zoned.end()) {
        const PodClass& of = snapshot.pod_classes[pod_class];
        here->second.add(zone_parts(of.requests, *of.alignment, *here->second.zones), pods);
    }
    if (const auto here = snapshot.matched.find(node); here != snapshot.matched.end())
        here->second.add(*snapshot.pod_classes[pod_class].devices, pods);
}

template <typename Counts, typename Key>
void add_to(Counts& counts, const Key& key, std::int64_t pods) {
    if (key.empty())
        return;
    auto& count = counts[key];
    count += pods;
    if (count <= 0)
        counts.erase(key);
}

bool is_united(const Tree& tree) {
    return tree.name == united_tree_name;
}

bool is_of_group(const Tree& tree, std::string_view api_group) {
    const std::string_view kind = tree.api_kind;
    return kind.size() > api_group.size() && kind.ends_with(api_group) &&
           kind[kind.size() - api_group.size() - 1] == '.';
}

}  // namespace

void ZonedNode::add(const ZoneParts& parts, std::int64_t pods) {
    add_to(unreported, parts, pods);
}

void MatchedNode::add(const DeviceAsks& asks, std::int64_t pods) {
    add_to(expected, asks, pods);
}

std::optional<NodeId> Snapshot::node(base::Hashed name) const {
    if (rows.size() == node_names.size()) {
        const auto is_it = [&](std::uint32_t row) { return ids[row] != nowhere && node_names[ids[row]] == name; };
        const auto* row = rows.find(base::hash_of(name), is_it);
        return row == nullptr ? std::nullopt : std::optional(ids[*row]);
    }
    const auto found = std::ranges::find_if(node_names, [name](const base::Text& other) { return other == name; });
    if (found == node_names.end())
        return std::nullopt;
    return static_cast<NodeId>(found - node_names.begin());
}

const std::string& Tree::path_of(std::size_t depth, std::uint32_t domain) const {
    static const std::string none;
    return depth < host_depth() ? paths[depth][domain] : none;
}

std::optional<std::uint32_t> Tree::depth_of(std::string_view level) const {
    if (const auto key = std::ranges::find(keys, level); key != keys.end())
        return static_cast<std::uint32_t>(key - keys.begin());
    if (!tiers.empty() && level == narrowest_tier_level)
        return static_cast<std::uint32_t>(tiers.size() - 1);
    if (const auto tier = tier_in(level); tier && !tiers.empty()) {
        const auto widest = std::ranges::find_if(tiers, [&](std::int64_t each) { return each <= *tier; });
        return widest == tiers.end() ? std::nullopt : std::optional(static_cast<std::uint32_t>(widest - tiers.begin()));
    }
    const auto alias = aliases.find(level);
    return alias == aliases.end() ? std::nullopt : std::optional(alias->second);
}

// A tree that unites several for the level comes first. Else the first tree that lists it, since trees are sorted by
// precedence. A key in any tree goes before an alias.
std::optional<LevelRef> Snapshot::level(std::string_view level, std::string_view topology,
                                        std::string_view api_group) const {
    const bool has_own = !topology.empty() && !api_group.empty() && std::ranges::any_of(trees, [&](const Tree& tree) {
        return tree.name == topology && is_of_group(tree, api_group);
    });
    for (std::uint32_t index = 0; topology.empty() && index < trees.size(); ++index) {
        const auto& tree = trees[index];
        if (const auto united = tree.aliases.find(level); is_united(tree) && united != tree.aliases.end())
            return LevelRef{index, united->second};
    }
    std::optional<LevelRef> by_alias;
    for (std::uint32_t index = 0; index < trees.size(); ++index) {
        const auto& tree = trees[index];
        if (is_united(tree) ||
            (!topology.empty() && (tree.name != topology || (has_own && !is_of_group(tree, api_group)))))
            continue;
        const auto depth = tree.depth_of(level);
        if (!depth)
            continue;
        if (tree.keys[*depth] == level || tier_in(level))
            return LevelRef{index, *depth};
        if (!by_alias)
            by_alias = LevelRef{index, *depth};
    }
    return by_alias;
}

std::string Snapshot::path(std::uint32_t tree, std::uint32_t depth, NodeId node) const {
    const Tree& along = trees[tree];
    const auto hosts = static_cast<std::uint32_t>(along.domain_of.size() - 1);
    auto wider = std::min(depth + 1, hosts);  // Levels down to the narrowest that the node has.
    while (wider > 0 && along.domain_of[wider - 1][node] == nowhere)
        --wider;
    std::string path = wider > 0 ? along.path_of(wider - 1, along.domain_of[wider - 1][node]) : std::string();
    if (depth < hosts)
        return path;
    for (; wider < hosts; ++wider)
        path += wider > 0 ? "/-" : "-";
    return path + (hosts > 0 ? "/" : "") + node_names[node];
}

void Snapshot::take(NodeId node, PodClassId pod_class) {
    shift(*this, node, pod_class, false);
    shift_parts(*this, node, pod_class, 1);
}

void Snapshot::give_back(NodeId node, PodClassId pod_class) {
    shift(*this, node, pod_class, true);
    shift_parts(*this, node, pod_class, -1);
}

}  // namespace echelon::model
