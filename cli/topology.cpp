#include "cli/topology.hpp"

#include "cli/offline.hpp"
#include "cli/terminal.hpp"
#include "report/topology_report.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace echelon::cli {

namespace {

constexpr int no_fault = 0;
constexpr int our_error = 1;
constexpr int bad_input = 2;
constexpr int some_fault = 3;

}  // namespace

int topology(const TopologyArguments& arguments) {
    const auto input = read_offline("topology", arguments.files, arguments.config_file);
    if (!input)
        return bad_input;
    const auto report = report::describe_topology(cluster_of(input->manifests.events, input->settings));
    if (!write_out(arguments.format == TopologyFormat::json ? report::to_json(report) : report::to_tree(report))) {
        fmt::print(stderr, "echelon topology: the report can't be written to standard output\n");
        return our_error;
    }
    return report.faults.empty() ? no_fault : some_fault;
}

}  // namespace echelon::cli
