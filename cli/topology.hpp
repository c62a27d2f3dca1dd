#pragma once

// `echelon topology`: the trees that the nodes form, from manifests: where each host is, how much room is usable,
// and which objects are at fault; or one of them as the objects of another scheduler. The same decoders and model as
// the service.

#include <cstdint>
#include <string>
#include <vector>

namespace echelon::cli {

enum class TopologyFormat : std::uint8_t { tree, json };

struct TopologyArguments {
    std::vector<std::string> files;  // FILE, DIR or "-".
    std::string config_file;         // For its topologies; empty: none.
    TopologyFormat format = TopologyFormat::tree;
    std::string export_to;  // One of `translate::topology_target_names`: its objects instead of a report; empty: a report.
    std::string tree;       // That is exported; empty: the only one.
};

// Exit status: 0 no fault, 3 at least one object is at fault or can't be exported, 2 bad input or arguments, 1 an error
// of ours.
[[nodiscard]] int topology(const TopologyArguments& arguments);

}  // namespace echelon::cli
