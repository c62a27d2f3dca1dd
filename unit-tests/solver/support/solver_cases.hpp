#pragma once

// Which cases measure the solver? A cluster in blocks of 16 racks of 16 hosts with 8 GPUs, partly used in a fixed
// pattern, and the gangs of the solver's contract. Shared by the benchmarks and the gates.

#include "solver/solve.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace echelon::bench {

using model::LevelRef;

inline constexpr std::uint32_t hosts_per_rack = 16;
inline constexpr std::uint32_t racks_per_block = 16;
inline constexpr LevelRef block{0, 0};
inline constexpr LevelRef rack{0, 1};

struct Shape {
    std::int64_t cpu;
    std::int64_t memory;
    std::int64_t gpu;
};

inline std::string padded(std::uint32_t number) {
    const std::string digits = std::to_string(number);
    return std::string(7 - digits.size(), '0') + digits;
}

inline void add_level(model::Tree& tree, std::uint32_t nodes, std::uint32_t width, const std::string& prefix) {
    auto& domains = tree.domains.emplace_back();
    tree.paths.emplace_back();
    auto& domain_of = tree.domain_of.emplace_back();
    const std::size_t above = tree.domains.size() - 1;
    for (std::uint32_t n = 0; n < nodes; ++n) {
        if (n % width == 0) {
            const std::uint32_t parent = above == 0 ? model::nowhere : tree.domain_of[above - 1][n];
            const std::string around = above == 0 ? "" : tree.paths[above - 1][parent] + "/";
            tree.paths[above].push_back(around + prefix + padded(n / width));
            domains.push_back({.first = n, .last = std::min(nodes, n + width), .parent = parent});
        }
        domain_of.push_back(static_cast<std::uint32_t>(domains.size()) - 1);
    }
}

inline model::Snapshot cluster(std::uint32_t nodes, bool is_full) {
    model::Snapshot s;
    s.resources = {"cpu", "memory", "nvidia.com/gpu", "pods"};
    s.room.resize(4);
    model::Tree tree{.name = "default",
                     .keys = {"example.com/block", "example.com/rack", "kubernetes.io/hostname"},
                     .order = std::vector<model::NodeId>(nodes),
                     .domains = {},
                     .paths = {},
                     .domain_of = {}};
    std::iota(tree.order.begin(), tree.order.end(), 0U);
    add_level(tree, nodes, hosts_per_rack * racks_per_block, "b");
    add_level(tree, nodes, hosts_per_rack, "r");
    add_level(tree, nodes, 1, "n");
    for (std::uint32_t n = 0; n < nodes; ++n) {
        s.node_names.push_back("n" + padded(n));
        s.usable.push_back(1);
        const std::int64_t gpus = is_full ? (n % 5 == 0 ? 1 : 0) : 8 - (n * 7 % 11) % 5;
        s.room[0].push_back(gpus * 12'000 + 4'000);
        s.room[1].push_back((gpus * 100 + 32) * (std::int64_t{1} << 30));
        s.room[2].push_back(gpus);
        s.room[3].push_back(110 - n % 7);
    }
    s.capacity = s.room;
    std::ranges::fill(s.capacity[0], 100'000);
    std::ranges::fill(s.capacity[2], 8);
    s.trees.push_back(std::move(tree));
    return s;
}

inline model::PodClassId add_pod_class(model::Snapshot& s, Shape pod_class) {
    s.pod_classes.emplace_back();
    s.need.push_back({pod_class.cpu, pod_class.memory << 30U, pod_class.gpu, 1});
    s.eligible.emplace_back(s.node_count(), std::uint8_t{1});
    return static_cast<model::PodClassId>(s.need.size() - 1);
}

inline std::uint32_t add_group(model::Gang& gang, std::uint32_t parent, std::vector<LevelRef> required) {
    model::GangGroup group;
    const auto index = static_cast<std::uint32_t>(gang.groups.size());
    group.key = {.kind = "bench", .name = "default/g" + std::to_string(index)};
    group.parent = parent;
    group.required = std::move(required);
    group.first_member = group.last_member = static_cast<std::uint32_t>(gang.members.size());
    gang.groups.push_back(std::move(group));
    if (parent != model::nowhere) {
        gang.groups[parent].children.push_back(index);
        gang.groups[parent].is_leaf = false;
        gang.groups[parent].minimum = static_cast<std::int64_t>(gang.groups[parent].children.size());
    }
    return index;
}

inline void add_members(model::Gang& gang, std::uint32_t leaf, model::PodClassId pod_class, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        model::Member member;
        member.pod = "default/p" + std::to_string(gang.members.size());
        member.uid = member.pod;
        member.pod_class = pod_class;
        gang.members.push_back(std::move(member));
    }
    gang.groups[leaf].last_member = static_cast<std::uint32_t>(gang.members.size());
    gang.groups[leaf].minimum += count;
}

inline model::Gang identical(model::Snapshot& s, std::int64_t pods, LevelRef level) {
    const model::PodClassId pod_class = add_pod_class(s, {8'000, 64, 1});
    model::Gang gang;
    add_members(gang, add_group(gang, model::nowhere, {level}), pod_class, pods);
    return gang;
}

// Block on the root, rack on each of six groups, 1,000 pods in all.
inline model::Gang gang_of_gangs(model::Snapshot& s) {
    const model::PodClassId pod_class = add_pod_class(s, {2'000, 16, 1});
    model::Gang gang;
    const std::uint32_t root = add_group(gang, model::nowhere, {block});
    // A rack holds about 96: each group is two halves, so that every leaf has one.
    for (int g = 0; g < 6; ++g) {
        const std::uint32_t role = add_group(gang, root, {});
        for (int half = 0; half < 2; ++half) {
            add_members(gang, add_group(gang, role, {rack}), pod_class, g < 4 ? 83 : 84);
        }
    }
    return gang;
}

// 64 pods of four sizes in eight groups, each in one rack, the whole in one block.
inline model::Gang mixed(model::Snapshot& s) {
    const model::PodClassId sizes[] = {add_pod_class(s, {8'000, 64, 1}), add_pod_class(s, {16'000, 128, 2}),
                                       add_pod_class(s, {32'000, 256, 4}), add_pod_class(s, {80'000, 640, 8})};
    model::Gang gang;
    const std::uint32_t root = add_group(gang, model::nowhere, {block});
    for (int g = 0; g < 8; ++g) {
        const std::uint32_t leaf = add_group(gang, root, {rack});
        add_members(gang, leaf, sizes[g % 4], g % 4 == 3 ? 2 : 6);
        add_members(gang, leaf, sizes[(g + 1) % 3], 2);
    }
    return gang;
}

// The reference: slots per node, their sum per rack, and the tightest rack for 32 pods. It makes no plan.
inline std::int64_t scan(const model::Snapshot& s) {
    std::int64_t best = INT64_MAX;
    for (const model::Domain& domain : s.trees[0].domains[1]) {
        std::int64_t slots = 0;
        for (std::uint32_t n = domain.first; n < domain.last; ++n) {
            slots += std::min({s.room[0][n] / 8'000, s.room[1][n] >> 36U, s.room[2][n], s.room[3][n]});
        }
        best = slots >= 32 ? std::min(best, slots) : best;
    }
    return best;
}

}  // namespace echelon::bench
