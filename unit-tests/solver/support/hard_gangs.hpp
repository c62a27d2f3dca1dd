#pragma once

// Which gangs are hard to place? 72 to 96 pods of many unlike sizes on hosts that are about half full.
//
// Each case fills a part of the cluster to a load where first fit fails and counting proves nothing. Shared by the
// benchmark of steps (hard_gangs.cpp) and the gates.

#include "unit-tests/solver/support/solver_cases.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

namespace echelon::bench {

struct HardGang {
    std::string name;
    std::uint32_t leaves = 1;
    std::int64_t pods = 96;
    std::uint32_t sizes = 12;  // How many different sizes.
    bool in_block = false;     // The whole gang.
    bool in_racks = false;     // Each leaf.
    bool needs_all = true;     // False: half of each leaf, and half of the leaves.
    bool prefers_rack = false;
    std::int64_t multiple = 0;       // Of pods for each rack.
    bool has_gated_members = false;  // As many gated members as there are pods.
    bool has_placeholders = false;   // Half of the pods don't exist yet.
    std::int64_t load = 100;         // Percent of what is free on `hosts` hosts, in the resource that is shortest.
    std::uint32_t hosts = 16;
    std::uint32_t bound = 0;  // Members that run already, in the first rack.
    std::uint32_t apart = 0;  // Kinds of members; each keeps apart from half of them, on hosts or in racks.
};

inline std::vector<HardGang> hard_gangs() {
    return {
        {.name = "rack-96-of-12-sizes", .in_racks = true, .load = 97},
        {.name = "rack-72-of-24-sizes", .pods = 72, .sizes = 24, .in_racks = true, .load = 98},
        {.name = "rack-96-that-never-fit", .sizes = 16, .in_racks = true, .load = 101},
        {.name = "racks-12-leaves", .leaves = 12, .in_block = true, .in_racks = true, .load = 97, .hosts = 64},
        {.name = "racks-24-leaves",
         .leaves = 24,
         .sizes = 24,
         .in_block = true,
         .in_racks = true,
         .load = 99,
         .hosts = 48},
        {.name = "racks-half-needed",
         .leaves = 12,
         .in_block = true,
         .in_racks = true,
         .needs_all = false,
         .load = 160,
         .hosts = 32},
        {.name = "racks-prefer",
         .leaves = 8,
         .pods = 80,
         .in_block = true,
         .prefers_rack = true,
         .load = 90,
         .hosts = 32},
        {.name = "block-80-of-40-sizes", .pods = 80, .sizes = 40, .in_block = true, .load = 95, .hosts = 24},
        {.name = "anywhere-96-of-48-sizes", .sizes = 48, .load = 400},
        {.name = "anywhere-large-pods", .pods = 72, .sizes = 9, .load = 2400},
        {.name = "extras-96-of-12-sizes", .in_racks = true, .needs_all = false, .load = 140},
        {.name = "shadows-rack", .pods = 80, .in_racks = true, .has_gated_members = true, .load = 70},
        {.name = "ghosts-rack", .pods = 88, .sizes = 20, .in_racks = true, .has_placeholders = true, .load = 97},
        {.name = "multiples-unlike", .pods = 72, .sizes = 6, .in_block = true, .multiple = 3, .load = 80, .hosts = 48},
        {.name = "multiples-leaves",
         .leaves = 6,
         .sizes = 12,
         .in_block = true,
         .multiple = 4,
         .load = 85,
         .hosts = 48},
        {.name = "bound-half",
         .leaves = 4,
         .pods = 96,
         .in_block = true,
         .in_racks = true,
         .load = 95,
         .hosts = 64,
         .bound = 8},
        {.name = "groups-300-of-24-sizes",
         .leaves = 300,
         .pods = 300,
         .sizes = 24,
         .in_block = true,
         .load = 50,
         .hosts = 64},
        {.name = "apart-62-of-12-kinds", .pods = 62, .sizes = 31, .in_block = true, .load = 30, .apart = 12},
        {.name = "apart-96-of-96-kinds", .sizes = 48, .in_block = true, .load = 30, .apart = 96},
        {.name = "apart-500-of-100-kinds", .pods = 500, .sizes = 100, .in_block = true, .load = 60, .apart = 100},
    };
}

// Hosts of 100 cores, 1 TiB and 8 GPUs, of which 30 to 70 % are in use, cut at random.
inline model::Snapshot half_full(std::uint32_t nodes, std::uint32_t seed) {
    model::Snapshot s = cluster(nodes, false);
    std::mt19937 random(seed);
    for (std::uint32_t n = 0; n < nodes; ++n) {
        s.room[0][n] = 30'000 + static_cast<std::int64_t>(random() % 400) * 100;
        s.room[1][n] = (300 + static_cast<std::int64_t>(random() % 400)) << 30U;
        s.room[2][n] = static_cast<std::int64_t>(random() % 4) + 2;
    }
    return s;
}

namespace detail {

// Shapes whose `pods` members together take `load` percent of what the tightest resource has on `hosts` hosts.
inline std::vector<model::PodClassId> unlike_pod_classes(model::Snapshot& s, const HardGang& hard,
                                                         std::mt19937& random) {
    const std::int64_t cores = 50'000 * hard.hosts * hard.load / 100 / hard.pods;
    const std::int64_t memory = 500 * static_cast<std::int64_t>(hard.hosts) * hard.load / 100 / hard.pods;
    std::vector<model::PodClassId> pod_classes;
    for (std::uint32_t i = 0; i < hard.sizes; ++i) {
        const auto part = static_cast<std::int64_t>(40 + random() % 121);  // Percent of the mean; the other way round
        pod_classes.push_back(add_pod_class(s, {cores * part / 100 + static_cast<std::int64_t>(i),
                                                memory * (200 - part) / 100, i % 4 == 0 && hard.load < 200 ? 1 : 0}));
    }
    return pod_classes;
}

// Members of each kind keep apart from those of it and of the kinds that follow: on hosts, or in racks.
inline void keep_apart(const model::Snapshot& s, model::Gang& gang, std::uint32_t kinds) {
    model::AffinityConstraints& affinity = gang.affinity;
    const std::vector<std::uint32_t>& rack_of = s.trees[rack.tree].domain_of[rack.depth];
    affinity.affinity_classes = kinds + 1;
    affinity.topology_keys = {{.key = "kubernetes.io/hostname",
                               .of = s.trees[0].order,
                               .count = static_cast<std::uint32_t>(s.node_count()),
                               .is_single = true},
                              {.key = "example.com/rack", .of = rack_of, .count = rack_of.back() + 1}};
    for (std::uint32_t kind = 0; kind < kinds; ++kind) {
        for (std::uint32_t i = 0; i < kinds / 2; ++i) {
            const auto [one, other] = std::minmax({kind, (kind + i) % kinds});
            affinity.apart.push_back({.topology_key = kind % 2, .one = one + 1, .other = other + 1});
        }
    }
    std::ranges::sort(affinity.apart);
    for (std::uint32_t m = 0; m < gang.members.size(); ++m) {
        gang.members[m].affinity_class = 1 + m % kinds;
    }
}

}  // namespace detail

inline model::Gang hard_gang(model::Snapshot& s, const HardGang& hard, std::uint32_t seed) {
    std::mt19937 random(seed);
    const std::vector<model::PodClassId> pod_classes = detail::unlike_pod_classes(s, hard, random);
    model::Gang gang;
    const std::vector<LevelRef> whole = hard.in_block ? std::vector{block} : std::vector<LevelRef>{};
    const bool is_single = hard.leaves == 1;
    const std::uint32_t root = add_group(gang, model::nowhere, is_single && hard.in_racks ? std::vector{rack} : whole);
    for (std::uint32_t leaf = 0; leaf < hard.leaves; ++leaf) {
        const std::uint32_t group =
            is_single ? root : add_group(gang, root, hard.in_racks ? std::vector{rack} : std::vector<LevelRef>{});
        const std::int64_t here = hard.pods / hard.leaves;
        for (std::int64_t i = 0; i < here; ++i)
            add_members(gang, group, pod_classes[random() % pod_classes.size()], 1);
        for (std::uint32_t m = gang.groups[group].first_member; m < gang.groups[group].last_member; ++m) {
            gang.members[m].is_placeholder = hard.has_placeholders && m % 2 == 1;
            if (leaf == 0 && m < hard.bound) {
                gang.members[m].state = model::Member::State::bound;
                gang.members[m].node = m % hosts_per_rack;
            }
            if (hard.has_gated_members)
                gang.gated_members.push_back({.group = group, .pod_class = gang.members[m].pod_class});
        }
        if (hard.multiple > 0)
            gang.groups[group].multiples.emplace_back(rack, hard.multiple);
        if (hard.prefers_rack)
            gang.groups[group].preferred.push_back(rack);
        if (!hard.needs_all)
            gang.groups[group].minimum = here / 2;
    }
    if (!hard.needs_all && !is_single)
        gang.groups[root].minimum = hard.leaves / 2;
    if (hard.apart > 0)
        detail::keep_apart(s, gang, hard.apart);
    return gang;
}

}  // namespace echelon::bench
