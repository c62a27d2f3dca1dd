#pragma once

// `echelon topology`: the topology trees of manifests: where each host is, how much room is usable, and which objects
// are at fault. `--export` writes one tree as the objects of another scheduler instead.

#include <cstdint>
#include <string>
#include <vector>

namespace echelon::cli {

enum class TopologyFormat : std::uint8_t { tree, json };

struct TopologyArguments {
    std::vector<std::string> files;  // FILE, DIR or "-".
    std::string config_file;         // For its topologies; empty: none.
    TopologyFormat format = TopologyFormat::tree;
    std::string export_to;  // One of `translate::topology_target_names`; empty: a report.
    std::string tree;       // The tree to export; empty: the only one.
};

// Exit status: 0 no fault, 3 at least one object is at fault or can't be exported, 2 bad input or arguments, 1 an error
// of ours.
[[nodiscard]] int topology(const TopologyArguments& arguments);

}  // namespace echelon::cli
