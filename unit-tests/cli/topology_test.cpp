#include "cli/topology.hpp"

#include "app/settings_mapping.hpp"
#include "cli/offline.hpp"
#include "kube/manifests.hpp"
#include "report/topology_report.hpp"
#include "unit-tests/cli/files.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace echelon;
using report::describe_topology;
using report::TopologyReport;

namespace {

std::string node(const std::string& name, const std::string& labels, const std::string& rest = "",
                 const std::string& ready = "True") {
    return "- {apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {" + labels + "}}, spec: {" + rest +
           "}, status: {allocatable: {cpu: \"64\", nvidia.com/gpu: \"8\", pods: \"110\"}, conditions: [{type: Ready, "
           "status: \"" +
           ready + "\"}]}}\n";
}

const std::string cluster_text =
    "apiVersion: v1\nkind: List\nitems:\n"
    "- {apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {name: fabric}, spec: {levels: [{nodeLabel: "
    "example.com/rack, alias: rack}]}}\n"
    "- {apiVersion: v1, kind: Pod, metadata: {name: other}, spec: {nodeName: n0, containers: [{name: main, resources: "
    "{requests: {nvidia.com/gpu: \"3\"}, limits: {nvidia.com/gpu: \"3\"}}}]}}\n" +
    node("n0", "example.com/rack: r0") + node("n1", "example.com/rack: r0") + node("n2", "example.com/rack: r0") +
    node("n3", "example.com/rack: r0", "unschedulable: true") + node("n4", "example.com/rack: r1", "", "False") +
    node("n5", "example.com/rack: r1", "taints: [{key: example.com/broken, effect: NoSchedule}]") + node("n6", "");

const std::string broken_objects =
    "- {apiVersion: kueue.x-k8s.io/v1beta2, kind: Topology, metadata: {name: empty}, spec: {levels: []}}\n"
    "- {apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: s0}, spec: {tier: 1, members: "
    "[{type: Node, selector: {exactMatch: {name: absent}}}]}}\n";

TopologyReport report_of(const std::string& text) {
    const auto manifests = kube::read_manifest_text(text, "test");
    REQUIRE_MESSAGE(manifests, (manifests ? "" : manifests.error().sentence));
    return describe_topology(cli::cluster_of(manifests->events, {}));
}

}  // namespace

TEST_CASE("each domain has its hosts, those that are usable, and its devices") {
    const auto report = report_of(cluster_text);
    REQUIRE(report.trees.size() == 1);
    const auto& tree = report.trees[0];
    CHECK(tree.name == "fabric");
    CHECK(tree.kind == "Topology");
    CHECK(tree.levels == std::vector<std::string>{"example.com/rack", "kubernetes.io/hostname"});
    CHECK(tree.aliases[0] == std::vector<std::string>{"rack"});
    CHECK(tree.outside == std::vector<std::size_t>{1, 0});
    CHECK(tree.cluster.hosts == 7);
    CHECK(tree.cluster.usable == 5);
    REQUIRE(tree.domains.size() == 2);
    const auto& r0 = tree.domains[0];
    CHECK(r0.path == "r0");
    CHECK(r0.hosts == 4);
    CHECK(r0.usable == 3);
    CHECK(r0.room == std::vector{report::RoomRow{.resource = "nvidia.com/gpu", .free = 21, .usable = 24, .total = 32}});
    CHECK(r0.direct.size() == 4);
    CHECK(r0.direct[3].trouble == "cordoned");
    CHECK(tree.domains[1].direct[0].trouble == "not ready");
    CHECK(tree.domains[1].direct[1].taints == std::vector<std::string>{"example.com/broken"});
    REQUIRE(tree.cluster.direct.size() == 1);
    CHECK(tree.cluster.direct[0].name == "n6");
    CHECK(report.faults.empty());
}

TEST_CASE("the tree is for people: hosts abridged, what isn't usable with its reason") {
    CHECK(report::to_tree(report_of(cluster_text)) ==
          "fabric (Topology): example.com/rack = rack > kubernetes.io/hostname\n"
          "  the cluster: 5 of 7 hosts usable (1 only for pods that tolerate example.com/broken), nvidia.com/gpu: 37 "
          "free of 40 usable, 56 in all\n"
          "    r0: 3 of 4 hosts usable, nvidia.com/gpu: 21 free of 24 usable, 32 in all\n"
          "      n[0-2]\n"
          "      n3 (cordoned)\n"
          "    r1: 1 of 2 hosts usable (1 only for pods that tolerate example.com/broken), nvidia.com/gpu: 8 free of 8 "
          "usable, 16 in all\n"
          "      n4 (not ready)\n"
          "      n5 (tainted example.com/broken)\n"
          "    in no domain: 1\n"
          "      n6\n"
          "  1 of 7 hosts in no domain of example.com/rack\n"
          "no faults\n");
}

TEST_CASE("conditions and taints that the configuration names make a node unusable, tolerated or not (Z38)") {
    const std::string text =
        "apiVersion: v1\nkind: List\nitems:\n" + node("n0", "") +
        node("n1", "", "taints: [{key: example.com/broken, effect: NoSchedule}]") +
        "- {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {conditions: [{type: Ready, status: \"True\"}, "
        "{type: GpuBroken, status: \"True\"}]}}\n";
    config::Settings settings;
    settings.health = {.conditions = {"GpuBroken"}, .taints = {"example.com/broken"}};
    const auto manifests =
        kube::read_manifest_text(text, "test", kube::Keep::events, {{}, {}, app::node_health(settings)});
    REQUIRE_MESSAGE(manifests, (manifests ? "" : manifests.error().sentence));
    const auto report = describe_topology(cli::cluster_of(manifests->events, settings));
    const auto& cluster = report.trees.at(0).cluster;
    CHECK(cluster.usable == 1);
    CHECK(cluster.tainted == 0);
    CHECK(cluster.direct.at(1).trouble == "taint example.com/broken");
    CHECK(cluster.direct.at(1).taints == std::vector<std::string>{"example.com/broken"});
    CHECK(cluster.direct.at(2).trouble == "condition GpuBroken");
    CHECK(cluster.direct.at(2).taints.empty());
    const auto unnamed = report_of(text);
    CHECK(unnamed.trees.at(0).cluster.usable == 3);
    CHECK(unnamed.trees.at(0).cluster.taints == std::vector<report::TaintRow>{{"example.com/broken", 1}});
}

TEST_CASE("every fault names its object") {
    const auto report = report_of(cluster_text + broken_objects);
    CHECK(report.faults == std::vector<std::string>{"HyperNode \"s0\": its node \"absent\" doesn't exist",
                                                    "Topology \"empty\": spec.levels is empty"});
    const auto text = report::to_tree(report);
    CHECK(text.find("fault: HyperNode \"s0\": its node \"absent\" doesn't exist\n") != std::string::npos);
}

TEST_CASE("objects that can't be read are listed beside the faults, each once") {
    auto report = report_of(cluster_text + broken_objects);
    const std::vector<std::string> sentences{"Pod a/b: spec must be an object, not 7", report.faults.front()};
    report::add_unreadable(report, sentences);
    CHECK(report.unreadable == std::vector<std::string>{sentences.front()});
    CHECK(report::to_tree(report).find("unreadable: Pod a/b: spec must be an object, not 7\n") != std::string::npos);
    CHECK(nlohmann::json::parse(report::to_json(report))["unreadable"].size() == 1);
}

TEST_CASE("HyperNodes of a shallower tree are listed once, at their own tier") {
    const auto hyper = [](const std::string& name, int tier, const std::string& type, const std::string& member) {
        return "- {apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: " + name +
               "}, spec: {tier: " + std::to_string(tier) + ", members: [{type: " + type +
               ", selector: {exactMatch: {name: " + member + "}}}]}}\n";
    };
    const auto report = report_of("apiVersion: v1\nkind: List\nitems:\n" + node("n0", "") + node("n1", "") +
                                  hyper("leaf0", 1, "Node", "n0") + hyper("spine0", 2, "HyperNode", "leaf0") +
                                  hyper("leaf1", 1, "Node", "n1"));
    std::vector<std::string> rows;
    for (const auto& domain : report.trees[0].domains)
        rows.push_back(std::to_string(domain.depth) + " " + domain.path);
    CHECK(rows == std::vector<std::string>{"1 -/leaf1", "0 spine0", "1 spine0/leaf0"});
}

TEST_CASE("the JSON has the same facts") {
    const auto json = nlohmann::json::parse(report::to_json(report_of(cluster_text + broken_objects)));
    CHECK(json["kind"] == "TopologyReport");
    CHECK(json["faults"].size() == 2);
    const auto& tree = json["trees"][0];
    CHECK(tree["levels"][0]["level"] == "example.com/rack");
    CHECK(tree["levels"][0]["hostsOutside"] == 1);
    CHECK(tree["domains"][0]["path"] == "");
    CHECK(tree["domains"][1]["path"] == "r0");
    CHECK(tree["domains"][1]["usableHosts"] == 3);
    CHECK(tree["domains"][1]["room"][0]["free"] == 21);
    CHECK(tree["domains"][1]["directHosts"][3]["trouble"] == "cordoned");
}

TEST_CASE("the exit status tells no fault, a fault and bad input apart") {
    const cli::testing::Folder folder;
    cli::TopologyArguments arguments;
    arguments.files = {folder.write("good.yaml", cluster_text)};
    CHECK(cli::topology(arguments) == 0);
    arguments.format = cli::TopologyFormat::json;
    arguments.files = {folder.write("faulty.yaml", cluster_text + broken_objects)};
    CHECK(cli::topology(arguments) == 3);
    arguments.files = {folder.write("taints.yaml", cluster_text + node("n7", "", "taints: 7"))};
    CHECK(cli::topology(arguments) == 3);  // A node that can't be read is a fault, and no bad input.
    arguments.files = {folder.path("absent.yaml")};
    CHECK(cli::topology(arguments) == 2);
    arguments.config_file = folder.write("config.yaml", "kind: Nothing");
    CHECK(cli::topology(arguments) == 2);
}

TEST_CASE("the exit status says whether a tree was exported (Z34)") {
    const cli::testing::Folder folder;
    const auto file = folder.write("cluster.yaml", cluster_text);
    const auto status = [&](const std::string& target, const std::string& tree) {
        return cli::topology({.files = {file}, .config_file = {}, .format = {}, .export_to = target, .tree = tree});
    };
    CHECK(status("HyperNode", "") == 0);
    CHECK(status("KueueTopology", "fabric") == 0);
    CHECK(status("KueueTopology", "other") == 2);
    CHECK(status("ClusterNetworkTopology", "") == 3);  // Nobody has named a layer.
}
