#pragma once

// Which small worlds are worth trying? Random ones of every style, the same for a seed on every machine.

#include "unit-tests/solver/support/world.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::solver::testing {

using Random = std::mt19937;

inline std::int64_t pick(Random& random, std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from + 1));
}
inline bool chance(Random& random, std::int64_t percent) {
    return pick(random, 1, 100) <= percent;
}

struct Style {
    bool mixed = false;  // Pods of several sizes.
    bool bound = false;  // Some members run already.
    bool two_trees = false;
    bool preferred = false;
    bool floors = false;
    bool multiples = false;
    bool limits = false;    // At most one or two in one domain.
    bool confined = false;  // Children of a group with a limit require its level or a narrower one.
    bool pairs = false;     // Children in proportion.
    bool crossed = false;   // Rules of one group along two trees, on nodes that differ in little else.
    std::int64_t most_pods = 6;
};

inline std::vector<NodeSpec> random_nodes(Random& random, const Style& style) {
    std::vector<NodeSpec> nodes;
    const std::int64_t count = pick(random, 2, 5);
    for (std::int64_t i = 0; i < count; ++i) {
        NodeSpec node{.name = fmt::format("n{}", i),
                      .labels = {fmt::format("b{}", pick(random, 0, 1)), fmt::format("r{}", pick(random, 0, 1))},
                      .room = {{gpu, pick(random, 0, style.mixed ? 6 : 3)}, {"pods", pick(random, 1, 4)}}};
        node.taken = {{gpu, pick(random, 0, 2)}};
        if (chance(random, 8)) {
            node.labels[static_cast<std::size_t>(pick(random, 0, 1))] = "";
        }
        if (style.two_trees) {
            node.other_labels = {chance(random, 10) ? std::string{} : fmt::format("z{}", pick(random, 0, 1))};
        }
        node.usable = !chance(random, 6);
        nodes.push_back(std::move(node));
    }
    return nodes;
}

inline void constrain(Random& random, const Style& style, GroupSpec& group) {
    const std::string levels[] = {block, rack, host};
    if (chance(random, 45)) {
        group.required = {levels[pick(random, 0, 2)]};
    }
    if (style.two_trees && chance(random, 40)) {
        group.required.emplace_back("example.com/zone");
    }
    if (style.preferred && chance(random, 60)) {
        group.preferred = levels[pick(random, 0, 2)];
    }
    for (int i = 0; i < 2 && style.multiples; ++i) {
        if (chance(random, 40)) {
            group.multiples.emplace_back(levels[pick(random, 0, 2)], pick(random, 2, 3));
        }
    }
    if (style.limits && chance(random, 60)) {
        group.most_per_domain.emplace_back(
            style.two_trees && chance(random, 30) ? "example.com/zone" : levels[pick(random, 0, 2)],
            pick(random, 1, 2));
    }
}

inline GroupSpec random_group(Random& random, const Style& style, const std::vector<NodeSpec>& nodes,
                              std::int64_t depth, std::int64_t& pods_left, const std::string& name) {
    GroupSpec group{.name = name};
    constrain(random, style, group);
    if (depth > 0 && chance(random, 75)) {
        const std::int64_t children = pick(random, 1, 3);
        for (std::int64_t c = 0; c < children; ++c) {
            group.children.push_back(
                random_group(random, style, nodes, depth - 1, pods_left, fmt::format("{}.{}", name, c)));
        }
        if (style.pairs && chance(random, 70)) {
            const std::string levels[] = {block, rack, host};
            group.paired = style.two_trees && chance(random, 30) ? "example.com/zone" : levels[pick(random, 0, 2)];
        }
        group.minimum = pick(random, chance(random, 10) ? 0 : 1, children);
        group.floor = style.floors && chance(random, 60) ? pick(random, 1, 4) : 0;
        return group;
    }
    const std::int64_t count = std::min(pods_left, pick(random, 1, 3));
    pods_left -= count;
    std::int64_t members = count;
    for (std::int64_t p = 0; p < count; ++p) {
        PodSpec pod = pods(1, style.mixed ? pick(random, 1, 4) : 1);
        if (style.mixed && chance(random, 15)) {
            pod.only = {nodes[static_cast<std::size_t>(pick(random, 0, std::ssize(nodes) - 1))].name};
        }
        if (style.bound && chance(random, 25)) {
            pod.on = nodes[static_cast<std::size_t>(pick(random, 0, std::ssize(nodes) - 1))].name;
        } else if (style.bound && chance(random, 8)) {
            pod.finished = true;
        }
        group.pods.push_back(pod);
    }
    group.minimum = pick(random, chance(random, 10) ? 0 : 1, std::max<std::int64_t>(1, members));
    return group;
}

inline void confine_children(Random& random, GroupSpec& group) {
    const std::vector<std::string> levels = {block, rack, host};
    for (GroupSpec& child : group.children) {
        for (const auto& [level, most] : group.most_per_domain) {
            const auto at = std::ranges::find(levels, level) - levels.begin();
            if (at < std::ssize(levels) && child.required.empty()) {
                child.required = {levels[static_cast<std::size_t>(pick(random, at, std::ssize(levels) - 1))]};
            }
        }
        confine_children(random, child);
        if (child.children.empty()) {
            child.most_per_domain.clear();
            child.minimum = std::max<std::int64_t>(child.minimum, 1);
        }
    }
}

inline void cross_rules(Random& random, GroupSpec& group) {
    const std::string levels[] = {block, rack, rack, host};
    const std::string own[] = {levels[pick(random, 0, 3)], "example.com/zone"};
    group.required.clear();
    for (const std::string& level : own) {
        if (chance(random, 75)) {
            group.most_per_domain.emplace_back(level, pick(random, 1, 2));
        } else if (chance(random, 50)) {
            group.multiples.emplace_back(level, 2);
        }
    }
    if (chance(random, 30)) {
        std::ranges::reverse(group.most_per_domain);
    }
    const bool is_confined = chance(random, 60);
    for (GroupSpec& child : group.children) {
        cross_rules(random, child);
        if (is_confined) {
            child.required = {own[0], own[1]};
        }
    }
}

struct RandomWorld {
    std::vector<NodeSpec> nodes;
    GroupSpec root;
};

inline RandomWorld random_world(std::uint32_t seed, const Style& style) {
    Random random(seed);
    RandomWorld world;
    world.nodes = random_nodes(random, style);
    std::int64_t pods_left = style.most_pods;
    world.root = random_group(random, style, world.nodes, 2, pods_left, "g");
    if (style.confined) {
        confine_children(random, world.root);
    }
    if (style.crossed) {
        cross_rules(random, world.root);
        for (NodeSpec& node : world.nodes) {
            node.labels = {"b0", chance(random, 65) ? "r0" : "r1"};
            node.other_labels = {fmt::format("z{}", pick(random, 0, 2))};
            node.room = {{gpu, pick(random, 1, 2)}, {"pods", 4}};
            node.usable = true;
        }
    }
    return world;
}

inline World build(const RandomWorld& random) {
    std::vector<std::string> other;
    if (!random.nodes.front().other_labels.empty()) {
        other = {"example.com/zone"};
    }
    return WorldBuilder({block, rack}, random.nodes, other).with(random.root);
}

inline std::string draw(const GroupSpec& group, int indent) {
    std::string text = fmt::format("{:{}}{} min {} floor {} required {} preferred {}", "", indent, group.name,
                                   group.minimum, group.floor, fmt::join(group.required, "+"), group.preferred);
    for (const auto& [level, multiple] : group.multiples) {
        text += fmt::format(" x{} in {}", multiple, level);
    }
    for (const auto& [level, most] : group.most_per_domain) {
        text += fmt::format(" at most {} in {}", most, level);
    }
    text += group.paired.empty() ? "" : " paired in " + group.paired;
    for (const PodSpec& pod : group.pods) {
        text += fmt::format(" [{}{}{}{}]", pod.needs.at(gpu), pod.on.empty() ? "" : " on " + pod.on,
                            pod.finished ? " finished" : "", pod.only.empty() ? "" : " only " + pod.only.front());
    }
    text += "\n";
    for (const GroupSpec& child : group.children) {
        text += draw(child, indent + 2);
    }
    return text;
}

inline std::string draw(const RandomWorld& world) {
    std::string text = "\n";
    for (const NodeSpec& node : world.nodes) {
        text += fmt::format("{} {} zone {} gpu {} pods {}{}\n", node.name, fmt::join(node.labels, "/"),
                            fmt::join(node.other_labels, ""), node.room.at(gpu), node.room.at("pods"),
                            node.usable ? "" : " unusable");
    }
    return text + draw(world.root, 0);
}

}  // namespace echelon::solver::testing
