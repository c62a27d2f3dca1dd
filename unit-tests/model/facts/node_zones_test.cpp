// Which parts of a pod must each fit into one NUMA zone (NU2).

#include "model/facts/node_zones.hpp"

#include <string>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

NodeZones zones(ZoneScope scope, const Amounts& allocatable) {
    return {.node = "n0",
            .is_single_numa_node = true,
            .scope = scope,
            .zones = {{.name = "node-0", .allocatable = {}, .available = {}},
                      {.name = "node-1", .allocatable = allocatable, .available = {}}}};
}

TEST_CASE("what is aligned depends on the pod's QoS class, on whole CPUs and on what zones can give (NU2)") {
    struct Row {
        std::string name;
        Amounts requests;
        bool is_guaranteed;
        ZoneParts parts;
    };
    const Amounts of_zone = {{"cpu", 8000}, {"memory", 16 * gib}, {"hugepages-1Gi", 4 * gib}, {"x.com/gpu", 4}};
    const Row rows[] = {
        {"all of a Guaranteed pod",
         {{"cpu", 2000}, {"memory", gib}, {"hugepages-1Gi", gib}, {"x.com/gpu", 1}, {"pods", 1}},
         true,
         {{{"cpu", 2000}, {"memory", gib}, {"hugepages-1Gi", gib}, {"x.com/gpu", 1}}}},
        {"devices of any pod",
         {{"cpu", 2000}, {"memory", gib}, {"x.com/gpu", 1}, {"pods", 1}},
         false,
         {{{"x.com/gpu", 1}}}},
        {"no part of a CPU", {{"cpu", 2500}, {"memory", gib}, {"pods", 1}}, true, {{{"memory", gib}}}},
        {"nothing", {{"cpu", 2000}, {"memory", gib}, {"pods", 1}}, false, {}},
        {"nothing that no zone gives", {{"x.com/nic", 1}, {"ephemeral-storage", gib}, {"pods", 1}}, true, {}},
    };
    for (const ZoneScope scope : {ZoneScope::pod, ZoneScope::container}) {
        for (const Row& row : rows) {
            CAPTURE(row.name);
            CHECK(zone_parts(row.requests, {.is_guaranteed = row.is_guaranteed}, zones(scope, of_zone)) == row.parts);
        }
    }
    CHECK(zone_parts({{"cpu", 2000}}, {.is_guaranteed = true}, zones(ZoneScope::pod, {{"x.com/gpu", 4}})).empty());
}

TEST_CASE("by scope container each container that runs on is a part; by scope pod the largest moment is one (NU2)") {
    using Kind = ContainerRequest::Kind;
    const Amounts of_zone = {{"cpu", 64'000}};
    const Amounts requests = {{"cpu", 10'000}};
    Alignment alignment{.is_guaranteed = true,
                        .containers = {{.requests = {{"cpu", 1000}}, .kind = Kind::sidecar},
                                       {.requests = {{"cpu", 9000}}, .kind = Kind::init},
                                       {.requests = {{"cpu", 3000}}},
                                       {.requests = {{"cpu", 1500}}},
                                       {.requests = {{"cpu", 2000}}}}};
    CHECK(zone_parts(requests, alignment, zones(ZoneScope::container, of_zone)) ==
          ZoneParts{{{"cpu", 1000}}, {{"cpu", 2000}}, {{"cpu", 3000}}});
    CHECK(zone_parts(requests, alignment, zones(ZoneScope::pod, of_zone)) == ZoneParts{{{"cpu", 10'000}}});
    alignment.containers[1].requests = {{"cpu", 2000}};
    CHECK(zone_parts(requests, alignment, zones(ZoneScope::pod, of_zone)) == ZoneParts{{{"cpu", 6000}}});
}

TEST_CASE("zones bind planning by the policy single-numa-node alone (NU1)") {
    NodeZones some = zones(ZoneScope::pod, {{"cpu", 1000}});
    CHECK(some.bind());
    some.is_single_numa_node = false;
    CHECK_FALSE(some.bind());
    some = zones(ZoneScope::pod, {});
    some.zones.clear();
    CHECK_FALSE(some.bind());
}

}  // namespace
}  // namespace echelon::model
