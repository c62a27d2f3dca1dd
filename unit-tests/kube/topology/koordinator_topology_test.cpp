#include "kube/topology/koordinator_topology.hpp"

#include "kube/decode.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

struct LayerRow {
    std::string name;
    std::string parent;
    Names labels;
};

json topology(const std::vector<LayerRow>& layers, const std::string& name = "default") {
    json out{{"apiVersion", "scheduling.koordinator.sh/v1alpha1"},
             {"kind", "ClusterNetworkTopology"},
             {"metadata", {{"name", name}}}};
    out["spec"]["networkTopologySpec"] = json::array();
    for (const auto& layer : layers) {
        json entry{{"topologyLayer", layer.name}};
        if (!layer.parent.empty())
            entry["parentTopologyLayer"] = layer.parent;
        if (!layer.labels.empty())
            entry["labelKey"] = layer.labels;
        out["spec"]["networkTopologySpec"].push_back(entry);
    }
    return out;
}

model::Topology read(const json& object) {
    const auto events = decode(object, Change::seen);
    REQUIRE(events);
    return std::get<model::TopologySeen>(events->at(0)).topology;
}

const LayerRow spine = {"spineLayer", "", {"example.com/spine"}};
const LayerRow block = {"blockLayer", "spineLayer", {"example.com/block", "old.example.com/block"}};
const LayerRow node = {"NodeTopologyLayer", "blockLayer", {}};

TEST_CASE("layers are put in order by their parents, and are aliases of their labels") {
    for (const auto& layers : {std::vector{spine, block, node}, std::vector{node, block, spine}}) {
        auto seen = read(topology(layers));
        CHECK(seen.problem == "");
        CHECK(seen.api_kind == "ClusterNetworkTopology.scheduling.koordinator.sh");
        CHECK(seen.levels == Names{"example.com/spine", "example.com/block", "kubernetes.io/hostname"});
        CHECK(seen.labels.size() == 1);
        CHECK(seen.labels["example.com/block"] == block.labels);
        CHECK(seen.aliases["spineLayer"] == "example.com/spine");
        CHECK(seen.aliases["blockLayer"] == "example.com/block");
        CHECK(seen.aliases["old.example.com/block"] == "example.com/block");
    }
    CHECK(read(topology({spine, block})).levels == Names{"example.com/spine", "example.com/block"});
}

TEST_CASE("the whole cluster may be listed or be a parent without being listed") {
    const LayerRow under = {"spineLayer", "ClusterTopologyLayer", {"example.com/spine"}};
    CHECK(read(topology({under, block, node})).problem == "");
    CHECK(read(topology({{"ClusterTopologyLayer", "", {}}, under, block})).levels ==
          Names{"example.com/spine", "example.com/block"});
}

TEST_CASE("layers that are no chain are a problem of the topology") {
    struct Row {
        std::vector<LayerRow> layers;
        std::string problem;
    };
    const std::string list = "spec.networkTopologySpec";
    const Row rows[] = {
        {{}, list + " is empty"},
        {{spine, spine}, list + "[1].topologyLayer \"spineLayer\" is listed twice"},
        {{spine, {"other", "", {"a"}}}, list + "[1].parentTopologyLayer is missing, and another layer has none either"},
        {{spine, block, {"other", "spineLayer", {"a"}}},
         list + "[2].parentTopologyLayer \"spineLayer\" is the parent of two layers"},
        {{spine, {"other", "nowhere", {"a"}}}, list + "[1].parentTopologyLayer \"nowhere\" isn't a layer"},
        {{{"a", "b", {"a"}}, {"b", "a", {"b"}}}, list + ": the layers form a cycle"},
        {{spine, block, node, {"chip", "NodeTopologyLayer", {"a"}}},
         list + "[3].parentTopologyLayer: no layer is narrower than \"NodeTopologyLayer\""},
        {{spine, {"blockLayer", "spineLayer", {}}},
         list + "[1].labelKey is empty, so layer \"blockLayer\" has no nodes"},
        {{{"spineLayer", "", {"a", "a"}}}, list + "[0].labelKey \"a\" is listed twice"},
        {{{"spineLayer", "", {"a b"}}}, list + "[0].labelKey is \"a b\", which isn't a label key"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.problem);
        CHECK(read(topology(row.layers)).problem == row.problem);
    }
}

TEST_CASE("a label of two layers is the wider one's, and that is said (Z35)") {
    const auto seen = read(topology({spine, {"blockLayer", "spineLayer", {"example.com/spine", "example.com/block"}}}));
    CHECK(seen.problem.empty());
    CHECK(seen.levels == Names{"example.com/spine", "example.com/block"});
    CHECK(seen.aliases.at("blockLayer") == "example.com/block");
    REQUIRE(seen.flaws.size() == 1);
    CHECK(seen.flaws.front().sentence ==
          "spec.networkTopologySpec[1].labelKey \"example.com/spine\" is that of layer \"spineLayer\", too, which has "
          "it");
    // A layer without another label is none.
    const auto alone = read(topology({spine, {"blockLayer", "spineLayer", {"example.com/spine"}}, node}));
    CHECK(alone.problem.empty());
    CHECK(alone.levels == Names{"example.com/spine", "kubernetes.io/hostname"});
    CHECK(alone.flaws.size() == 1);
}

TEST_CASE("only the object named default is used, and another one takes no level away") {
    const auto other = read(topology({spine}, "other"));
    CHECK(other.problem == "only the ClusterNetworkTopology named \"default\" is used");
    CHECK(other.levels.empty());
    CHECK(other.aliases.empty());
}

TEST_CASE("layers of the wrong type are an error (A3)") {
    auto broken = topology({spine});
    broken["spec"]["networkTopologySpec"][0]["labelKey"] = "example.com/spine";
    CHECK(decode(broken, Change::seen).error().sentence ==
          "ClusterNetworkTopology default: spec.networkTopologySpec[0].labelKey: must be a list, not "
          "\"example.com/spine\"");
    broken["spec"]["networkTopologySpec"][0] = {{"labelKey", {"a"}}};
    CHECK(decode(broken, Change::seen).error().sentence ==
          "ClusterNetworkTopology default: spec.networkTopologySpec[0].topologyLayer is missing");
    broken["spec"]["networkTopologySpec"][0] = {{"topologyLayer", "a"}, {"labelKey", {7}}};
    CHECK(decode(broken, Change::seen).error().sentence ==
          "ClusterNetworkTopology default: spec.networkTopologySpec[0].labelKey[0]: must be a string, not 7");
}

}  // namespace
}  // namespace echelon::kube
