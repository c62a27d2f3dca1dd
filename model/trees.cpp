#include "model/trees.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>

namespace echelon::model {

namespace {

constexpr std::string_view missing = "-";  // No label value looks like it.

// Level keys of a declared topology, each once, with the host as the last one.
Levels levels_of(const Topology& topology) {
    Levels levels{topology.name, {}};
    for (const auto& key : topology.levels) {
        if (key == host_level)
            break;
        if (std::ranges::find(levels.keys, key) == levels.keys.end())
            levels.keys.push_back(key);
    }
    levels.keys.emplace_back(host_level);
    return levels;
}

std::vector<Levels> declared_levels(std::span<const Topology* const> topologies) {
    for (const auto source : {TopologySource::object, TopologySource::configuration, TopologySource::preset}) {
        std::vector<std::tuple<std::size_t, std::string, std::string, Levels>> found;
        for (const auto* topology : topologies) {
            if (topology->source != source || !topology->problem.empty())
                continue;
            auto levels = levels_of(*topology);
            // Subtracted, so that more levels sort first.
            found.emplace_back(SIZE_MAX - levels.keys.size(), topology->name, topology->api_kind, std::move(levels));
        }
        if (found.empty())
            continue;
        std::ranges::sort(
            found, {}, [](const auto& row) { return std::tie(std::get<0>(row), std::get<1>(row), std::get<2>(row)); });
        std::vector<Levels> chosen;
        for (auto& row : found) {
            chosen.push_back(std::move(std::get<3>(row)));
        }
        return chosen;
    }
    return {};
}

// Where each node stands, level by level: [node * depth + level]. The host part is the node's name.
class Places {
public:
    Places(const Levels& levels, std::span<const Node* const> nodes) : depth_(levels.keys.size()) {
        parts_.reserve(nodes.size() * depth_);
        for (const auto* node : nodes) {
            for (std::size_t level = 0; level + 1 < depth_; ++level) {
                parts_.push_back(place_at(*node, levels.keys[level]).value_or(missing));
            }
            parts_.push_back(node->name);
        }
    }

    [[nodiscard]] std::span<const std::string_view> of(NodeId node) const {
        return std::span(parts_).subspan(node * depth_, depth_);
    }

    [[nodiscard]] std::vector<NodeId> order() const {
        std::vector<NodeId> order(depth_ == 0 ? 0 : parts_.size() / depth_);
        for (NodeId node = 0; node < order.size(); ++node) {
            order[node] = node;
        }
        std::ranges::sort(order,
                          [this](NodeId a, NodeId b) { return std::ranges::lexicographical_compare(of(a), of(b)); });
        return order;
    }

private:
    std::size_t depth_;
    std::vector<std::string_view> parts_;
};

std::string joined(std::span<const std::string_view> parts) {
    std::string path;
    for (const auto part : parts) {
        if (!path.empty())
            path.push_back('/');
        path.append(part);
    }
    return path;
}

}  // namespace

std::vector<Levels> choose_levels(std::span<const Topology* const> topologies, std::span<const Node* const> nodes) {
    auto trees = declared_levels(topologies);
    return trees.empty() ? preset_levels(nodes) : trees;
}

std::vector<Levels> single_label_levels(std::span<const Levels> declared, const std::set<std::string>& asked,
                                        std::span<const Node* const> nodes) {
    std::vector<Levels> trees;
    for (const auto& key : asked) {
        const auto lists = [&key](const Levels& levels) {
            return std::ranges::find(levels.keys, key) != levels.keys.end();
        };
        const auto carries = [&key](const Node* node) { return place_at(*node, key).has_value(); };
        if (std::ranges::none_of(declared, lists) && std::ranges::any_of(nodes, carries))
            trees.push_back({key, {key, std::string(host_level)}});
    }
    return trees;
}

std::vector<NodeId> depth_first(const Levels& levels, std::span<const Node* const> nodes) {
    return Places(levels, nodes).order();
}

Tree build_tree(const Levels& levels, std::span<const Node* const> nodes) {
    const Places places(levels, nodes);
    const auto depth = levels.keys.size();
    Tree tree;
    tree.name = levels.name;
    tree.keys = levels.keys;
    tree.order = places.order();
    tree.domains.resize(depth);
    tree.domain_of.assign(depth, std::vector<std::uint32_t>(nodes.size(), nowhere));

    std::span<const std::string_view> before;  // Places of the node before, empty at the start.
    for (std::uint32_t position = 0; position < tree.order.size(); ++position) {
        const NodeId node = tree.order[position];
        const auto here = places.of(node);
        bool is_same = !before.empty();  // Down to the present level.
        std::uint32_t wider = nowhere;
        for (std::size_t level = 0; level < depth; ++level) {
            is_same = is_same && before[level] == here[level];
            auto& domains = tree.domains[level];
            if (here[level] == missing && level + 1 < depth) {
                wider = nowhere;
                continue;
            }
            if (!is_same)
                domains.push_back({joined(here.first(level + 1)), position, position, wider});
            domains.back().last = position + 1;
            wider = static_cast<std::uint32_t>(domains.size() - 1);
            tree.domain_of[level][node] = wider;
        }
        before = here;
    }
    return tree;
}

}  // namespace echelon::model
