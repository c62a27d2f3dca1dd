// Documents of Topograph, field by field, and which parts of a faulty one are left out.

#include "kube/topology/topograph.hpp"

#include "kube/topology/topograph_instances.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using Names = std::vector<std::string>;

const TopographSource fabric{.name = "fabric", .source = model::TopologySource::configuration, .file = {}};

std::vector<model::Event> events_of(const std::string& text) {
    auto events = read_topograph_text(text, fabric);
    REQUIRE_MESSAGE(events, (events ? "" : events.error().sentence));
    REQUIRE(events->size() == 2);
    return std::move(*events);
}

model::Topology read(const std::string& text) {
    return std::get<model::TopologySeen>(events_of(text).at(0)).topology;
}

model::Topology accelerators_in(const std::string& text) {
    return std::get<model::TopologySeen>(events_of(text).at(1)).topology;
}

std::string error_of(const std::string& text) {
    const auto events = read_topograph_text(text, fabric);
    return events ? "" : events.error().sentence;
}

Names flaws_in(const model::Topology& topology) {
    Names sentences;
    for (const auto& flaw : topology.flaws)
        sentences.push_back(flaw.sentence);
    return sentences;
}

Names expanded(const std::string& text, std::size_t most = 1000) {
    Names names;
    const auto problem = expand_names(text, most, names);
    return problem.empty() ? names : Names{"problem: " + problem};
}

const Names two_tiers = {"fabric.topograph.run/tier-1", "fabric.topograph.run/tier-0"};

}  // namespace

TEST_CASE("a graph places its instances at the tiers of their switches, the widest first") {
    const std::string text = R"({"instances": [
        {"id": "i-1", "network_layers": ["leaf0", "spine0"], "labels": {"example.com/gpu": "H100"}},
        {"id": "i-2", "network_layers": ["leaf1"]},
        {"id": "i-3", "network_layers": ["", "spine0"]},
        {"id": "i-4", "network_layers": null, "labels": null}]})";
    const auto topology = read(text);
    CHECK(topology.name == "fabric");
    CHECK(topology.source == model::TopologySource::configuration);
    CHECK(topology.api_kind == "Topograph.topograph.run");
    CHECK(topology.levels == two_tiers);
    CHECK(topology.places.at("i-1") == Names{"spine0", "leaf0"});
    CHECK(topology.places.at("i-2") == Names{"", "leaf1"});
    CHECK(topology.places.at("i-3") == Names{"spine0", ""});
    CHECK(topology.places.at("i-4") == Names{"", ""});
    CHECK(topology.flaws.empty());
    CHECK(topology.problem.empty());
    const auto gone = std::get<model::TopologyGone>(events_of(text).at(1));
    CHECK(gone.name == "fabric/accelerators");
    CHECK(gone.source == model::TopologySource::configuration);
}

TEST_CASE("names of switches that would look like a path, or like no place, don't") {
    const auto topology = read(R"({"instances": [{"id": "a", "network_layers": ["-", "MF0;sw:QM9700/U1"]}]})");
    CHECK(topology.places.at("a") == Names{"MF0;sw:QM9700%2FU1", ""});
}

TEST_CASE("accelerator domains are a second topology") {
    const auto topology = accelerators_in(R"({"instances": [
        {"id": "a", "network_layers": ["leaf0"], "labels": {"accelerator.topograph.run/domain": "nvl1",
         "accelerator.topograph.run/sub-domain": "nvl1.rack1"}},
        {"id": "b", "network_layers": ["leaf0"]}]})");
    CHECK(topology.name == "fabric/accelerators");
    CHECK(topology.levels == Names{"accelerator.topograph.run/domain", "accelerator.topograph.run/sub-domain"});
    CHECK(topology.places.at("a") == Names{"nvl1", "nvl1.rack1"});
    CHECK(topology.places.at("b") == Names{"", ""});
    // Also when there are no switches; the fabric that was there before goes.
    const auto alone = events_of("blocks: [{nodes: [a], annotations: {accelerator.topology.test/domain: nvl1}}]");
    CHECK(std::get<model::TopologyGone>(alone.at(0)).name == "fabric");
    CHECK(std::get<model::TopologySeen>(alone.at(1)).topology.places.at("a") == Names{"nvl1"});
}

TEST_CASE("region and zone are around the switches where they nest") {
    const auto instance = [](const std::string& id, const std::string& region, const std::string& zone) {
        return R"({"id": ")" + id + R"(", "network_layers": ["leaf-)" + id +
               R"(", "core"], "labels": {"topology.kubernetes.io/region": ")" + region +
               R"(", "topology.kubernetes.io/zone": ")" + zone + R"("}})";
    };
    const auto graph = [](const std::string& a, const std::string& b) {
        return R"({"instances": [)" + a + "," + b + "]}";
    };
    const auto nested = read(graph(instance("a", "west", "w1"), instance("b", "west", "w1")));
    CHECK(nested.levels ==
          Names{"topology.kubernetes.io/region", "topology.kubernetes.io/zone", two_tiers[0], two_tiers[1]});
    CHECK(nested.places.at("b") == Names{"west", "w1", "core", "leaf-b"});
    // One switch in two zones stays one domain.
    const auto across = read(graph(instance("a", "west", "w1"), instance("b", "west", "w2")));
    CHECK(across.levels == Names{"topology.kubernetes.io/region", two_tiers[0], two_tiers[1]});
    // As Topograph says that there is none.
    CHECK(read(graph(instance("a", "none", ""), instance("b", "none", ""))).levels == two_tiers);
}

TEST_CASE("an unreadable instance affects no other") {
    const auto topology = read(R"({"instances": [
        {"id": "good", "network_layers": ["leaf0", "spine0"]},
        {"network_layers": ["leaf0"]},
        7,
        {"id": "odd", "network_layers": ["leaf0", 3]},
        {"id": "odd-labels", "labels": {"accelerator.topograph.run/domain": true}},
        {"id": "deep", "network_layers": ["1","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16","17"]}
    ]})");
    CHECK(topology.places.size() == 1);
    CHECK(topology.levels == two_tiers);
    CHECK(flaws_in(topology) ==
          Names{"instances[1].id is missing", "instances[2]: must be an object, not 7",
                "instances[3].network_layers[1]: must be a string, not 3",
                "instances[4].labels[\"accelerator.topograph.run/domain\"]: must be a string, not true",
                "instances[5].network_layers: has 17 entries, at most 16 are allowed"});
    CHECK(topology.flaws[3 - 1].nodes == Names{"odd"});
    CHECK(topology.flaws[3 - 1].levels == Names{two_tiers[1], two_tiers[0]});
}

TEST_CASE("an instance that is listed twice counts once, and not at all if the entries differ") {
    const auto topology = read(R"({"instances": [
        {"id": "a", "network_layers": ["leaf0"]}, {"id": "a", "network_layers": ["leaf0"]},
        {"id": "b", "network_layers": ["leaf0"]}, {"id": "b", "network_layers": ["leaf1", "spine"]},
        {"id": "b", "network_layers": ["leaf0"]}]})");
    CHECK(topology.places.size() == 1);
    CHECK(topology.places.contains("a"));
    CHECK(flaws_in(topology) ==
          Names{"instances: \"b\" is listed twice with different contents, so its entries are ignored"});
    // Even the tier that no other switch has.
    CHECK(topology.flaws[0].levels == Names{two_tiers[1], two_tiers[0]});
    CHECK(topology.levels == Names{two_tiers[1]});
}

TEST_CASE("a document of which nothing can be used is an error that names the field") {
    CHECK(error_of(R"({"instances": {}})") == "instances: must be a list, not an object");
    CHECK(error_of(R"({"instances": []})") == "lists no node");
    CHECK(error_of("") == "is empty");
    CHECK(error_of("# nothing\n") == "is empty");
    CHECK(error_of("[]") == "must be an object, not a list");
    CHECK(error_of(R"({"instances": [{"id": "a"}]})") == "has no switch and no accelerator domain");
    CHECK(error_of(R"({"instances": [{"id": ""}]})") == "instances[0].id is missing");
    CHECK(error_of("switches: []\nblocks: []\n") == "switches: must be an object, not a list");
    CHECK(error_of("blocks: 7\n") == "blocks: must be a list, not 7");
    CHECK(error_of("blocks: []\n---\nblocks: []\n") == "there is a second document");
    CHECK(error_of(R"({"instances": [{"id": "a", "network_layers": ["x"]}]} {})") == "something follows the document");
    CHECK(error_of(R"({"instances": [)").starts_with("document 1: "));
    const auto named = read_topograph_text("blocks: 7", {.name = "f", .file = "dir/f.yaml"});
    CHECK(named.error().sentence == "dir/f.yaml: blocks: must be a list, not 7");
}

TEST_CASE("a model's nodes are below their switches, and inherit labels on the way down") {
    const std::string text = R"(
switches:
  core:
    labels: {topology.kubernetes.io/region: west}
    annotations: {accelerator.topology.test/domain: all}
    switches: [spine0, spine1]
  spine0: {switches: [leaf0, leaf1]}
  spine1:
blocks:
- {switch: leaf0, nodes: ["n[1-2]", "gpu[009-010]"]}
- switch: leaf1
  nodes: [I7]
  annotations: {accelerator.topology.test/domain: own, accelerator.topology.test/sub-domain: part}
- {switch: spine1, nodes: [near-the-spine]}
- {nodes: [unconnected]}
)";
    const auto topology = read(text);
    CHECK(topology.levels ==
          Names{"topology.kubernetes.io/region", "fabric.topograph.run/tier-2", two_tiers[0], two_tiers[1]});
    CHECK(topology.places.at("n2") == Names{"west", "core", "spine0", "leaf0"});
    CHECK(topology.places.at("gpu010") == Names{"west", "core", "spine0", "leaf0"});
    // As Kubernetes would call the node, and by its instance.
    CHECK(topology.places.at("i7") == Names{"west", "core", "spine0", "leaf1"});
    CHECK(topology.places.at("i-I7") == topology.places.at("i7"));
    CHECK(topology.places.at("near-the-spine") == Names{"west", "", "core", "spine1"});
    CHECK(topology.places.at("unconnected") == Names{"", "", "", ""});
    CHECK(topology.flaws.empty());
    const auto accelerators = accelerators_in(text);
    CHECK(accelerators.places.at("n1") == Names{"all", ""});
    CHECK(accelerators.places.at("i7") == Names{"own", "part"});
    CHECK(accelerators.places.at("unconnected") == Names{"", ""});
}

TEST_CASE("a switch below two others is below neither, and keeps its own children") {
    const auto topology = read(R"(
switches: {core: {switches: [a, b]}, a: {switches: [leaf]}, b: {switches: [leaf, other]}}
blocks: [{switch: leaf, nodes: [n1]}, {switch: other, nodes: [n2]}]
)");
    CHECK(topology.places.at("n1") == Names{"", "", "leaf"});
    CHECK(topology.places.at("n2") == Names{"core", "b", "other"});
    REQUIRE(flaws_in(topology) == Names{"switches[\"leaf\"]: it is below \"a\" and \"b\", so it is below neither"});
    CHECK(topology.flaws[0].levels == Names{"fabric.topograph.run/tier-1", "fabric.topograph.run/tier-2"});
    CHECK(topology.flaws[0].nodes == Names{"i-n1", "n1"});
}

TEST_CASE("switches of a cycle are none, and what hangs below them is as it was") {
    const auto topology = read(R"(
switches: {a: {switches: [b]}, b: {switches: [a, leaf]}, self: {switches: [self]}}
blocks: [{switch: leaf, nodes: [n1]}, {switch: self, nodes: [n2]}, {switch: b, nodes: [n3]}]
)");
    CHECK(topology.levels == Names{two_tiers[1]});
    CHECK(topology.places.at("n1") == Names{"leaf"});
    CHECK(topology.places.at("n2") == Names{""});
    CHECK(flaws_in(topology) == Names{"switches[\"a\"]: it is below itself", "switches[\"b\"]: it is below itself",
                                      "switches[\"self\"]: it is below itself"});
}

TEST_CASE("an unreadable block, or one that names no switch, is reported with its field") {
    const auto topology = read(R"(
switches: {leaf: {}, odd: 7, odder: {switches: leaf}}
blocks:
- {switch: leaf, nodes: [good]}
- {switch: absent, nodes: [lost], annotations: {accelerator.topology.test/domain: nvl1}}
- {switch: leaf, nodes: []}
- {switch: leaf, nodes: [first, "n[4-1]", never]}
- {switch: leaf, nodes: ["n[0-2000000000]"]}
- {switch: leaf, nodes: [7]}
- 7
- {switch: leaf, nodes: [twice]}
- {switch: odd, nodes: [twice]}
)");
    CHECK(flaws_in(topology) ==
          Names{"switches.odd: must be an object, not 7", "switches.odder.switches: must be a list, not \"leaf\"",
                "blocks[1].switch \"absent\" isn't a switch", "blocks[2].nodes is missing",
                "blocks[3].nodes[1]: \"n[4-1]\" isn't a range like \"n[1-4]\"",
                "blocks[4].nodes[0]: \"n[0-2000000000]\" isn't a range like \"n[1-4]\"",
                "blocks[5].nodes[0]: must be a string, not 7", "blocks[6]: must be an object, not 7",
                "blocks: \"twice\" is listed twice with different contents, so its entries are ignored"});
    CHECK(topology.places.at("good") == Names{"leaf"});
    CHECK(topology.places.at("lost") == Names{""});
    CHECK(topology.places.at("first") == Names{"leaf"});
    CHECK_FALSE(topology.places.contains("never"));
    CHECK_FALSE(topology.places.contains("twice"));
}

TEST_CASE("ranges of names count with the zeros that they begin with, and no further than allowed") {
    CHECK(expanded("node9") == Names{"node9"});
    CHECK(expanded("n[1-3]") == Names{"n1", "n2", "n3"});
    CHECK(expanded("[0098-0101]") == Names{"0098", "0099", "0100", "0101"});
    CHECK(expanded("n[8-10,020]") == Names{"n8", "n9", "n10", "n020"});
    CHECK(expanded("n[1-3]", 3).size() == 3);
    CHECK(expanded("n[1-4]", 3) == Names{"problem: \"n[1-4]\" are too many nodes"});
    CHECK(expanded("a", 0) == Names{"problem: is one node too many"});
    for (const char* bad : {"n[1-4", "n[]", "n[a-b]", "n[1-]", "n[-1]", "n[1-2]x", "n[1--2]", "n[9999999999]", "n[1,]"})
        CHECK(expanded(bad).front().starts_with("problem: "));
    CHECK(expanded("") == Names{"problem: is empty"});
}

TEST_CASE("the ranges of a document are bounded together, and so is what they repeat (BD1)") {
    const auto blocks = [](int count, const std::string& nodes) {
        std::string text = "switches: {leaf: {}}\nblocks:\n";
        for (int number = 0; number < count; ++number)
            text += "- {switch: leaf, nodes: [" + nodes + "]}\n";
        return text;
    };
    const std::string excess =
        " is more than the 200000 nodes that one topology object may have (limits.topologyNodes)";
    CHECK(error_of(blocks(1, "\"a[1-199999]\", \"b[1-1]\"")) == "");
    CHECK(error_of(blocks(1, "\"a[1-199999]\", \"b[1-2]\"")) == "blocks[0].nodes[1]: 200001" + excess);
    CHECK(error_of(blocks(2, "\"a[1-100001]\"")) == "blocks[1].nodes[0]: 200002" + excess);
    CHECK(error_of(blocks(1, "\"a[1-199999,1-199999]\"")) == "blocks[0].nodes[0]: 399998" + excess);
    TopographSource few = fabric;
    few.limits.topology_nodes = 10;
    CHECK(read_topograph_text(blocks(1, "\"a[01-10]\""), few));
    const auto over = read_topograph_text(blocks(1, "\"a[01-11]\""), few);
    REQUIRE_FALSE(over);
    CHECK(over.error().sentence.starts_with("blocks[0].nodes[0]: 11 is more than the 10 nodes"));
    CHECK(expanded(std::string(318, 'n') + "[1-2]") ==
          Names{"problem: 318 is more than the 317 bytes that a name or key may have"});
}

TEST_CASE("of thousands of faults a few are reported") {
    std::string text = R"({"instances": [{"id": "good", "network_layers": ["leaf"]})";
    for (int number = 0; number < 100; ++number)
        text += R"(, {"id": "bad-)" + std::to_string(number) + R"(", "network_layers": 7})";
    const auto topology = read(text + "]}");
    CHECK(topology.flaws.size() == 32);
    CHECK(topology.flaws.back().sentence == "instances[32].network_layers: must be a list, not 7, and 68 more faults");
    CHECK(topology.flaws.back().nodes.size() == 69);
}

TEST_CASE("a document is recognised by its fields, and named after its file") {
    const auto recognised = [](const char* text) { return is_topograph(nlohmann::json::parse(text)); };
    CHECK(recognised(R"({"instances": []})"));
    CHECK(recognised(R"({"blocks": []})"));
    CHECK(recognised(R"({"switches": {}})"));
    CHECK_FALSE(recognised(R"({"items": []})"));
    CHECK_FALSE(recognised(R"({"kind": "X", "instances": []})"));
    CHECK_FALSE(recognised(R"([])"));
    CHECK(topology_name_of("dir.d/fabric.json") == "fabric");
    CHECK(topology_name_of("fabric") == "fabric");
    CHECK(topology_name_of(".hidden") == ".hidden");
    CHECK(topology_name_of("standard input") == "standard input");
}

TEST_CASE("an unusable document is a topology with that name and no levels") {
    const auto events = faulty_topograph(fabric, base::Error{"f.json: is empty"});
    REQUIRE(events.size() == 2);
    const auto& topology = std::get<model::TopologySeen>(events[0]).topology;
    CHECK(topology.name == "fabric");
    CHECK(topology.problem == "f.json: is empty");
    CHECK(topology.places.empty());
    CHECK(std::get<model::TopologyGone>(events[1]).name == "fabric/accelerators");
    CHECK(std::get<model::TopologyGone>(topograph_gone(fabric)[0]).name == "fabric");
}

}  // namespace echelon::kube
