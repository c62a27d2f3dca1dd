#include "kube/topology/kueue_topology.hpp"

#include "kube/decode.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using nlohmann::json;

json topology(const std::vector<std::string>& levels) {
    json out{{"apiVersion", "kueue.x-k8s.io/v1beta2"}, {"kind", "Topology"}, {"metadata", {{"name", "fabric"}}}};
    out["spec"]["levels"] = json::array();
    for (const std::string& level : levels)
        out["spec"]["levels"].push_back({{"nodeLabel", level}});
    return out;
}

model::Topology read(const std::vector<std::string>& levels) {
    const auto events = decode(topology(levels), Change::seen);
    REQUIRE(events);
    return std::get<model::TopologySeen>(events->at(0)).topology;
}

TEST_CASE("levels are read widest first") {
    const std::vector<std::string> levels{"example.com/block", "example.com/rack", "kubernetes.io/hostname"};
    CHECK(read(levels) == model::Topology{.name = "fabric",
                                          .source = model::TopologySource::object,
                                          .api_kind = "Topology.kueue.x-k8s.io",
                                          .levels = levels,
                                          .problem = "",
                                          .labels = {},
                                          .aliases = {},
                                          .precedence = 0});
}

TEST_CASE("KAI's levels may have an alias, Kueue's don't") {
    json kai = topology({"example.com/block", "example.com/rack"});
    kai["apiVersion"] = "kai.scheduler/v1alpha1";
    kai["spec"]["levels"][1]["alias"] = "rack";
    kai["spec"]["unknown"] = 7;
    const auto read_it = [&] { return std::get<model::TopologySeen>(decode(kai, Change::seen)->at(0)).topology; };
    auto seen = read_it();
    CHECK(seen.api_kind == "Topology.kai.scheduler");
    CHECK(seen.precedence > read({"a"}).precedence);
    CHECK(seen.levels == std::vector<std::string>{"example.com/block", "example.com/rack"});
    CHECK(seen.aliases.size() == 1);
    CHECK(seen.aliases["rack"] == "example.com/rack");
    CHECK(seen.problem.empty());
    kai["spec"]["levels"][0]["alias"] = "rack";
    CHECK(read_it().problem == "spec.levels[1].alias \"rack\" names two levels");
    kai["spec"]["levels"][0]["alias"] = "example.com/rack";
    CHECK(read_it().problem == "spec.levels[0].alias \"example.com/rack\" names two levels");
    kai["spec"]["levels"][0]["alias"] = "example.com/block";
    CHECK(read_it().problem.empty());
    kai["spec"]["levels"][0]["alias"] = 7;
    CHECK(decode(kai, Change::seen).error().sentence ==
          "Topology fabric: spec.levels[0].alias: must be a string, not 7");
    kai["apiVersion"] = "kueue.x-k8s.io/v1beta2";
    CHECK(read_it().aliases.empty());
}

TEST_CASE("an unreadable topology is an unusable one, with the fields that could be read") {
    json broken = topology({"a", "b"});
    broken["spec"]["levels"][1]["nodeLabel"] = 7;
    const auto fault = decode(broken, Change::seen);
    REQUIRE_FALSE(fault);
    const auto seen = std::get<model::TopologySeen>(*event_of_unreadable(broken, fault.error())).topology;
    CHECK(seen.name == "fabric");
    CHECK(seen.levels.front() == "a");
    CHECK(seen.problem == "spec.levels[1].nodeLabel: must be a string, not 7");
}

TEST_CASE("levels that Kueue refuses are a problem of the topology") {
    CHECK(read({}).problem == "spec.levels is empty");
    CHECK(read({"a", "b", "a"}).problem == "spec.levels[2].nodeLabel \"a\" is listed twice");
    CHECK(read({"kubernetes.io/hostname", "a"}).problem ==
          "spec.levels[0].nodeLabel \"kubernetes.io/hostname\" may only be the last level");
    CHECK(read({"a b"}).problem == "spec.levels[0].nodeLabel is \"a b\", which isn't a label key");
    std::vector<std::string> many;
    for (int i = 0; i < 16; ++i)
        many.push_back("l" + std::to_string(i));
    CHECK(read(many).problem.empty());
    many.push_back("l16");
    CHECK(read(many).problem == "spec.levels has 17 entries, at most 16 are allowed");
}

TEST_CASE("levels of the wrong type are an error (A3)") {
    json broken = topology({"a"});
    broken["spec"]["levels"][0]["nodeLabel"] = 7;
    CHECK(decode(broken, Change::seen).error().sentence ==
          "Topology fabric: spec.levels[0].nodeLabel: must be a string, not 7");
    broken["spec"]["levels"][0] = json::object();
    CHECK(decode(broken, Change::seen).error().sentence == "Topology fabric: spec.levels[0].nodeLabel is missing");
    broken["spec"]["levels"] = "a";
    CHECK(decode(broken, Change::seen).error().sentence == "Topology fabric: spec.levels: must be a list, not \"a\"");
}

TEST_CASE("a topology goes by its name") {
    const auto events = decode(topology({}), Change::gone);
    REQUIRE(events);
    const auto& gone = std::get<model::TopologyGone>(events->at(0));
    CHECK(gone.name == "fabric");
    CHECK(gone.api_kind == "Topology.kueue.x-k8s.io");
    CHECK(gone.source == model::TopologySource::object);
}

}  // namespace
}  // namespace echelon::kube
