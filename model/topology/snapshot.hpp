#pragma once

// The cluster as the solver sees it: flat arrays, numbered depth-first, so that a domain is a half-open range.
//
// A snapshot is a plain copy: taking it freezes the cluster, changing it (`take`, `give_back`) changes nothing else.
// Nodes are numbered depth-first by name along the first tree; numbering depends on names alone, never on arrival
// order.

#include "model/facts/amounts.hpp"
#include "model/facts/pod.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

using NodeId = std::uint32_t;
using PodClassId = std::uint32_t;
inline constexpr std::uint32_t nowhere = 0xffffffffU;  // No node, no domain, no parent.

// A level of one topology tree. Depth 0 is the widest.
struct LevelRef {
    std::uint32_t tree = 0;
    std::uint32_t depth = 0;

    auto operator<=>(const LevelRef&) const = default;
};

struct Domain {
    std::string path;                // "b0/r1"; its identity (D4). A missing level inside the path is "-".
    std::uint32_t first = 0;         // Range of `Tree::order`.
    std::uint32_t last = 0;          // One past the end.
    std::uint32_t parent = nowhere;  // Index at the next wider depth; nowhere at depth 0.
};

// One topology. Nodes that miss a label are in no domain of that level, but may be in narrower ones of the tree (I2).
struct Tree {
    std::string name;
    std::vector<std::string> keys;             // Level keys, widest first; the last is always kubernetes.io/hostname.
    std::vector<NodeId> order;                 // Nodes depth-first; the identity in tree 0.
    std::vector<std::vector<Domain>> domains;  // [depth], in path order. Only domains that nodes are in.
    std::vector<std::vector<std::uint32_t>> domain_of;  // [depth][node]: index into domains[depth], or nowhere.
    std::string api_kind = {};                          // Of the topology object; empty unless it comes from one.
    std::map<std::string, std::uint32_t, std::less<>> aliases = {};  // Other names of levels -> depth.
    // [depth] Of HyperNodes alone, the host left out; descending. A domain may stand in at a tier that its part of the
    // tree lacks: there it has its own path.
    std::vector<std::int64_t> tiers = {};

    // Depth of a level: by key, by tier (the widest that isn't above it), else by alias.
    [[nodiscard]] std::optional<std::uint32_t> depth_of(std::string_view level) const;
};

// A part of the declared domains that can't be used as it is declared. It affects only what stands on it.
struct UnusablePart {
    std::string sentence;             // Names the object: `HyperNode "s1": ...`.
    std::vector<std::int64_t> tiers;  // Whose domains lack something because of it; sorted.
    std::vector<std::string> names;   // The same by the names of tiers; sorted.
    std::vector<NodeId> nodes;        // That would stand in those domains; sorted.

    bool operator==(const UnusablePart&) const = default;
};

struct Snapshot {
    std::vector<std::string> node_names;
    std::vector<std::uint8_t> usable;                 // [node] Ready, not cordoned, not being deleted.
    std::vector<std::string> resources;               // Sorted names; index = resource id.
    std::vector<std::vector<std::int64_t>> room;      // [resource][node] allocatable - used - held. May be negative.
    std::vector<std::vector<std::int64_t>> capacity;  // [resource][node] allocatable.
    std::vector<Tree> trees;  // [0] is the one that reports use; there is always one (hosts only).

    std::vector<PodClass> shapes;                     // Of every waiting or bound member of a gang.
    std::vector<std::vector<std::int64_t>> need;      // [shape][resource].
    std::vector<std::vector<std::uint8_t>> eligible;  // [shape][node] usable, selected, tolerated.

    std::vector<UnusablePart> left_out = {};  // By sentence.

    std::vector<NodeId> by_name;  // Ids in the order of names, for look-ups; empty: `node` walks.

    [[nodiscard]] std::size_t node_count() const { return node_names.size(); }
    [[nodiscard]] std::optional<NodeId> node(std::string_view name) const;
    // The level of a key, else of an alias: in `topology` when named (of `api_group`, if one of that group bears the
    // name), else in the tree that lists it (most levels, then name). A key that only nodes carry is a tree of its own
    // (D12); nullopt: nobody knows the level (D11).
    [[nodiscard]] std::optional<LevelRef> level(std::string_view level, std::string_view topology = {},
                                                std::string_view api_group = {}) const;
    // Path of a node down to depth `depth` of a tree ("b0/-/r1"), and down to the host when depth is the last.
    [[nodiscard]] std::string path(std::uint32_t tree, std::uint32_t depth, NodeId node) const;

    // Puts a pod of `shape` on `node`, or removes it. Requires: ids belong to this snapshot.
    void take(NodeId node, PodClassId shape);
    void give_back(NodeId node, PodClassId shape);
};

}  // namespace echelon::model
