#pragma once

// What does the solver know about the cluster? Flat arrays of nodes, numbered depth-first, so that a domain is a
// half-open range.
//
// A snapshot is a plain copy of one moment; changing it (`take`, `give_back`) changes nothing else. Nodes are numbered
// depth-first by name along the first tree. Numbers depend only on names, not on the order of arrival.

#include "base/flat_table.hpp"
#include "base/hashed.hpp"
#include "base/shared.hpp"
#include "base/text.hpp"
#include "model/facts/amounts.hpp"
#include "model/facts/node_devices.hpp"
#include "model/facts/node_zones.hpp"
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

// Numbers alone, since the solver walks over all domains of a level. Its path is in `Tree::paths`.
struct Domain {
    std::uint32_t first = 0;         // Range of `Tree::order`.
    std::uint32_t last = 0;          // One past the end.
    std::uint32_t parent = nowhere;  // Index at the next wider depth; nowhere at depth 0.
};

// One topology. A node without a label is in no domain of that level, but may be in narrower domains of the tree (I2).
struct Tree {
    std::string name;
    std::vector<std::string> keys;             // Level keys, widest first; the last is always kubernetes.io/hostname.
    std::vector<NodeId> order;                 // Nodes depth-first; the identity in tree 0.
    std::vector<std::vector<Domain>> domains;  // [depth], in path order. Only domains that nodes are in.
    // [depth][domain] "b0/r1": the identity of a domain (D4), "-" for a missing level. Hosts: `Snapshot::path`.
    std::vector<std::vector<std::string>> paths;
    std::vector<std::vector<std::uint32_t>> domain_of;  // [depth][node]: index into domains[depth], or nowhere.
    std::string api_kind = {};                          // Of the topology object; empty unless it comes from one.
    std::map<std::string, std::uint32_t, std::less<>> aliases = {};  // Other names of levels -> depth.
    // [depth] Tiers, descending, without the host; only for HyperNodes. If a part of the tree lacks a tier, the next
    // narrower domain takes its place there, with the narrower domain's path.
    std::vector<std::int64_t> tiers = {};

    // The depth of the host level, which is the number of the wider ones.
    [[nodiscard]] std::uint32_t host_depth() const { return static_cast<std::uint32_t>(keys.size() - 1); }
    // The path of a domain; empty for hosts.
    [[nodiscard]] const std::string& path_of(std::size_t depth, std::uint32_t domain) const;
    // The depth of a level, by key, by tier (the widest that is at most the one asked for), else by alias.
    [[nodiscard]] std::optional<std::uint32_t> depth_of(std::string_view level) const;
};

// A part of a topology that can't be used as declared. It affects only levels and nodes that need it.
struct UnusablePart {
    std::string sentence;             // Names the object: `HyperNode "s1": ...`.
    std::vector<std::int64_t> tiers;  // Tiers that lack domains because of it; sorted.
    std::vector<std::string> names;   // The same by names of tiers or levels; sorted.
    std::vector<NodeId> nodes;        // Nodes that would be in those domains; sorted.

    bool operator==(const UnusablePart&) const = default;
};

// A node whose NUMA zones bind planning (NU2).
struct ZonedNode {
    base::Shared<NodeZones> zones;
    // Parts of pods that count on the node and that the zones don't show yet -> how many such pods.
    std::map<ZoneParts, std::int64_t> unreported;

    void add(const ZoneParts& parts, std::int64_t pods);  // Nothing for empty parts; counts don't fall below 0.

    bool operator==(const ZonedNode&) const = default;
};

struct Snapshot {
    std::vector<base::Text> node_names;
    std::vector<std::uint8_t> usable;                 // [node] Ready, not cordoned, not being deleted.
    std::vector<std::string> resources;               // Sorted names; index = resource id.
    std::vector<std::vector<std::int64_t>> room;      // [resource][node] allocatable - used - held. May be negative.
    std::vector<std::vector<std::int64_t>> capacity;  // [resource][node] allocatable.
    std::vector<Tree> trees;  // [0] is the tree for reports; there is at least one (hosts only).

    std::vector<PodClass> pod_classes;                // Classes of all waiting or bound members; sorted.
    std::vector<std::vector<std::int64_t>> need;      // [pod class][resource].
    std::vector<std::vector<std::uint8_t>> eligible;  // [pod class][node] 1: usable, selected, tolerated.

    std::map<NodeId, ZonedNode> zoned = {};      // Only nodes whose NUMA zones bind planning; usually none.
    std::map<NodeId, MatchedNode> matched = {};  // Only while devices must be matched one by one; usually none.

    std::vector<UnusablePart> left_out = {};  // Sorted by sentence.

    // For look-ups by name. Rows stay with their nodes, whatever numbers these get.
    base::FlatTable<std::uint32_t> rows;  // By a hash of the name: index of `ids`; empty: `node` searches linearly.
    std::vector<NodeId> ids;              // [row] nowhere: no node has the row.

    [[nodiscard]] std::size_t node_count() const { return node_names.size(); }
    [[nodiscard]] std::optional<NodeId> node(base::Hashed name) const;
    // Finds a level by key, else by alias. With `topology`: in that tree, preferably one of `api_group`; else in the
    // tree that lists the level (most levels, then name). A key that only nodes carry has a separate tree (D12).
    // nullopt: the level is unknown (D11).
    [[nodiscard]] std::optional<LevelRef> level(std::string_view level, std::string_view topology = {},
                                                std::string_view api_group = {}) const;
    // Path of a node down to depth `depth` of a tree ("b0/-/r1"), and down to the host when depth is the last.
    [[nodiscard]] std::string path(std::uint32_t tree, std::uint32_t depth, NodeId node) const;

    // Puts a pod of `pod_class` on `node`, or removes it. The zone of a pod that is removed stays taken unless it was
    // put there this way, since nobody knows which one it is. Requires: ids belong to this snapshot.
    void take(NodeId node, PodClassId pod_class);
    void give_back(NodeId node, PodClassId pod_class);
};

}  // namespace echelon::model
