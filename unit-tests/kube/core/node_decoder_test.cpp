#include "kube/core/node_decoder.hpp"

#include "kube/decode.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using model::Node;
using model::TaintEffect;
using nlohmann::json;

// A node with the parts that a test gives, beside its name.
json node(const std::string& parts) {
    json out = json::parse(parts);
    out["apiVersion"] = "v1";
    out["kind"] = "Node";
    out["metadata"]["name"] = "n1";
    return out;
}

Node read(const std::string& parts) {
    const auto events = decode(node(parts), Change::seen);
    REQUIRE_MESSAGE(events, (events ? "" : events.error().sentence));
    return std::get<model::NodeSeen>(events->at(0)).node;
}

TEST_CASE("a node has allocatable amounts, labels and taints") {
    const Node seen = read(R"({
        "metadata": {"uid": "u", "labels": {"b": "2", "a": "1"},
                     "annotations": {"topograph.run/instance": "i-7", "other": "x"}},
        "spec": {"unschedulable": true,
                 "taints": [{"key": "z", "effect": "NoExecute", "timeAdded": null}, {"key": "a", "value": "v", "effect": "NoSchedule"}]},
        "status": {"capacity": {"cpu": "9"},
                   "allocatable": {"cpu": "7910m", "memory": "32Gi", "pods": "110", "nvidia.com/gpu": "8", "example.com/none": "0"},
                   "conditions": [{"type": "MemoryPressure", "status": "True"}, {"type": "Ready", "status": "True"}]}})");
    CHECK(seen == Node{.name = "n1",
                       .uid = "u",
                       .labels = {{"a", "1"}, {"b", "2"}},
                       .annotations = {{"topograph.run/instance", "i-7"}},
                       .allocatable = {{"cpu", 7910}, {"memory", 32LL << 30}, {"nvidia.com/gpu", 8}, {"pods", 110}},
                       .taints = {{"a", "v", TaintEffect::no_schedule}, {"z", "", TaintEffect::no_execute}},
                       .ready = true,
                       .unschedulable = true,
                       .deleting = false});
}

TEST_CASE("a node is ready unless its condition says otherwise") {
    const auto ready = [](const std::string& conditions) {
        return read("{\"status\": {\"conditions\": " + conditions + "}}").ready;
    };
    CHECK(ready(R"([{"type": "Ready", "status": "True"}])"));
    CHECK(ready("[]"));
    CHECK(ready("null"));
    CHECK_FALSE(ready(R"([{"type": "Ready", "status": "False"}])"));
    CHECK_FALSE(ready(R"([{"type": "Ready", "status": "Unknown"}])"));
    CHECK_FALSE(ready(R"([{"type": "Ready"}])"));
}

TEST_CASE("a node that is being deleted takes nothing") {
    CHECK_FALSE(read(R"({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})").is_usable());
    CHECK(read("{}").is_usable());
}

TEST_CASE("capacity is used where allocatable isn't stated") {
    CHECK(read(R"({"status": {"capacity": {"cpu": "2"}}})").allocatable == model::Amounts{{"cpu", 2000}});
    CHECK(read(R"({"status": {"capacity": {"cpu": "2"}, "allocatable": {}}})").allocatable.empty());
}

TEST_CASE("a field of a node that can't be read costs that field alone") {
    struct Row {
        std::string parts;
        std::string fault;
    };
    const Row rows[] = {
        {R"({"status": {"allocatable": {"cpu": "-1"}}})", "status.allocatable.cpu: \"-1\" is negative"},
        {R"({"status": {"allocatable": {"nvidia.com/gpu": "many"}}})",
         "status.allocatable[\"nvidia.com/gpu\"]: \"many\" isn't a quantity"},
        {R"({"metadata": {"labels": {"a": 1}}})", "metadata.labels.a: must be a string, not 1"},
        {R"({"spec": {"unschedulable": "yes"}})", "spec.unschedulable: must be true or false, not \"yes\""},
        {R"({"spec": {"taints": [{"key": "a"}]}})", "spec.taints[0].effect is missing"},
        {R"({"spec": {"taints": [{"key": "a", "effect": "Never"}]}})",
         "spec.taints[0].effect: \"Never\" isn't an effect of a taint"},
        {R"({"spec": {"taints": [{"effect": "NoSchedule"}]}})", "spec.taints[0].key is missing"},
        {R"({"status": {"conditions": {}}})", "status.conditions: must be a list, not an object"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.parts);
        const auto read_node = read(row.parts);
        CHECK(read_node.name == "n1");
        CHECK(read_node.faults == std::vector<std::string>{row.fault});
    }
    const auto sound_beside = read(R"({"metadata": {"labels": {"a": 1, "b": "2"}},
                                       "status": {"allocatable": {"cpu": "many", "memory": "5"}}})");
    CHECK(sound_beside.labels == model::Labels{{"b", "2"}});
    CHECK(sound_beside.allocatable == model::Amounts{{"memory", 5}});
    CHECK(sound_beside.faults.size() == 2);
    std::string many;
    for (int index = 0; index < 40; ++index)
        many += (index == 0 ? "" : ", ") + std::string("\"k") + std::to_string(index) + "\": 1";
    const auto faults = read(R"({"metadata": {"labels": {)" + many + "}}}").faults;
    CHECK(faults.size() == 16);
    CHECK(faults.back().ends_with(", and 24 more faults"));
}

}  // namespace
}  // namespace echelon::kube
