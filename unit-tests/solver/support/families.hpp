#pragma once

// Which gangs are hard to place? Random ones by family: partly used hosts in racks and blocks, and a gang of groups
// that each need one rack. Says exactly, by trying everything, whether a gang can be placed.
//
// Deterministic: a family and a seed give one case. One resource, so that the exhaustive search stays obviously right.

#include "unit-tests/solver/support/world.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace echelon::solver::testing {

struct Family {
    std::string name;
    std::size_t blocks = 1;
    std::size_t racks = 3;  // Of each block.
    std::size_t hosts = 2;  // Of each rack.
    std::size_t groups = 3;
    std::size_t needed = 3;                 // K of them.
    std::vector<std::int64_t> sizes = {1};  // GPUs of a pod; a group has pods of one size.
    bool in_one_block = false;              // The whole gang.
    std::size_t parts = 1;                  // Above 1: each group has this many parts, each on one host.
    std::size_t bundles = 1;                // Above 1: the gang has this many bundles, which share the groups.
};

// Part: pods of one size; on one host each, or together on one.
struct UnitCase {
    std::int64_t size = 1;
    std::vector<std::int64_t> pods;  // Of each part.
};

struct Case {
    Family family;
    std::vector<std::vector<std::int64_t>> racks;  // Free GPUs of the hosts.
    std::vector<UnitCase> groups;

    [[nodiscard]] std::size_t block_of(std::size_t at_rack) const { return at_rack / family.racks; }
    [[nodiscard]] std::int64_t pods_of(std::size_t group) const {
        return std::accumulate(groups[group].pods.begin(), groups[group].pods.end(), std::int64_t{0});
    }
    // The units of a group that each need one host in its rack: pods, or parts.
    [[nodiscard]] std::vector<std::int64_t> lumps_of(std::size_t group) const {
        const UnitCase& unit = groups[group];
        std::vector<std::int64_t> lumps;
        for (const std::int64_t pods : unit.pods) {
            if (family.parts > 1) {
                lumps.push_back(pods * unit.size);
            } else {
                lumps.insert(lumps.end(), static_cast<std::size_t>(pods), unit.size);
            }
        }
        return lumps;
    }
};

// By trying everything: any K groups, in any racks, their pods on any hosts.
class Judge {
public:
    explicit Judge(const Case& what) : case_(what), in_rack_(what.racks.size(), 0) {}

    [[nodiscard]] bool is_feasible() {
        for (std::size_t at_block = 0; at_block < (case_.family.in_one_block ? case_.family.blocks : 1); ++at_block) {
            if (place(0, 0, at_block))
                return true;
        }
        return false;
    }

private:
    bool place(std::size_t group, std::size_t placed, std::size_t at_block) {
        if (placed == case_.family.needed)
            return true;
        if (case_.groups.size() - group < case_.family.needed - placed)
            return false;
        for (std::size_t at_rack = 0; at_rack < case_.racks.size(); ++at_rack) {
            if (case_.family.in_one_block && case_.block_of(at_rack) != at_block)
                continue;
            in_rack_[at_rack] |= std::uint64_t{1} << group;
            if (packs(at_rack) && place(group + 1, placed + 1, at_block))
                return true;
            in_rack_[at_rack] &= ~(std::uint64_t{1} << group);
        }
        return place(group + 1, placed, at_block);
    }

    bool packs(std::size_t at_rack) {
        const auto [known, is_new] = known_.try_emplace({at_rack, in_rack_[at_rack]}, false);
        if (!is_new)
            return known->second;
        std::vector<std::int64_t> lumps;
        for (std::size_t group = 0; group < case_.groups.size(); ++group) {
            if ((in_rack_[at_rack] >> group & 1U) != 0)
                std::ranges::copy(case_.lumps_of(group), std::back_inserter(lumps));
        }
        std::ranges::sort(lumps, std::greater<>());
        std::vector<std::int64_t> hosts = case_.racks[at_rack];
        const bool fits = fill(lumps, 0, hosts, 0);
        known_[{at_rack, in_rack_[at_rack]}] = fits;
        return fits;
    }

    // Lumps of one size go to hosts in rising order: equal lumps are interchangeable.
    static bool fill(const std::vector<std::int64_t>& lumps, std::size_t at, std::vector<std::int64_t>& hosts,
                     std::size_t from) {
        if (at == lumps.size())
            return true;
        const std::int64_t left = std::accumulate(hosts.begin(), hosts.end(), std::int64_t{0});
        if (std::accumulate(lumps.begin() + static_cast<std::ptrdiff_t>(at), lumps.end(), std::int64_t{0}) > left)
            return false;
        for (std::size_t room = from; room < hosts.size(); ++room) {
            if (hosts[room] < lumps[at])
                continue;
            hosts[room] -= lumps[at];
            const bool is_next_equal = at + 1 < lumps.size() && lumps[at + 1] == lumps[at];
            const bool fits = fill(lumps, at + 1, hosts, is_next_equal ? room : 0);
            hosts[room] += lumps[at];
            if (fits)
                return true;
        }
        return false;
    }

    const Case& case_;
    std::vector<std::uint64_t> in_rack_;  // Groups, as bits.
    std::map<std::pair<std::size_t, std::uint64_t>, bool> known_;
};

class CaseMaker {
public:
    CaseMaker(Family family, std::uint64_t seed) : family_(std::move(family)), random_(seed) {}

    // A gang that needs between `from` and `to` percent of what is free where it must fit; nullopt: this draw failed.
    std::optional<Case> make(std::int64_t from, std::int64_t to) {
        Case out{.family = family_, .racks = {}, .groups = {}};
        for (std::size_t at_rack = 0; at_rack < family_.blocks * family_.racks; ++at_rack) {
            auto& hosts = out.racks.emplace_back();
            for (std::size_t room = 0; room < family_.hosts; ++room)
                hosts.push_back(pick(0, 8));
        }
        for (std::size_t group = 0; group < family_.groups; ++group) {
            const std::int64_t size = family_.sizes[index(family_.sizes.size())];
            out.groups.push_back({.size = size, .pods = std::vector<std::int64_t>(family_.parts, 1)});
        }
        const std::int64_t free = free_in(out);
        while (need_of(out) * 100 < free * from)
            ++out.groups[index(out.groups.size())].pods[index(family_.parts)];
        if (free == 0 || need_of(out) * 100 > free * to)
            return std::nullopt;
        return out;
    }

    // A gang that fits by construction: it is placed first, and free room is added at random until the gang needs a
    // percentage between `from` and `to`. nullopt: this draw failed.
    std::optional<Case> make_fitting(std::int64_t most_pods, std::int64_t from, std::int64_t to) {
        Case out = make_full(most_pods);
        const std::int64_t need = need_of(out);
        const std::int64_t most = pick(from, to);
        const std::size_t hosts = out.racks.size() * family_.hosts;
        for (std::size_t tries = 0; need * 100 > free_in(out) * most && tries < 64 * hosts; ++tries) {
            auto& room = out.racks[index(out.racks.size())][index(family_.hosts)];
            room = std::min<std::int64_t>(8, room + pick(1, 3));
        }
        const std::int64_t free = free_in(out);
        if (need * 100 < free * from || need * 100 > free * to)
            return std::nullopt;
        return out;
    }

private:
    // The free room is exactly what the gang needs.
    Case make_full(std::int64_t most_pods) {
        Case out{.family = family_, .racks = {}, .groups = {}};
        out.racks.assign(family_.blocks * family_.racks, std::vector<std::int64_t>(family_.hosts, 0));
        const std::size_t home = index(family_.blocks);
        for (std::size_t group = 0; group < family_.groups; ++group) {
            const std::size_t at_rack =
                family_.in_one_block ? home * family_.racks + index(family_.racks) : index(out.racks.size());
            const std::int64_t size = family_.sizes[index(family_.sizes.size())];
            std::int64_t pods = 0;
            for (std::int64_t wanted = pick(1, most_pods); pods < wanted; ++pods) {
                auto& room = out.racks[at_rack][index(family_.hosts)];
                if (room + size > 8)
                    break;
                room += size;
            }
            if (pods > 0)
                out.groups.push_back({.size = size, .pods = {pods}});
        }
        out.family.needed = out.groups.size();
        return out;
    }

    std::int64_t pick(std::int64_t from, std::int64_t to) {
        return from + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(to - from + 1));
    }
    std::size_t index(std::size_t size) { return static_cast<std::size_t>(random_() % size); }

    static std::int64_t need_of(const Case& what) {
        std::vector<std::int64_t> needs;
        for (const UnitCase& unit : what.groups)
            needs.push_back(unit.size * std::accumulate(unit.pods.begin(), unit.pods.end(), std::int64_t{0}));
        std::ranges::sort(needs);
        return std::accumulate(needs.begin(), needs.begin() + static_cast<std::ptrdiff_t>(what.family.needed),
                               std::int64_t{0});
    }

    static std::int64_t free_in(const Case& what) {
        std::vector<std::int64_t> blocks(what.family.blocks, 0);
        for (std::size_t at_rack = 0; at_rack < what.racks.size(); ++at_rack) {
            for (const std::int64_t room : what.racks[at_rack])
                blocks[what.block_of(at_rack)] += room;
        }
        return what.family.in_one_block ? *std::ranges::max_element(blocks)
                                        : std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0});
    }

    Family family_;
    std::mt19937_64 random_;
};

inline World world_of(const Case& what) {
    std::vector<NodeSpec> nodes;
    for (std::size_t at = 0; at < what.racks.size(); ++at) {
        const std::string in_rack = "r" + std::to_string(at);
        add_rack(nodes, "b" + std::to_string(what.block_of(at)), in_rack, in_rack + "-n", what.racks[at]);
    }
    for (NodeSpec& node : nodes)
        node.taken = {{gpu, 8 - node.room.at(gpu)}};
    GroupSpec root{.name = "gang", .minimum = static_cast<std::int64_t>(what.family.needed)};
    if (what.family.in_one_block)
        root.required = {block};
    for (std::size_t at = 0; at < what.family.bundles && what.family.bundles > 1; ++at)
        root.children.push_back({.name = "bundle" + std::to_string(at), .minimum = 0});
    for (std::size_t at = 0; at < what.groups.size(); ++at) {
        const UnitCase& unit = what.groups[at];
        GroupSpec group{.name = "g" + std::to_string(at), .required = {rack}};
        if (what.family.parts == 1) {
            group.minimum = unit.pods.front();
            group.pods = {pods(unit.pods.front(), unit.size)};
        } else {
            group.minimum = static_cast<std::int64_t>(what.family.parts);
            for (std::size_t part = 0; part < unit.pods.size(); ++part) {
                group.children.push_back({.name = group.name + "." + std::to_string(part),
                                          .minimum = unit.pods[part],
                                          .pods = {pods(unit.pods[part], unit.size)},
                                          .required = {host}});
            }
        }
        GroupSpec& parent = what.family.bundles > 1 ? root.children[at % what.family.bundles] : root;
        parent.minimum += what.family.bundles > 1 ? 1 : 0;
        parent.children.push_back(std::move(group));
    }
    if (what.family.bundles > 1)
        root.minimum = static_cast<std::int64_t>(what.family.bundles);
    return WorldBuilder({block, rack}, std::move(nodes)).with(root);
}

inline std::vector<Family> families() {
    const std::vector<std::int64_t> all = {1, 2, 4, 8};
    return {
        {.name = "3 groups of 1-GPU pods, 3 racks of 2 hosts"},
        {.name = "4 groups of pods of 1, 2, 4 or 8 GPUs, 4 racks of 3 hosts",
         .racks = 4,
         .hosts = 3,
         .groups = 4,
         .needed = 4,
         .sizes = all},
        {.name = "the same in 2 blocks, the whole gang in one",
         .blocks = 2,
         .racks = 4,
         .hosts = 3,
         .groups = 4,
         .needed = 4,
         .sizes = all,
         .in_one_block = true},
        {.name = "pods of 4 and 8 GPUs, 2 blocks, the whole gang in one",
         .blocks = 2,
         .racks = 4,
         .hosts = 3,
         .groups = 4,
         .needed = 4,
         .sizes = {4, 8},
         .in_one_block = true},
        {.name = "3 levels: one block, 3 groups in racks, 2 parts of each on one host",
         .blocks = 2,
         .racks = 3,
         .hosts = 3,
         .needed = 3,
         .sizes = {1, 2},
         .in_one_block = true,
         .parts = 2},
        {.name = "3 of 5 groups of pods of 1, 2, 4 or 8 GPUs, 4 racks of 3 hosts",
         .racks = 4,
         .hosts = 3,
         .groups = 5,
         .needed = 3,
         .sizes = all},
    };
}

}  // namespace echelon::solver::testing
