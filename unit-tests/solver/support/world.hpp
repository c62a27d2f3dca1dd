#pragma once

// How does a test say "two racks of three hosts, and a gang of two groups" in a few lines? Builds the flat arrays of a
// snapshot and a gang directly, without the model's own builder. Nodes are numbered depth-first by path.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/solve.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace echelon::solver::testing {

using Room = std::map<std::string, std::int64_t>;

struct NodeSpec {
    std::string name = {};
    std::vector<std::string> labels = {};  // Of tree 0, widest first, host excluded; "" is missing.
    Room room = {};                        // "pods" is 110 unless stated.
    Room taken = {};                       // By others: capacity is room + taken.
    bool usable = true;
    std::vector<std::string> other_labels = {};  // Of tree 1, when the world has one.
};

struct PodSpec {
    std::int64_t count = 1;
    Room needs = {};
    std::vector<std::string> only = {};  // Names of nodes that it may use; empty: all.
    std::string on = {};                 // Bound to this node.
    bool finished = false;
    std::string name = {};  // Of the first; empty: GROUP-NUMBER.
    std::uint32_t affinity_class = 0;
    bool placeholder = false;
    bool gated = false;  // By another controller: a gated member.
};

struct GroupSpec {
    std::string name = {};
    std::int64_t minimum = 1;
    std::vector<GroupSpec> children = {};
    std::vector<PodSpec> pods = {};
    std::vector<std::string> required = {};
    std::string preferred = {};
    std::int64_t floor = 0;
    bool basic = false;
    std::vector<std::pair<std::string, std::int64_t>> multiples = {};
    std::vector<std::pair<std::string, std::int64_t>> most_per_domain = {};
    std::string paired = {};  // Of composites; a replica that is a group asks for the level itself.
};

struct World {
    model::Snapshot snapshot;
    model::Gang gang;

    [[nodiscard]] Answer solve(SolveOptions budget = {}) const {
        return echelon::solver::solve(snapshot, gang, budget);
    }
    [[nodiscard]] std::string node_of(const Plan& plan, const std::string& pod) const {
        for (const Seat& seat : plan.seats) {
            if (gang.members[seat.member].pod == pod) {
                return snapshot.node_names[seat.node];
            }
        }
        return "";
    }
    [[nodiscard]] std::int64_t seats_of(const Plan& plan, const std::string& group) const {
        std::int64_t seats = 0;
        for (const model::GangGroup& g : gang.groups) {
            for (const Seat& seat : plan.seats) {
                seats += g.key.name == group && seat.member >= g.first_member && seat.member < g.last_member ? 1 : 0;
            }
        }
        return seats;
    }
};

class WorldBuilder {
public:
    WorldBuilder(std::vector<std::string> levels, std::vector<NodeSpec> nodes,
                 std::vector<std::string> other_levels = {})
        : nodes_(std::move(nodes)) {
        std::ranges::sort(nodes_, {}, [](const NodeSpec& n) { return std::pair{dashed(n.labels), n.name}; });
        snapshot_.resources = {};
        std::map<std::string, bool> resources{{"pods", true}};
        for (const NodeSpec& node : nodes_) {
            for (const auto& [name, amount] : node.room) {
                resources[name] = true;
            }
        }
        for (const auto& [name, present] : resources) {
            snapshot_.resources.push_back(name);
        }
        fill_nodes();
        add_tree("default", std::move(levels), [](const NodeSpec& n) { return n.labels; });
        if (!other_levels.empty()) {
            add_tree("other", std::move(other_levels), [](const NodeSpec& n) { return n.other_labels; });
        }
    }

    World with(const GroupSpec& root) {
        World world{.snapshot = snapshot_, .gang = {}};
        world.gang.root = {.kind = "test", .name = root.name};
        add_group(world, root, model::nowhere);
        return world;
    }

private:
    static std::vector<std::string> dashed(std::vector<std::string> labels) {
        std::ranges::replace(labels, std::string{}, std::string{"-"});
        return labels;
    }

    void fill_nodes() {
        snapshot_.room.assign(snapshot_.resources.size(), {});
        snapshot_.capacity = snapshot_.room;
        for (const NodeSpec& node : nodes_) {
            snapshot_.node_names.push_back(node.name);
            snapshot_.usable.push_back(node.usable ? 1 : 0);
            for (std::size_t r = 0; r < snapshot_.resources.size(); ++r) {
                const std::string& name = snapshot_.resources[r];
                const auto amount = [&](const Room& room, std::int64_t otherwise) {
                    return room.contains(name) ? room.at(name) : otherwise;
                };
                const std::int64_t room = amount(node.room, name == "pods" ? 110 : 0);
                snapshot_.room[r].push_back(room);
                snapshot_.capacity[r].push_back(room + amount(node.taken, 0));
            }
        }
    }

    template <typename LabelsOf>
    void add_tree(const std::string& name, std::vector<std::string> levels, const LabelsOf& labels_of) {
        model::Tree tree;
        tree.name = name;
        tree.keys = std::move(levels);
        const std::size_t depths = tree.keys.size() + 1;
        tree.keys.emplace_back("kubernetes.io/hostname");
        tree.order.resize(nodes_.size());
        std::iota(tree.order.begin(), tree.order.end(), 0U);
        const auto path_of = [&](model::NodeId n) {
            std::vector<std::string> labels = labels_of(nodes_[n]);
            labels.resize(depths - 1);
            labels.push_back(nodes_[n].name);
            return labels;
        };
        std::ranges::stable_sort(tree.order, {}, [&](model::NodeId n) { return dashed(path_of(n)); });
        tree.domains.resize(depths);
        tree.paths.resize(depths);
        tree.domain_of.assign(depths, std::vector<std::uint32_t>(nodes_.size(), model::nowhere));
        for (std::uint32_t i = 0; i < tree.order.size(); ++i) {
            const model::NodeId node = tree.order[i];
            const std::vector<std::string> labels = path_of(node);
            std::string path;
            std::uint32_t parent = model::nowhere;
            for (std::size_t d = 0; d < depths; ++d) {
                path += (d == 0 ? "" : "/") + (labels[d].empty() ? std::string{"-"} : labels[d]);
                if (labels[d].empty()) {
                    parent = model::nowhere;
                    continue;
                }
                std::vector<model::Domain>& domains = tree.domains[d];
                if (domains.empty() || tree.paths[d].back() != path) {
                    tree.paths[d].push_back(path);
                    domains.push_back({.first = i, .last = i, .parent = parent});
                }
                domains.back().last = i + 1;
                parent = static_cast<std::uint32_t>(domains.size()) - 1;
                tree.domain_of[d][node] = parent;
            }
        }
        snapshot_.trees.push_back(std::move(tree));
    }

    static model::LevelRef level_of(const World& world, const std::string& key) {
        for (std::uint32_t t = 0; t < world.snapshot.trees.size(); ++t) {
            const auto& keys = world.snapshot.trees[t].keys;
            if (const auto found = std::ranges::find(keys, key); found != keys.end()) {
                return {t, static_cast<std::uint32_t>(found - keys.begin())};
            }
        }
        return {model::nowhere, model::nowhere};
    }

    model::PodClassId pod_class_of(World& world, const PodSpec& pod) {
        std::vector<std::int64_t> need;
        for (const std::string& name : world.snapshot.resources) {
            need.push_back(name == "pods" ? 1 : pod.needs.contains(name) ? pod.needs.at(name) : 0);
        }
        std::vector<std::uint8_t> eligible;
        for (std::size_t n = 0; n < nodes_.size(); ++n) {
            const bool selected = pod.only.empty() || std::ranges::find(pod.only, nodes_[n].name) != pod.only.end();
            eligible.push_back(nodes_[n].usable && selected ? 1 : 0);
        }
        for (model::PodClassId s = 0; s < world.snapshot.need.size(); ++s) {
            if (world.snapshot.need[s] == need && world.snapshot.eligible[s] == eligible) {
                return s;
            }
        }
        world.snapshot.pod_classes.emplace_back();
        world.snapshot.need.push_back(std::move(need));
        world.snapshot.eligible.push_back(std::move(eligible));
        return static_cast<model::PodClassId>(world.snapshot.need.size() - 1);
    }

    std::uint32_t add_group(World& world, const GroupSpec& spec, std::uint32_t parent) {
        const auto index = static_cast<std::uint32_t>(world.gang.groups.size());
        model::GangGroup group;
        group.key = {.kind = "test", .name = spec.name};
        group.parent = parent;
        group.is_leaf = spec.children.empty();
        group.basic = spec.basic;
        group.minimum = spec.minimum;
        group.floor = spec.floor;
        for (const std::string& key : spec.required) {
            group.required.push_back(level_of(world, key));
        }
        if (!spec.preferred.empty()) {
            group.preferred.push_back(level_of(world, spec.preferred));
        }
        for (const auto& [key, multiple] : spec.multiples) {
            group.multiples.emplace_back(level_of(world, key), multiple);
        }
        for (const auto& [key, most] : spec.most_per_domain) {
            world.gang.domain_limits.push_back({.group = index, .level = level_of(world, key), .most = most});
        }
        group.first_member = static_cast<std::uint32_t>(world.gang.members.size());
        std::int64_t number = 0;
        for (const PodSpec& pod : spec.pods) {
            const model::PodClassId pod_class = pod_class_of(world, pod);
            for (std::int64_t i = 0; i < pod.count && pod.gated; ++i) {
                world.gang.gated_members.push_back(
                    {.group = index, .pod_class = pod_class, .affinity_class = pod.affinity_class});
            }
            world.gang.affinity.affinity_classes =
                std::max(world.gang.affinity.affinity_classes, pod.affinity_class + 1);
            for (std::int64_t i = 0; i < pod.count && !pod.gated; ++i) {
                model::Member member;
                member.affinity_class = pod.affinity_class;
                member.is_placeholder = pod.placeholder;
                member.pod = !pod.name.empty() && i == 0 ? pod.name : spec.name + "-" + std::to_string(number++);
                member.uid = member.pod;
                member.pod_class = pod_class;
                if (!pod.on.empty()) {
                    member.state = model::Member::State::bound;
                    const auto at = std::ranges::find(world.snapshot.node_names, base::Text(pod.on));
                    member.node = static_cast<model::NodeId>(at - world.snapshot.node_names.begin());
                } else if (pod.finished) {
                    member.state = model::Member::State::finished;
                }
                world.gang.members.push_back(std::move(member));
            }
        }
        group.last_member = static_cast<std::uint32_t>(world.gang.members.size());
        world.gang.groups.push_back(std::move(group));
        for (const GroupSpec& child : spec.children) {
            const std::uint32_t below = add_group(world, child, index);
            world.gang.groups[index].children.push_back(below);
        }
        if (!spec.children.empty()) {
            world.gang.groups[index].last_member = world.gang.groups[index].first_member;
        }
        if (!spec.paired.empty()) {
            add_pairing(world, index, level_of(world, spec.paired));
        }
        return index;
    }

    static void add_pairing(World& world, std::uint32_t index, model::LevelRef level) {
        model::Pairing pairing{.group = index, .level = level, .replicas = {}};
        for (const std::uint32_t child : world.gang.groups[index].children) {
            const model::GangGroup& below = world.gang.groups[child];
            pairing.replicas.push_back(below.is_leaf ? std::int64_t{below.last_member} - below.first_member
                                                     : std::ssize(below.children));
            for (const std::uint32_t replica : below.children) {
                world.gang.groups[replica].required.push_back(level);
            }
        }
        world.gang.pairings.push_back(std::move(pairing));
    }

    std::vector<NodeSpec> nodes_;
    model::Snapshot snapshot_;
};

// Nodes by the bare value of a label of the first tree.
inline std::uint32_t topology_key_of(World& world, const std::string& key) {
    auto& all = world.gang.affinity.topology_keys;
    const auto known = std::ranges::find(all, key, &model::TopologyKeyIndex::key);
    if (known != all.end()) {
        return static_cast<std::uint32_t>(known - all.begin());
    }
    const model::Tree& tree = world.snapshot.trees[0];
    const auto depth = static_cast<std::size_t>(std::ranges::find(tree.keys, key) - tree.keys.begin());
    model::TopologyKeyIndex topology_key{.key = key, .of = {}, .count = 0, .is_single = true};
    std::map<std::string, std::uint32_t> numbers;
    for (const std::uint32_t domain : tree.domain_of[depth]) {
        if (domain == model::nowhere) {
            topology_key.of.push_back(model::nowhere);
            continue;
        }
        const std::string& path = tree.paths[depth][domain];
        const auto [number, is_new] = numbers.emplace(path.substr(path.rfind('/') + 1), topology_key.count);
        topology_key.count += is_new ? 1 : 0;
        topology_key.is_single = topology_key.is_single && is_new;
        topology_key.of.push_back(number->second);
    }
    all.push_back(std::move(topology_key));
    return static_cast<std::uint32_t>(all.size()) - 1;
}

inline void keep_apart(World& world, const std::string& key, std::uint32_t one, std::uint32_t other) {
    const std::uint32_t topology_key = topology_key_of(world, key);
    auto& apart = world.gang.affinity.apart;
    apart.push_back({.topology_key = topology_key, .one = std::min(one, other), .other = std::max(one, other)});
    world.gang.affinity.affinity_classes = std::max(world.gang.affinity.affinity_classes, std::max(one, other) + 1);
    std::ranges::sort(apart);
    apart.erase(std::ranges::unique(apart).begin(), apart.end());
}

// A pod outside the gang keeps this affinity class away from a node.
inline void bar(World& world, std::uint32_t affinity_class, const std::string& node) {
    auto& barred = world.gang.affinity.barred;
    world.gang.affinity.affinity_classes = std::max(world.gang.affinity.affinity_classes, affinity_class + 1);
    barred.resize(std::max<std::size_t>(barred.size(), world.gang.affinity.affinity_classes));
    barred[affinity_class].resize(world.snapshot.node_count(), 0);
    barred[affinity_class][static_cast<std::size_t>(std::ranges::find(world.snapshot.node_names, base::Text(node)) -
                                                    world.snapshot.node_names.begin())] = 1;
}

inline const std::string block = "example.com/block";
inline const std::string rack = "example.com/rack";
inline const std::string host = "kubernetes.io/hostname";
inline const std::string gpu = "nvidia.com/gpu";

// Hosts named PREFIX0, PREFIX1 ... in one rack, each with `gpus` free.
inline void add_rack(std::vector<NodeSpec>& nodes, const std::string& in_block, const std::string& in_rack,
                     const std::string& prefix, const std::vector<std::int64_t>& gpus) {
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        nodes.push_back({.name = prefix + std::to_string(i), .labels = {in_block, in_rack}, .room = {{gpu, gpus[i]}}});
    }
}

inline PodSpec pods(std::int64_t count, std::int64_t gpus) {
    return {.count = count, .needs = {{gpu, gpus}}};
}

}  // namespace echelon::solver::testing
