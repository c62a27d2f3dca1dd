// Objects that are made of a topology, read again, make the same domains (Z34).

#include "translate/topology_export.hpp"

#include "kube/json/yaml_text.hpp"
#include "kube/manifests.hpp"
#include "model/cluster/cluster.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::translate {
namespace {

using Labels = std::map<std::string, std::string>;

const std::vector<std::string> keys = {"example.com/zone", "example.com/block", "example.com/rack"};

std::string node_text(const std::string& name, const Labels& labels) {
    std::string text = fmt::format("apiVersion: v1\nkind: Node\nmetadata:\n  name: {}\n  labels:\n", name);
    text += fmt::format("    kubernetes.io/hostname: {}\n", name);
    for (const auto& [key, value] : labels)
        text += fmt::format("    {}: \"{}\"\n", key, value);
    return text + "status: {conditions: [{type: Ready, status: \"True\"}]}\n";
}

std::string level_object() {
    std::string text =
        "apiVersion: kueue.x-k8s.io/v1beta1\nkind: Topology\nmetadata: {name: fabric}\nspec:\n  levels:\n";
    for (const auto& key : keys)
        text += fmt::format("  - {{nodeLabel: {}}}\n", key);
    return text;
}

struct World {
    model::Snapshot snapshot;
    std::vector<model::Node> nodes;
    std::vector<std::string> faults;
};

World world_of(const std::vector<std::string>& documents) {
    std::string text;
    for (const auto& document : documents)
        text += "---\n" + document;
    const auto manifests = kube::read_manifest_text(text, "test");
    REQUIRE_MESSAGE(manifests, (manifests ? "" : manifests.error().sentence));
    model::Cluster cluster({});
    for (const auto& event : manifests->events)
        static_cast<void>(cluster.apply(event));
    World world{.snapshot = cluster.snapshot(), .nodes = {}, .faults = cluster.topology_faults()};
    for (const auto& name : world.snapshot.node_names)
        world.nodes.push_back(cluster.node(name).value_or(model::Node{}));
    return world;
}

// By level, the widest first: the sets of nodes that share a domain.
std::vector<std::set<std::set<std::string>>> domains_of(const World& world, std::size_t tree = 0) {
    std::vector<std::set<std::set<std::string>>> levels;
    const auto& shown = world.snapshot.trees.at(tree);
    for (std::size_t depth = 0; depth + 1 < shown.keys.size(); ++depth) {
        std::map<std::uint32_t, std::set<std::string>> domains;
        for (model::NodeId node = 0; node < world.snapshot.node_count(); ++node) {
            if (shown.domain_of[depth][node] != model::nowhere)
                domains[shown.domain_of[depth][node]].insert(world.snapshot.node_names[node]);
        }
        auto& level = levels.emplace_back();
        for (auto& [domain, members] : domains)
            level.insert(std::move(members));
    }
    return levels;
}

const TranslationOptions options = [] {
    TranslationOptions with;
    with.layers = {{keys[0], "zoneLayer"}, {keys[1], "blockLayer"}, {keys[2], "rackLayer"}};
    return with;
}();

std::vector<std::string> written(const ExportedTopology& exported) {
    std::vector<std::string> documents;
    for (const auto& object : exported.objects)
        documents.push_back(kube::yaml_text(object));
    return documents;
}

// Nodes that lack none of their labels, all of them, or with `has_gaps` some.
std::vector<std::pair<std::string, Labels>> random_nodes(std::mt19937& numbers, bool has_gaps) {
    std::vector<std::pair<std::string, Labels>> nodes;
    const auto draw = [&numbers](int below) { return static_cast<int>(numbers() % static_cast<unsigned>(below)); };
    for (int n = 0; n < 3 + draw(12); ++n) {
        Labels labels;
        const bool is_outside = draw(6) == 0;
        for (const auto& key : keys) {
            if (!is_outside && (!has_gaps || draw(12) > 0))
                labels[key] = fmt::format("{}{}", draw(2) == 0 ? "d." : "d", draw(3));
        }
        nodes.emplace_back(fmt::format("n{}", n), std::move(labels));
    }
    return nodes;
}

TEST_CASE("HyperNodes that are made of labels are the same domains without the labels (Z34)") {
    std::mt19937 numbers(7);
    int refused = 0;
    int written_back = 0;
    for (int round = 0; round < 200; ++round) {
        CAPTURE(round);
        const auto nodes = random_nodes(numbers, round % 2 == 1);
        std::vector<std::string> labelled = {level_object()};
        std::vector<std::string> bare;
        for (const auto& [name, labels] : nodes) {
            labelled.push_back(node_text(name, labels));
            bare.push_back(node_text(name, {}));
        }
        const auto world = world_of(labelled);
        const auto exported =
            export_topology(world.snapshot.trees.at(0), world.nodes, TopologyTarget::hyper_node, options);
        const bool has_gap = std::ranges::any_of(
            nodes, [](const auto& node) { return !node.second.empty() && node.second.size() < keys.size(); });
        REQUIRE(exported.refusal.empty() == !has_gap);
        (has_gap ? refused : written_back) += 1;
        if (has_gap)
            continue;
        auto again = written(exported);
        again.insert(again.end(), bare.begin(), bare.end());
        const auto read = world_of(again);
        CHECK(read.faults.empty());
        for (std::size_t depth = 0; depth < keys.size(); ++depth) {
            CAPTURE(keys[depth]);
            const auto level = read.snapshot.level(keys[depth]);
            const bool is_empty = domains_of(world).at(depth).empty();
            REQUIRE(level.has_value() == !is_empty);
            if (!is_empty)
                CHECK(domains_of(read, level->tree).at(level->depth) == domains_of(world).at(depth));
        }
    }
    CHECK(refused > 20);
    CHECK(written_back > 100);
}

TEST_CASE("objects of levels are the same domains by the same labels (Z34)") {
    std::mt19937 numbers(11);
    for (const auto target : {TopologyTarget::kueue, TopologyTarget::kai, TopologyTarget::koordinator}) {
        for (int round = 0; round < 50; ++round) {
            CAPTURE(round);
            std::vector<std::string> documents;
            for (const auto& [name, labels] : random_nodes(numbers, round % 2 == 1))
                documents.push_back(node_text(name, labels));
            auto all = documents;
            all.push_back(level_object());
            const auto world = world_of(all);
            const auto exported = export_topology(world.snapshot.trees.at(0), world.nodes, target, options);
            REQUIRE_MESSAGE(exported.refusal.empty(), exported.refusal);
            REQUIRE(exported.objects.size() == 1);
            for (const auto& document : written(exported))
                documents.push_back(document);
            const auto read = world_of(documents);
            CHECK(read.faults.empty());
            CHECK(domains_of(read) == domains_of(world));
        }
    }
}

TEST_CASE("domains that no label makes aren't written as labels (Z34)") {
    const std::vector<std::string> documents = {
        "apiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\nmetadata: {name: s0}\nspec: {tier: 1, tierName: "
        "example.com/rack, members: [{type: Node, selector: {exactMatch: {name: n0}}}]}\n",
        node_text("n0", {}), node_text("n1", {{"example.com/rack", "r1"}})};
    const auto world = world_of(documents);
    const auto refusal = [&world](TopologyTarget target) {
        return export_topology(world.snapshot.trees.at(0), world.nodes, target, options).refusal;
    };
    CHECK(refusal(TopologyTarget::kueue).starts_with("node \"n0\" isn't in its domain of "));
    CHECK(refusal(TopologyTarget::koordinator) == refusal(TopologyTarget::kueue));
    CHECK(refusal(TopologyTarget::hyper_node).empty());
    const auto hosts = world_of({node_text("n0", {})});
    CHECK(export_topology(hosts.snapshot.trees.at(0), hosts.nodes, TopologyTarget::kai, options).refusal ==
          "it has no level above the host");
}

TEST_CASE("a level that Koordinator has no name for is named in the refusal (Z34)") {
    const auto world = world_of({level_object(), node_text("n0", {{keys[0], "a"}})});
    CHECK(export_topology(world.snapshot.trees.at(0), world.nodes, TopologyTarget::koordinator, {}).refusal ==
          "no layer is configured for \"example.com/zone\" (translation.topologyKeyMappings)");
}

}  // namespace
}  // namespace echelon::translate
