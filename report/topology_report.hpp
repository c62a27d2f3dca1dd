#pragma once

// What does `echelon topology` print? Each tree with its domains, hosts, room and faults.
//
// Pure. Equal clusters print equal bytes.

#include "model/cluster/cluster.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace echelon::report {

// Amounts of one resource in one domain. An unusable host counts only in `total`.
struct RoomRow {
    std::string resource;
    std::int64_t free = 0;    // On usable hosts, beside what runs there.
    std::int64_t usable = 0;  // On usable hosts, in all.
    std::int64_t total = 0;

    bool operator==(const RoomRow&) const = default;
};

struct HostRow {
    std::string name;
    std::string trouble;  // "not ready", "cordoned", "being deleted", "condition GpuBroken"; empty: usable.
    std::vector<std::string> taints = {};  // Keys of taints; pods that tolerate all of them may come.
};

// How many usable hosts have a taint, which keeps pods away that do not tolerate it.
struct TaintRow {
    std::string key;
    std::size_t hosts = 0;

    bool operator==(const TaintRow&) const = default;
};

struct DomainRow {
    std::size_t depth = 0;  // Depth of the level; 0 is the widest.
    std::string path;
    std::size_t hosts = 0;
    std::size_t usable = 0;
    std::size_t tainted = 0;  // Usable hosts with a taint.
    std::vector<TaintRow> taints = {};
    std::vector<RoomRow> room;    // Devices only: resources that a vendor names.
    std::vector<HostRow> direct;  // Hosts in no narrower domain.
};

struct TreeRow {
    std::string name;
    std::string kind;  // Kind of the topology object; empty: configuration or node labels.
    std::vector<std::string> levels;
    std::vector<std::vector<std::string>> aliases;  // By level.
    std::vector<std::size_t> outside;               // By level: hosts that are in no domain of it.
    DomainRow cluster;
    std::vector<DomainRow> domains;  // Depth-first.
};

struct TopologyReport {
    std::vector<TreeRow> trees;
    std::vector<std::string> faults;
    std::vector<std::string> unreadable = {};  // Objects of any kind that can't be read; not those in `faults`.
};

[[nodiscard]] TopologyReport describe_topology(const model::Cluster& cluster);
// The same from a copy. `nodes`: by number in the snapshot; a node without a name is unknown.
[[nodiscard]] TopologyReport describe_topology(const model::Snapshot& snapshot, std::span<const model::Node> nodes,
                                               std::vector<std::string> faults);
// Adds these sentences, except those that are among the faults.
void add_unreadable(TopologyReport& report, std::span<const std::string> sentences);
// The `TopologyReport` of echelon.sh/v1alpha1, with a line feed at the end.
[[nodiscard]] std::string to_json(const TopologyReport& report);
[[nodiscard]] std::string to_tree(const TopologyReport& report);

}  // namespace echelon::report
