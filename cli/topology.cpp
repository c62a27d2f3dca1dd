#include "cli/topology.hpp"

#include "cli/plan.hpp"
#include "cli/topology_report.hpp"
#include "config/settings.hpp"
#include "kube/manifests.hpp"

#include <cstdio>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace echelon::cli {

namespace {

constexpr int no_fault = 0;
constexpr int our_error = 1;
constexpr int bad_input = 2;
constexpr int some_fault = 3;

}  // namespace

int topology(const TopologyArguments& arguments) {
    std::optional<config::Settings> settings;
    if (!arguments.config_file.empty()) {
        auto loaded = config::load(arguments.config_file);
        if (!loaded) {
            for (const auto& fault : loaded.error()) {
                fmt::print(stderr, "{}\n", config::to_line(arguments.config_file, fault));
            }
            return bad_input;
        }
        settings = std::move(*loaded);
    }
    const auto manifests = kube::read_manifests(arguments.files);
    if (!manifests) {
        fmt::print(stderr, "echelon topology: {}\n", manifests.error().sentence);
        return bad_input;
    }
    const auto report = describe_topology(cluster_of(manifests->events, settings));
    const auto text = arguments.format == TopologyFormat::json ? to_json(report) : to_tree(report);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        fmt::print(stderr, "echelon topology: the report can't be written to standard output\n");
        return our_error;
    }
    return report.faults.empty() ? no_fault : some_fault;
}

}  // namespace echelon::cli
