#include "model/topology/trees.hpp"

#include "base/flat_table.hpp"
#include "base/natural_order.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

namespace echelon::model {

namespace {

// The level keys of a declared topology, each once, with the host as the last.
Levels levels_of(const Topology& topology) {
    Levels levels{.name = topology.name, .keys = {}, .api_kind = topology.api_kind, .source = topology.source};
    for (const auto& key : topology.levels) {
        if (key == host_level)
            break;
        if (std::ranges::find(levels.keys, key) == levels.keys.end())
            levels.keys.push_back(key);
    }
    levels.keys.emplace_back(host_level);
    const auto has = [&levels](const std::string& key) {
        return std::ranges::find(levels.keys, key) != levels.keys.end();
    };
    for (const auto& [key, labels] : topology.labels) {
        if (has(key))
            levels.labels.emplace(key, labels);
    }
    for (const auto& [alias, key] : topology.aliases) {
        if (has(key))
            levels.aliases.emplace(alias, key);
    }
    return levels;
}

std::vector<Levels> declared_levels(std::span<const Topology* const> topologies) {
    std::vector<std::pair<const Topology*, Levels>> found;
    for (const auto* topology : topologies) {
        if (topology->problem.empty())
            found.emplace_back(topology, levels_of(*topology));
    }
    std::ranges::sort(found, {}, [](const auto& row) {
        const auto& [topology, levels] = row;
        // Subtracted, so that more levels sort first.
        return std::tuple(topology->source, SIZE_MAX - levels.keys.size(), std::string_view(topology->name),
                          topology->precedence, std::string_view(topology->api_kind));
    });
    std::vector<Levels> chosen;
    chosen.reserve(found.size());
    for (auto& row : found) {
        chosen.push_back(std::move(row.second));
    }
    return chosen;
}

void append_parts(const Levels& levels, const NodeView& node, std::vector<std::string_view>& parts) {
    for (std::size_t level = 0; level + 1 < levels.keys.size(); ++level)
        parts.push_back(place_at(node, levels, level).value_or(Places::missing));
    parts.push_back(node.name());
}

Places places_by_labels(const Levels& levels, std::span<const NodeView> nodes) {
    Places places{.depth = levels.keys.size(), .parts = {}};
    places.parts.reserve(nodes.size() * places.depth);
    for (const auto& node : nodes)
        append_parts(levels, node, places.parts);
    return places;
}

// Ranks the names at one level in natural order, and returns how many names there are. Neighbours often share a name by
// pointer, so that most texts are not compared.
std::size_t rank_level(const Places& places, std::size_t level, std::vector<std::uint32_t>& ranks) {
    base::FlatTable<std::uint32_t> numbers;  // By name: index of `names`.
    std::vector<std::pair<std::string_view, std::uint32_t>> names;
    std::string_view last;
    std::uint32_t number = 0;
    for (std::size_t at = level; at < places.parts.size(); at += places.depth) {
        const auto name = places.parts[at];
        if (names.empty() || name.data() != last.data() || name.size() != last.size()) {
            const auto hash = std::hash<std::string_view>{}(name);
            const auto* known = numbers.find(hash, [&](std::uint32_t each) { return names[each].first == name; });
            number = known != nullptr ? *known : static_cast<std::uint32_t>(names.size());
            if (known == nullptr) {
                numbers.insert(hash, number);
                names.emplace_back(name, number);
            }
        }
        last = name;
        ranks[at] = number;
    }
    std::ranges::sort(names, base::NaturalLess{}, [](const auto& name) { return name.first; });
    std::vector<std::uint32_t> rank_of(names.size());
    for (std::uint32_t rank = 0; rank < names.size(); ++rank)
        rank_of[names[rank].second] = rank;
    for (std::size_t at = level; at < ranks.size(); at += places.depth)
        ranks[at] = rank_of[ranks[at]];
    return names.size();
}

// A stable counting sort by the ranks at one level.
void sort_by_level(const std::vector<std::uint32_t>& ranks, std::size_t depth, std::size_t level, std::size_t names,
                   std::vector<NodeId>& order) {
    std::vector<std::uint32_t> next(names + 1, 0);  // [rank] where its next node goes.
    for (const auto node : order)
        ++next[ranks[node * depth + level] + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<NodeId> sorted(order.size());
    for (const auto node : order)
        sorted[next[ranks[node * depth + level]]++] = node;
    order = std::move(sorted);
}

// Depth-first order, siblings in natural order: a radix sort from the host up to the widest level. `ranks`: of the
// names, as in `Places::parts`; not of hosts if `hosts` has them.
std::vector<NodeId> order_of(const Places& places, HostRanks hosts, std::vector<std::uint32_t>& ranks) {
    ranks.resize(places.parts.size());
    std::vector<NodeId> order(places.node_count());
    std::iota(order.begin(), order.end(), NodeId{0});
    for (NodeId node = 0; node < hosts.size(); ++node) {
        order[hosts[node]] = node;
    }
    const auto ranked = hosts.empty() ? places.depth : places.depth - 1;
    for (auto level = ranked; level-- > 0;) {
        const auto names = rank_level(places, level, ranks);
        sort_by_level(ranks, places.depth, level, names, order);
    }
    return order;
}

// The path of a node's domain at a level. A domain that takes the place of a missing tier keeps its own path.
std::string path_at(const Places& places, NodeId node, std::size_t level) {
    while (places.is_stand_in(node, level)) {
        ++level;
    }
    std::size_t length = level;
    for (std::size_t each = 0; each <= level; ++each) {
        length += places.of(node)[each].size();
    }
    std::string path;
    path.reserve(length);
    for (std::size_t each = 0; each <= level; ++each) {
        if (each > 0)
            path.push_back('/');
        path.append(places.is_stand_in(node, each) ? Places::missing : places.of(node)[each]);
    }
    return path;
}

}  // namespace

std::vector<Levels> choose_levels(std::span<const Topology* const> topologies, const LabelCounts& labels,
                                  std::span<const NodeView> nodes) {
    auto trees = declared_levels(topologies);
    for (auto& levels : preset_levels(labels, nodes)) {
        if (trees.empty() || levels.keys.size() > 1)
            trees.push_back(std::move(levels));
    }
    return trees;
}

namespace {

bool is_listed(const std::string& key, std::span<const Levels> declared) {
    return std::ranges::any_of(declared, [&key](const Levels& levels) { return levels.lists(key); });
}

}  // namespace

std::vector<Levels> single_label_levels(std::span<const Levels> declared, const std::set<std::string>& asked,
                                        const LabelCounts& labels, std::span<const NodeView> nodes) {
    std::vector<Levels> trees;
    for (const auto& key : asked) {
        if (!is_listed(key, declared) && is_carried(key, labels, nodes))
            trees.push_back({.name = key, .keys = {key, std::string(host_level)}});
    }
    return trees;
}

bool nodes_decide_single_levels(std::span<const Levels> declared, const std::set<std::string>& asked,
                                const LabelCounts& labels) {
    return std::ranges::any_of(
        asked, [&](const std::string& key) { return nodes_decide(key, labels) && !is_listed(key, declared); });
}

std::vector<std::string_view> path_parts(const Levels& levels, const NodeView& node) {
    std::vector<std::string_view> parts;
    append_parts(levels, node, parts);
    return parts;
}

Tree build_tree(const Levels& levels, std::span<const NodeView> nodes, HostRanks hosts) {
    return build_tree(levels, places_by_labels(levels, nodes), hosts);
}

Tree build_tree(const Levels& levels, const Places& places, HostRanks hosts) {
    const auto depth = levels.keys.size();
    Tree tree;
    tree.name = levels.name;
    tree.keys = levels.keys;
    tree.api_kind = levels.api_kind;
    for (const auto& [alias, key] : levels.aliases) {
        const auto depth_of = std::ranges::find(levels.keys, key) - levels.keys.begin();
        tree.aliases.emplace(alias, static_cast<std::uint32_t>(depth_of));
    }
    std::vector<std::uint32_t> ranks;
    tree.order = order_of(places, hosts, ranks);
    tree.domains.resize(depth);
    tree.paths.resize(depth - 1);
    tree.domains.back().reserve(tree.order.size());
    tree.domain_of.assign(depth, std::vector<std::uint32_t>(tree.order.size(), nowhere));

    NodeId before = nowhere;
    for (std::uint32_t position = 0; position < tree.order.size(); ++position) {
        const NodeId node = tree.order[position];
        const auto here = places.of(node);
        bool is_same = before != nowhere;  // Equal from the widest down to this level.
        std::uint32_t wider = nowhere;
        for (std::size_t level = 0; level < depth; ++level) {
            const bool is_host = level + 1 == depth;
            is_same = is_same && !is_host && ranks[before * depth + level] == ranks[node * depth + level];
            auto& domains = tree.domains[level];
            if (here[level] == Places::missing && !is_host) {
                wider = nowhere;
                continue;
            }
            if (!is_same) {
                domains.push_back({position, position, wider});
                if (!is_host)
                    tree.paths[level].push_back(path_at(places, node, level));
            }
            domains.back().last = position + 1;
            wider = static_cast<std::uint32_t>(domains.size() - 1);
            tree.domain_of[level][node] = wider;
        }
        before = node;
    }
    for (auto& domains : tree.domains)
        domains.shrink_to_fit();
    for (auto& paths : tree.paths)
        paths.shrink_to_fit();
    return tree;
}

void renumber(Tree& tree, const std::vector<NodeId>& order) {
    std::vector<NodeId> number(order.size());
    for (NodeId id = 0; id < order.size(); ++id) {
        number[order[id]] = id;
    }
    for (auto& node : tree.order) {
        node = number[node];
    }
    for (auto& domain_of : tree.domain_of) {
        std::vector<std::uint32_t> moved(domain_of.size());
        for (NodeId id = 0; id < order.size(); ++id) {
            moved[id] = domain_of[order[id]];
        }
        domain_of = std::move(moved);
    }
}

}  // namespace echelon::model
