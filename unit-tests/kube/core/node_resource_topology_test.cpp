#include "kube/core/node_resource_topology.hpp"

#include "kube/core/pod_requests.hpp"
#include "kube/decode.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using model::ZoneScope;
using nlohmann::json;

json attribute(const char* name, const char* value) {
    return {{"name", name}, {"value", value}};
}

json resource(const char* name, json allocatable, json available) {
    return {{"name", name},
            {"capacity", "64"},
            {"allocatable", std::move(allocatable)},
            {"available", std::move(available)}};
}

json object(json fields) {
    fields["apiVersion"] = "topology.node.k8s.io/v1alpha2";
    fields["kind"] = "NodeResourceTopology";
    fields["metadata"] = {{"name", "n0"}};
    return fields;
}

model::NodeZones read(const json& fields) {
    const auto events = decode(object(fields), Change::seen);
    REQUIRE_MESSAGE(events, (events ? "" : events.error().sentence));
    return std::get<model::NodeZonesSeen>(events->at(0)).zones;
}

std::string fault_of(const json& fields) {
    const auto events = decode(object(fields), Change::seen);
    return events ? "" : events.error().sentence;
}

TEST_CASE("zones of type Node are read with what they give and have left (NU1)") {
    const model::NodeZones zones =
        read({{"zones",
               {{{"name", "node-0"},
                 {"type", "Node"},
                 {"costs", {{{"name", "node-0"}, {"value", 10}}}},
                 {"resources",
                  {resource("cpu", "30", "28500m"), resource("memory", "1Gi", 1024), resource("x.com/gpu", 4, "3")}}},
                {{"name", "socket-0"}, {"type", "Socket"}, {"resources", {resource("cpu", "64", "64")}}},
                {{"name", "node-1"}, {"type", "Node"}}}}});
    CHECK(zones.node == "n0");
    CHECK_FALSE(zones.is_single_numa_node);
    REQUIRE(zones.zones.size() == 2);
    CHECK(zones.zones[0].name == "node-0");
    CHECK(zones.zones[0].allocatable == model::Amounts{{"cpu", 30'000}, {"memory", 1 << 30}, {"x.com/gpu", 4}});
    CHECK(zones.zones[0].available == model::Amounts{{"cpu", 28'500}, {"memory", 1024}, {"x.com/gpu", 3}});
    CHECK(zones.zones[1].name == "node-1");
}

TEST_CASE("policy and scope come from attributes, else from topologyPolicies (NU1)") {
    struct Row {
        json fields;
        bool is_single;
        ZoneScope scope;
    };
    const json single = attribute("topologyManagerPolicy", "single-numa-node");
    const json restricted = attribute("topologyManagerPolicy", "restricted");
    const json by_pod = attribute("topologyManagerScope", "pod");
    const json by_container = attribute("topologyManagerScope", "container");
    const Row rows[] = {
        {json::object(), false, ZoneScope::container},
        {{{"attributes", {single}}}, true, ZoneScope::container},
        {{{"attributes", {single, by_pod}}}, true, ZoneScope::pod},
        {{{"attributes", {by_container, single}}}, true, ZoneScope::container},
        {{{"attributes", {restricted, by_pod}}}, false, ZoneScope::pod},
        {{{"topologyPolicies", {"SingleNUMANodePodLevel"}}}, true, ZoneScope::pod},
        {{{"topologyPolicies", {"SingleNUMANodeContainerLevel"}}}, true, ZoneScope::container},
        {{{"topologyPolicies", {"RestrictedPodLevel"}}}, false, ZoneScope::container},
        {{{"topologyPolicies", {"BestEffort"}}}, false, ZoneScope::container},
        {{{"topologyPolicies", {"SingleNUMANodePodLevel"}}, {"attributes", {restricted}}}, false, ZoneScope::pod},
        {{{"topologyPolicies", {"RestrictedPodLevel"}}, {"attributes", {single}}}, true, ZoneScope::container},
    };
    for (const Row& row : rows) {
        CAPTURE(row.fields.dump());
        const model::NodeZones zones = read(row.fields);
        CHECK(zones.is_single_numa_node == row.is_single);
        CHECK(zones.scope == row.scope);
    }
}

TEST_CASE("a field that can't be read is named, and the object is gone by its name") {
    const auto of_zone = [](json resources) {
        return json{{"zones", {{{"name", "node-0"}, {"type", "Node"}, {"resources", std::move(resources)}}}}};
    };
    CHECK(fault_of({{"zones", 7}}) == "NodeResourceTopology n0: zones: must be a list, not 7");
    CHECK(fault_of(of_zone({resource("cpu", "4", "x")})) ==
          "NodeResourceTopology n0: zones[0].resources[0].available: \"x\" isn't a quantity");
    CHECK(fault_of(of_zone({{{"name", "cpu"}, {"allocatable", "4"}}})) ==
          "NodeResourceTopology n0: zones[0].resources[0].available is missing");
    CHECK(fault_of(of_zone({{{"allocatable", "4"}, {"available", "4"}}})) ==
          "NodeResourceTopology n0: zones[0].resources[0].name is missing");
    CHECK(fault_of({{"attributes", {attribute("topologyManagerPolicy", "single_numa")}}}) ==
          "NodeResourceTopology n0: attributes[0].value: \"single_numa\" isn't a policy of a topology manager");
    CHECK(fault_of({{"attributes", {attribute("topologyManagerScope", "node")}}}) ==
          "NodeResourceTopology n0: attributes[0].value: \"node\" isn't a scope of a topology manager");
    for (const char* policy : {"", "none", "best-effort", "restricted"})
        CHECK(fault_of({{"attributes", {attribute("topologyManagerPolicy", policy)}}}) == "");
    const auto gone = decode(object(json::object()), Change::gone);
    REQUIRE(gone);
    CHECK(std::get<model::NodeZonesGone>(gone->at(0)).node == "n0");
}

model::Alignment alignment_of(const json& spec) {
    const json pod = {{"spec", spec}};
    FieldFault fault;
    model::Alignment alignment = pod_requests(Field(pod, fault)).alignment;
    CHECK(fault.sentence() == "");
    return alignment;
}

json container(json limits, json requests = nullptr) {
    return {{"name", "c"}, {"resources", {{"limits", std::move(limits)}, {"requests", std::move(requests)}}}};
}

TEST_CASE("a pod is Guaranteed if each container has limits for cpu and memory that its requests equal (NU2)") {
    const json limits = {{"cpu", "2"}, {"memory", "1Gi"}};
    CHECK(alignment_of({{"containers", {container(limits)}}}) == model::Alignment{.is_guaranteed = true});
    CHECK(alignment_of({{"containers", {container(limits, limits)}}}).is_guaranteed);
    CHECK_FALSE(alignment_of({{"containers", {container(limits, {{"cpu", "1"}})}}}).is_guaranteed);
    CHECK_FALSE(alignment_of({{"containers", {container({{"cpu", "2"}})}}}).is_guaranteed);
    CHECK_FALSE(alignment_of({{"containers", {container(nullptr, limits)}}}).is_guaranteed);
    CHECK_FALSE(alignment_of({{"containers", {container(limits), container(nullptr)}}}).is_guaranteed);
    CHECK_FALSE(
        alignment_of({{"containers", {container(limits)}}, {"initContainers", {container(nullptr)}}}).is_guaranteed);
    CHECK_FALSE(
        alignment_of({{"containers", {container(limits)}}, {"resources", {{"requests", limits}}}}).is_guaranteed);
}

TEST_CASE("containers are kept where one container doesn't make up the pod, and the kubelet may align them (NU2)") {
    using Kind = model::ContainerRequest::Kind;
    const json limits = {{"cpu", "2"}, {"memory", "1"}};
    json sidecar = container(limits);
    sidecar["restartPolicy"] = "Always";
    const model::Amounts amounts = {{"cpu", 2000}, {"memory", 1}};
    const model::Alignment several = alignment_of(
        {{"containers", {container(limits), container(limits)}}, {"initContainers", {sidecar, container(limits)}}});
    CHECK(several.containers == std::vector<model::ContainerRequest>{{.requests = amounts, .kind = Kind::sidecar},
                                                                     {.requests = amounts, .kind = Kind::init},
                                                                     {.requests = amounts},
                                                                     {.requests = amounts}});
    CHECK(alignment_of({{"containers", {container(limits)}}, {"overhead", {{"cpu", "1"}}}}).containers.size() == 1);
    CHECK(alignment_of({{"containers", {container({{"x.com/gpu", "1"}}), container(nullptr)}}}).containers.size() == 2);
    CHECK(alignment_of({{"containers", {container({{"cpu", "1"}}), container(nullptr)}}}).containers.empty());
}

}  // namespace
}  // namespace echelon::kube
