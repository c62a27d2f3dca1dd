// Objects of resource.k8s.io and the claims of pods, from JSON (DR1, DR3, DR4).

#include "kube/decode.hpp"

#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using nlohmann::json;

template <typename Seen>
Seen read(const std::string& version, const std::string& kind, json body, json metadata = json::object()) {
    metadata["name"] = "x";
    body["apiVersion"] = "resource.k8s.io/" + version;
    body["kind"] = kind;
    body["metadata"] = std::move(metadata);
    const auto events = decode(body, Change::seen);
    REQUIRE_MESSAGE(events, (events ? "" : events.error().sentence));
    return std::get<Seen>(events->front());
}

const json device = json::parse(R"({
    "attributes": {"model": {"string": "H100"}, "other.com/index": {"int": 3}, "ok": {"bool": true}, "v": {"version": "1.2.3"},
                   "several": {"strings": ["a", "b"]}},
    "capacity": {"memory": {"value": "80Gi"}},
    "taints": [{"key": "broken", "effect": "NoSchedule"}, {"key": "told", "effect": "None"}]})");

json slice_with(json item) {
    return {{"spec",
             {{"driver", "gpu.example.com"},
              {"nodeName", "n0"},
              {"pool", {{"name", "p"}, {"generation", 4}, {"resourceSliceCount", 2}}},
              {"devices", {std::move(item)}}}}};
}

TEST_CASE("a ResourceSlice says the same in every version (DR1)") {
    json plain = device;
    plain["name"] = "gpu-0";
    const json nested{{"name", "gpu-0"}, {"basic", device}};
    const auto slice = read<model::DeviceSliceSeen>("v1", "ResourceSlice", slice_with(plain)).slice;
    CHECK(slice == read<model::DeviceSliceSeen>("v1beta2", "ResourceSlice", slice_with(plain)).slice);
    CHECK(slice == read<model::DeviceSliceSeen>("v1beta1", "ResourceSlice", slice_with(nested)).slice);
    CHECK(slice.driver == "gpu.example.com");
    CHECK(slice.pool == "p");
    CHECK(slice.node == "n0");
    CHECK(slice.generation == 4);
    CHECK(slice.slice_count == 2);
    REQUIRE(slice.devices.size() == 1);
    const auto& read_device = slice.devices.front();
    CHECK(read_device.name == "gpu-0");
    REQUIRE(read_device.attributes.size() == 4);
    CHECK(read_device.attributes.at("gpu.example.com/model").text == "H100");
    CHECK(read_device.attributes.at("other.com/index").number == 3);
    CHECK(read_device.attributes.at("gpu.example.com/ok").kind == model::DeviceAttribute::Kind::truth);
    CHECK(read_device.attributes.at("gpu.example.com/v").kind == model::DeviceAttribute::Kind::version);
    CHECK(read_device.capacity.at("gpu.example.com/memory") == 80LL * 1024 * 1024 * 1024 * 1000);
    REQUIRE(read_device.taints.size() == 1);
    CHECK(read_device.taints.front().key == "broken");
}

TEST_CASE("a ResourceSlice that isn't of one node, and devices that aren't counted, are marked (DR3)") {
    json body = slice_with({{"name", "a"}, {"allowMultipleAllocations", true}});
    body["spec"].erase("nodeName");
    body["spec"]["allNodes"] = true;
    const auto slice = read<model::DeviceSliceSeen>("v1", "ResourceSlice", body).slice;
    CHECK(slice.node.empty());
    CHECK(slice.devices.front().is_of_many_nodes);
    CHECK(slice.devices.front().is_shared);
    body["spec"].erase("allNodes");
    body["spec"]["perDeviceNodeSelection"] = true;
    body["spec"]["devices"] = {{{"name", "a"}, {"nodeName", "n7"}}};
    const auto each = read<model::DeviceSliceSeen>("v1", "ResourceSlice", body).slice.devices.front();
    CHECK(each.node == "n7");
    CHECK_FALSE(each.is_of_many_nodes);
}

TEST_CASE("a DeviceClass has selectors and perhaps an extended resource (DR2, DR6)") {
    const json body{
        {"spec", {{"selectors", {{{"cel", {{"expression", "true"}}}}}}, {"extendedResourceName", "a.com/gpu"}}}};
    const auto seen = read<model::DeviceClassSeen>("v1", "DeviceClass", body).device_class;
    CHECK(seen.selectors == std::vector<std::string>{"true"});
    CHECK(seen.extended_resource == "a.com/gpu");
    CHECK(seen.created == 0);
    const json dated{{"creationTimestamp", "1970-01-01T00:01:00Z"}};
    CHECK(read<model::DeviceClassSeen>("v1", "DeviceClass", body, dated).device_class.created == 60);
}

TEST_CASE("a claim for extended resources says of which pod and class it is (DR6)") {
    json metadata = json::parse(R"({
        "annotations": {"resource.kubernetes.io/extended-resource-claim": "true"},
        "ownerReferences": [{"kind": "Pod", "uid": "other"}, {"kind": "Pod", "uid": "p", "controller": true}]})");
    const json body = json::parse(R"({
        "spec": {"devices": {"requests": [{"name": "r0", "exactly": {"deviceClassName": "a"}},
                                          {"name": "r1", "exactly": {"deviceClassName": "b"}}]}},
        "status": {"allocation": {"devices": {"results": [
            {"request": "r1", "driver": "d", "pool": "p", "device": "x"},
            {"request": "r0", "driver": "d", "pool": "p", "device": "y"}]}}}})");
    const auto claim = read<model::DeviceClaimSeen>("v1", "ResourceClaim", body, metadata).claim;
    CHECK_FALSE(claim.demand);
    CHECK(claim.pod == "p");
    REQUIRE(claim.allocation);
    CHECK(claim.allocation->classes == std::vector<std::string>{"b", "a"});
    CHECK_FALSE(claim.is_deleted);
    metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    CHECK(read<model::DeviceClaimSeen>("v1", "ResourceClaim", body, metadata).claim.is_deleted);
    metadata.erase("annotations");
    const auto own = read<model::DeviceClaimSeen>("v1", "ResourceClaim", body, metadata).claim;
    CHECK(own.pod.empty());
    CHECK(own.allocation->classes.empty());
}

TEST_CASE("a ResourceClaim asks, and gets (DR3, DR4)") {
    const json exactly{{"deviceClassName", "c"},
                       {"count", 2},
                       {"selectors", {{{"cel", {{"expression", "true"}}}}}},
                       {"tolerations", {{{"key", "broken"}, {"operator", "Exists"}}}}};
    json flat = exactly;
    flat["name"] = "r";
    json body{{"spec", {{"devices", {{"requests", {{{"name", "r"}, {"exactly", exactly}}}}}}}}};
    const auto claim = read<model::DeviceClaimSeen>("v1", "ResourceClaim", body).claim;
    CHECK_FALSE(claim.allocation);
    REQUIRE(claim.demand);
    REQUIRE(claim.demand->requests.size() == 1);
    const auto& request = claim.demand->requests.front();
    CHECK(request.name == "r");
    CHECK(request.device_class == "c");
    CHECK(request.count == 2);
    CHECK(request.selectors.size() == 1);
    CHECK(request.tolerations.size() == 1);
    body["spec"]["devices"]["requests"] = {flat};
    CHECK(read<model::DeviceClaimSeen>("v1beta1", "ResourceClaim", body).claim == claim);
    body["status"] = json::parse(R"({"allocation": {
        "devices": {"results": [{"request": "r", "driver": "d", "pool": "p", "device": "a"},
                                {"request": "r", "driver": "d", "pool": "p", "device": "b", "adminAccess": true}]},
        "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n0"]}]}]}}})");
    const auto got = read<model::DeviceClaimSeen>("v1", "ResourceClaim", body).claim;
    REQUIRE(got.allocation);
    CHECK(got.allocation->devices == std::vector<model::AllocatedDevice>{{"d", "p", "a"}});
    REQUIRE(got.allocation->nodes);
    CHECK(got.allocation->nodes->front().fields.front().values == std::vector<std::string>{"n0"});
}

TEST_CASE("what isn't counted in a claim is said (DR5)") {
    const auto why = [](json item) {
        item["name"] = "r";
        const json body{{"spec", {{"devices", {{"requests", {std::move(item)}}}}}}};
        return read<model::DeviceClaimSeen>("v1", "ResourceClaim", body).claim.demand->requests.front().not_understood;
    };
    CHECK(why({{"firstAvailable", json::array()}}) == "it has no alternatives (firstAvailable)");
    const auto among = [&why](const json& second) {
        return why({{"firstAvailable", {{{"name", "a"}, {"deviceClassName", "c"}}, second}}});
    };
    CHECK(among({{"name", "b"}, {"deviceClassName", "d"}, {"count", 1}}).empty());
    CHECK(
        among(
            json::parse(
                R"({"name": "b", "deviceClassName": "d", "tolerations": [{"operator": "Exists", "effect": "None"}]})"))
            .empty());
    CHECK(among({{"name", "b"}, {"deviceClassName", "d"}, {"count", 2}}).empty());
    CHECK(among({{"name", "b"}, {"deviceClassName", "d"}, {"allocationMode", "All"}}).empty());
    CHECK(among({{"name", "b"}, {"deviceClassName", "d"}, {"capacity", json::object()}}) ==
          "it asks for a part of a device (capacity)");
    CHECK(why({{"exactly", {{"deviceClassName", "c"}, {"allocationMode", "Some"}}}}) == "allocationMode \"Some\"");
    CHECK(why({{"exactly", {{"deviceClassName", "c"}, {"capacity", json::object()}}}}) ==
          "it asks for a part of a device (capacity)");
    CHECK(why({{"exactly", {{"deviceClassName", "c"}, {"derivedAttributes", json::array()}}}}) ==
          "it has derived attributes");
    CHECK(why({{"exactly", {{"deviceClassName", "c"}, {"allocationMode", "All"}}}}).empty());
    const json body =
        json::parse(R"({"spec": {"devices": {"requests": [], "constraints": [{"newAttribute": "a/b"}]}}})");
    CHECK(read<model::DeviceClaimSeen>("v1", "ResourceClaim", body).claim.demand->constraint ==
          "a constraint among them");
}

TEST_CASE("a claim whose requests would take long to judge on each device is left to kube-scheduler (BD1, DR5)") {
    const auto demand_of = [](int selectors, const std::string& text) {
        json request{{"name", "r"}, {"exactly", {{"deviceClassName", "c"}, {"selectors", json::array()}}}};
        for (int i = 0; i < selectors; ++i)
            request["exactly"]["selectors"].push_back({{"cel", {{"expression", text}}}});
        const json body{
            {"spec",
             {{"devices", {{"requests", {request, {{"name", "s"}, {"exactly", {{"deviceClassName", "c"}}}}}}}}}}};
        return *read<model::DeviceClaimSeen>("v1", "ResourceClaim", body).claim.demand;
    };
    const std::string why =
        "spec.devices.requests of the claim have more than 256 parts, or 16384 bytes, of selectors and tolerations";
    CHECK(demand_of(51, "1 == 1 || true").requests[0].not_understood.empty());  // 5 parts each.
    for (const auto& [selectors, text] : {std::pair(52, std::string("1 == 1 || true")),
                                          {257, "true"},
                                          {257, "x"},
                                          {2, '"' + std::string(9'000, 'x') + '"'}}) {
        const auto demand = demand_of(selectors, text);
        REQUIRE(demand.requests.size() == 2);
        for (const auto& request : demand.requests) {
            CHECK(request.not_understood == why);
            CHECK(request.selectors.empty());
        }
        CHECK(demand.requests[1].name == "s");
    }
    json tolerant{{"deviceClassName", "c"}, {"tolerations", json::array()}};
    for (int i = 0; i < 257; ++i)
        tolerant["tolerations"].push_back({{"key", std::to_string(i)}, {"operator", "Exists"}});
    const json body{
        {"spec",
         {{"devices",
           {{"requests",
             {{{"name", "r"}, {"firstAvailable", {{{"name", "a"}, {"deviceClassName", "c"}}, tolerant}}}}}}}}}};
    CHECK(read<model::DeviceClaimSeen>("v1", "ResourceClaim", body).claim.demand->requests[0].not_understood == why);
}

TEST_CASE("alternatives keep their names and numbers, and constraints what they are about (DR3)") {
    const json body = json::parse(R"({"spec": {"devices": {
        "requests": [{"name": "r", "firstAvailable": [{"name": "big", "deviceClassName": "c"},
                                                      {"name": "small", "deviceClassName": "d", "count": 2}]}],
        "constraints": [{"matchAttribute": "a/b"}, {"distinctAttribute": "a/c", "requests": ["r/big", "s"]}]}}})");
    const auto demand = *read<model::DeviceClaimSeen>("v1", "ResourceClaim", body).claim.demand;
    REQUIRE(demand.requests.size() == 1);
    CHECK(demand.requests[0].choice == "big");
    CHECK(demand.requests[0].count == 1);
    REQUIRE(demand.requests[0].alternatives.size() == 1);
    CHECK(demand.requests[0].alternatives[0].choice == "small");
    CHECK(demand.requests[0].alternatives[0].count == 2);
    CHECK(demand.constraint.empty());
    CHECK(demand.constraints ==
          std::vector<model::DeviceConstraint>{{.attribute = "a/b", .is_distinct = false, .requests = {}},
                                               {.attribute = "a/c", .is_distinct = true, .requests = {"r/big", "s"}}});
}

TEST_CASE("partitions and the counters that they share are read (DR3)") {
    json body = slice_with(
        {{"name", "a"},
         {"consumesCounters", {{{"counterSet", "gpu-0"}, {"counters", {{"memory", {{"value", "10Gi"}}}}}}}}});
    body["spec"]["sharedCounters"] = {
        {{"name", "gpu-0"}, {"counters", {{"memory", {{"value", "80Gi"}}}, {"engines", {{"value", "7"}}}}}}};
    const auto slice = read<model::DeviceSliceSeen>("v1", "ResourceSlice", body).slice;
    constexpr std::int64_t gibibyte = 1024LL * 1024 * 1024 * 1000;  // In thousandths.
    CHECK(slice.devices.front().counters == std::vector<model::DeviceCounter>{{"gpu-0", "memory", 10 * gibibyte}});
    CHECK(slice.counters ==
          std::vector<model::DeviceCounter>{{"gpu-0", "engines", 7'000}, {"gpu-0", "memory", 80 * gibibyte}});
}

TEST_CASE("a DeviceTaintRule says which devices get which taint (DR1)") {
    const json spec = json::parse(R"({"spec": {"deviceSelector": {"driver": "d", "pool": "p", "device": "gpu-0"},
                                               "taint": {"key": "broken", "value": "yes", "effect": "NoExecute"}}})");
    for (const char* version : {"v1", "v1beta2", "v1alpha3"}) {
        const auto rule = read<model::DeviceTaintRuleSeen>(version, "DeviceTaintRule", spec).rule;
        CHECK(rule.name == "x");
        CHECK(rule.driver == "d");
        CHECK(rule.pool == "p");
        CHECK(rule.device == "gpu-0");
        CHECK(rule.taint == model::Taint{"broken", "yes", model::TaintEffect::no_execute});
    }
    const json all = json::parse(R"({"spec": {"taint": {"key": "told", "effect": "None"}}})");
    const auto rule = read<model::DeviceTaintRuleSeen>("v1", "DeviceTaintRule", all).rule;
    CHECK_FALSE(rule.driver);
    CHECK_FALSE(rule.device);
    CHECK_FALSE(rule.taint);
    json by_class = spec;
    by_class["apiVersion"] = "resource.k8s.io/v1alpha3";
    by_class["kind"] = "DeviceTaintRule";
    by_class["metadata"] = {{"name", "x"}};
    by_class["spec"]["deviceSelector"]["deviceClassName"] = "c";
    const auto refused = decode(by_class, Change::seen);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().sentence.find("spec.deviceSelector.deviceClassName: devices can only be selected by driver, "
                                        "pool and name") != std::string::npos);
}

TEST_CASE("a claim that kube-scheduler made for an extended resource asks for nothing beside it (DR6)") {
    const auto claim =
        read<model::DeviceClaimSeen>("v1", "ResourceClaim", json::object(),
                                     {{"annotations", {{"resource.kubernetes.io/extended-resource-claim", "true"}}}})
            .claim;
    CHECK_FALSE(claim.demand);
}

TEST_CASE("a pod names its claims; those of templates have a name once they exist (DR4)") {
    const json pod = json::parse(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
        "spec": {"resourceClaims": [{"name": "a", "resourceClaimName": "own"}, {"name": "b", "resourceClaimTemplateName": "t"},
                                    {"name": "c", "resourceClaimTemplateName": "u"}]},
        "status": {"resourceClaimStatuses": [{"name": "b", "resourceClaimName": "p-b-x"}]}})");
    const auto events = decode(pod, Change::seen);
    REQUIRE(events);
    const auto& claims = std::get<model::PodSeen>(events->front()).claims;
    REQUIRE(claims.size() == 3);
    CHECK(claims[0] == model::PodClaim{"a", "own", ""});
    CHECK(claims[1] == model::PodClaim{"b", "p-b-x", "t"});
    CHECK(claims[2] == model::PodClaim{"c", "", "u"});
}

TEST_CASE("objects of devices go by their names") {
    const auto gone = [](const std::string& kind) {
        const json body{
            {"apiVersion", "resource.k8s.io/v1"}, {"kind", kind}, {"metadata", {{"name", "x"}, {"namespace", "ns"}}}};
        const auto events = decode(body, Change::gone);
        REQUIRE(events);
        return events->front();
    };
    CHECK(std::get<model::DeviceSliceGone>(gone("ResourceSlice")).name == "x");
    CHECK(std::get<model::DeviceClassGone>(gone("DeviceClass")).name == "x");
    CHECK(std::get<model::DeviceClaimGone>(gone("ResourceClaim")).ns == "ns");
    CHECK(std::get<model::DeviceTemplateGone>(gone("ResourceClaimTemplate")).name == "x");
    CHECK(std::get<model::DeviceTaintRuleGone>(gone("DeviceTaintRule")).name == "x");
}

}  // namespace
}  // namespace echelon::kube
