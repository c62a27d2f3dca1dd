#include "cli/topology.hpp"

#include "app/settings_mapping.hpp"
#include "cli/offline.hpp"
#include "cli/terminal.hpp"
#include "kube/json/yaml_text.hpp"
#include "model/cluster/cluster.hpp"
#include "model/topology/united_levels.hpp"
#include "report/topology_report.hpp"
#include "translate/topology_export.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::cli {

namespace {

using translate::TopologyTarget;

constexpr int no_fault = 0;
constexpr int our_error = 1;
constexpr int bad_input = 2;
constexpr int some_fault = 3;

constexpr std::array<std::pair<std::string_view, TopologyTarget>, 4> targets = {{
    {"HyperNode", TopologyTarget::hyper_node},
    {"KueueTopology", TopologyTarget::kueue},
    {"KaiTopology", TopologyTarget::kai},
    {"ClusterNetworkTopology", TopologyTarget::koordinator},
}};

// Those with levels above the host. Requires: `snapshot` outlives them.
std::vector<const model::Tree*> trees_to_export(const model::Snapshot& snapshot) {
    std::vector<const model::Tree*> trees;
    for (const auto& tree : snapshot.trees) {
        if (tree.name != model::united_tree_name && tree.keys.size() > 1)
            trees.push_back(&tree);
    }
    return trees;
}

// Null, with a sentence on standard error: it isn't clear which is meant.
const model::Tree* chosen_tree(const std::vector<const model::Tree*>& trees, const std::string& name) {
    if (name.empty() && trees.size() == 1)
        return trees.front();
    const auto found = std::ranges::find_if(trees, [&](const auto* tree) { return tree->name == name; });
    if (!name.empty() && found != trees.end())
        return *found;
    std::vector<std::string_view> names;
    for (const auto* tree : trees)
        names.push_back(tree->name);
    fmt::print(stderr, "echelon topology: {}; the trees with levels above the host are: {}\n",
               name.empty() ? "--tree must say which one is exported" : fmt::format("there is no tree \"{}\"", name),
               names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
    return nullptr;
}

int export_to_standard_output(const TopologyArguments& arguments, const config::Settings& settings,
                              const model::Cluster& cluster) {
    const auto snapshot = cluster.snapshot();
    const auto* tree = chosen_tree(trees_to_export(snapshot), arguments.tree);
    if (tree == nullptr)
        return bad_input;
    std::vector<model::Node> nodes;
    nodes.reserve(snapshot.node_count());
    for (const auto& name : snapshot.node_names)
        nodes.push_back(cluster.node(name).value_or(model::Node{}));
    const auto* target = std::ranges::find(targets, arguments.export_to, [](const auto& row) { return row.first; });
    const auto exported = translate::export_topology(*tree, nodes, target->second, app::translation_options(settings));
    for (const auto& fault : cluster.topology_faults())
        fmt::print(stderr, "echelon topology: {}\n", fault);
    if (!exported.refusal.empty()) {
        fmt::print(stderr, "echelon topology: the tree \"{}\" can't be exported: {}\n", tree->name, exported.refusal);
        return some_fault;
    }
    std::string documents;
    for (const auto& object : exported.objects)
        documents += (documents.empty() ? "" : "---\n") + kube::yaml_text(object);
    if (!write_out(documents)) {
        fmt::print(stderr, "echelon topology: the objects can't be written to standard output\n");
        return our_error;
    }
    return cluster.topology_faults().empty() ? no_fault : some_fault;
}

}  // namespace

std::vector<std::string> topology_target_names() {
    std::vector<std::string> names;
    names.reserve(targets.size());
    for (const auto& [name, target] : targets)
        names.emplace_back(name);
    return names;
}

int topology(const TopologyArguments& arguments) {
    const auto input = read_offline("topology", arguments.files, arguments.config_file);
    if (!input)
        return bad_input;
    const auto cluster = cluster_of(input->manifests.events, input->settings);
    if (!arguments.export_to.empty())
        return export_to_standard_output(arguments, input->settings, cluster);
    const auto report = report::describe_topology(cluster);
    if (!write_out(arguments.format == TopologyFormat::json ? report::to_json(report) : report::to_tree(report))) {
        fmt::print(stderr, "echelon topology: the report can't be written to standard output\n");
        return our_error;
    }
    return report.faults.empty() ? no_fault : some_fault;
}

}  // namespace echelon::cli
