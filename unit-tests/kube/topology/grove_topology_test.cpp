#include "kube/topology/grove_topology.hpp"

#include "kube/decode.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using nlohmann::json;

json binding(json levels) {
    json out{
        {"apiVersion", "grove.io/v1alpha1"}, {"kind", "ClusterTopologyBinding"}, {"metadata", {{"name", "fabric"}}}};
    out["spec"]["levels"] = std::move(levels);
    return out;
}

json level(const std::string& domain, const std::string& key) {
    return {{"domain", domain}, {"key", key}};
}

model::Topology read(const json& object) {
    const auto events = decode(object, Change::seen);
    REQUIRE(events);
    return std::get<model::TopologySeen>(events->at(0)).topology;
}

TEST_CASE("Grove's domains are aliases of the keys, broadest first") {
    auto object = binding({level("zone", "topology.kubernetes.io/zone"), level("rack", "example.com/rack"),
                           level("host", "kubernetes.io/hostname")});
    object["spec"]["schedulerTopologyBindings"] = {{{"schedulerName", "kai-scheduler"}, {"topologyReference", "x"}}};
    auto seen = read(object);
    CHECK(seen.api_kind == "ClusterTopologyBinding.grove.io");
    CHECK(seen.levels ==
          std::vector<std::string>{"topology.kubernetes.io/zone", "example.com/rack", "kubernetes.io/hostname"});
    CHECK(seen.aliases.size() == 3);
    CHECK(seen.aliases["rack"] == "example.com/rack");
    CHECK(seen.problem.empty());
    SUBCASE("the object's earlier kind says the same, and goes after it") {
        object["kind"] = "ClusterTopology";
        auto legacy = read(object);
        CHECK(legacy.api_kind == "ClusterTopology.grove.io");
        CHECK(legacy.levels == seen.levels);
        CHECK(legacy.precedence > seen.precedence);
        CHECK(std::get<model::TopologyGone>(decode(object, Change::gone)->at(0)).api_kind ==
              "ClusterTopology.grove.io");
    }
}

TEST_CASE("levels below the host are no levels for us") {
    const auto seen = read(binding({level("rack", "example.com/rack"), level("host", "kubernetes.io/hostname"),
                                    level("numa", "example.com/numa")}));
    CHECK(seen.levels == std::vector<std::string>{"example.com/rack", "kubernetes.io/hostname"});
    CHECK_FALSE(seen.aliases.contains("numa"));
    CHECK(seen.problem.empty());
}

TEST_CASE("what Grove's webhook refuses is a problem of the topology, what its schema refuses an error (A3)") {
    CHECK(read(binding(json::array())).problem == "spec.levels is empty");
    CHECK(read(binding({level("rack", "a"), level("rack", "b")})).problem ==
          "spec.levels[1].domain \"rack\" names two levels");
    CHECK(read(binding({level("rack", "a"), level("block", "a")})).problem ==
          "spec.levels[1].key \"a\" is listed twice");
    CHECK(read(binding(json::array({level("rack", "a b")}))).problem ==
          "spec.levels[0].key is \"a b\", which isn't a label key");
    const auto error = [](const json& object) { return decode(object, Change::seen).error().sentence; };
    CHECK(error(binding({{{"key", "a"}}})) == "ClusterTopologyBinding fabric: spec.levels[0].domain is missing");
    CHECK(error(binding({{{"domain", "rack"}}})) == "ClusterTopologyBinding fabric: spec.levels[0].key is missing");
    CHECK(error(binding("rack")) == "ClusterTopologyBinding fabric: spec.levels: must be a list, not \"rack\"");
}

}  // namespace
}  // namespace echelon::kube
