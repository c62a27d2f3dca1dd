#pragma once

// `echelon simulate`: what becomes of a trace of jobs in virtual time, on the cluster that manifests describe?

#include "cli/simulation_report.hpp"

#include <optional>
#include <string>
#include <vector>

namespace echelon::cli {

struct SimulateArguments {
    std::vector<std::string> files;  // Manifests: FILE, DIR or "-".
    std::string trace_file;
    std::string config_file;      // Empty: the defaults.
    std::string placements_file;  // File for a line per start and end of a pod; empty: none.
    std::optional<double> until;  // Seconds.
    bool is_json = false;
};

// Exit status: 0 simulated, 1 the report or the placements can't be written, 2 bad input.
[[nodiscard]] int simulate(const SimulateArguments& arguments);

}  // namespace echelon::cli
