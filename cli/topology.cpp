#include "cli/topology.hpp"

#include "app/complaint.hpp"
#include "app/settings_mapping.hpp"
#include "cli/offline.hpp"
#include "cli/terminal.hpp"
#include "kube/json/yaml_text.hpp"
#include "model/cluster/cluster.hpp"
#include "report/topology_report.hpp"
#include "translate/topology_export.hpp"

#include <cstdio>
#include <utility>

namespace echelon::cli {

namespace {

constexpr int no_fault = 0;
constexpr int our_error = 1;
constexpr int bad_input = 2;
constexpr int some_fault = 3;

int export_to_standard_output(const TopologyArguments& arguments, const config::Settings& settings,
                              const model::Cluster& cluster) {
    const auto snapshot = cluster.snapshot();
    const auto chosen = translate::tree_to_export(snapshot, arguments.tree);
    if (!chosen) {
        app::complain("echelon topology: --tree {}", chosen.error().sentence);
        return bad_input;
    }
    const auto* tree = *chosen;
    std::vector<model::Node> nodes;
    nodes.reserve(snapshot.node_count());
    for (const auto& name : snapshot.node_names)
        nodes.push_back(cluster.node(name).value_or(model::Node{}));
    const auto target = translate::topology_target(arguments.export_to);  // The command line allows no other.
    const auto exported = translate::export_topology(*tree, nodes, target.value(), app::translation_options(settings));
    for (const auto& fault : cluster.topology_faults())
        app::complain("echelon topology: {}", fault);
    if (!exported.refusal.empty()) {
        app::complain("echelon topology: the tree \"{}\" can't be exported: {}", tree->name, exported.refusal);
        return some_fault;
    }
    std::string documents;
    for (const auto& object : exported.objects)
        documents += (documents.empty() ? "" : "---\n") + kube::yaml_text(object);
    if (!write_out(documents)) {
        app::complain("echelon topology: the objects can't be written to standard output");
        return our_error;
    }
    return cluster.topology_faults().empty() ? no_fault : some_fault;
}

}  // namespace

int topology(const TopologyArguments& arguments) {
    const auto input = read_offline("topology", arguments.files, arguments.config_file, kube::FaultyNodes::kept);
    if (!input)
        return bad_input;
    const auto cluster = cluster_of(input->manifests.events, input->settings);
    if (!arguments.export_to.empty())
        return export_to_standard_output(arguments, input->settings, cluster);
    const auto report = report::describe_topology(cluster);
    if (!write_out(arguments.format == TopologyFormat::json ? report::to_json(report) : report::to_tree(report))) {
        app::complain("echelon topology: the report can't be written to standard output");
        return our_error;
    }
    return report.faults.empty() ? no_fault : some_fault;
}

}  // namespace echelon::cli
