#pragma once

// How does a test make devices, claims for them, and a cluster that counts them?

#include "unit-tests/model/support/facts.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::model::devices_of_test {

using namespace facts;  // NOLINT(google-build-using-namespace): helpers of the same tests.

inline constexpr const char* of_class = "devices of class gpu.example.com";

inline DeviceSlice devices_of(const std::string& node, int count) {
    DeviceSlice slice{.name = "slice-" + node,
                      .driver = "gpu.example.com",
                      .pool = node,
                      .generation = 1,
                      .slice_count = 1,
                      .node = node,
                      .devices = {}};
    for (int number = 0; number < count; ++number)
        slice.devices.emplace_back().name = fmt::format("gpu-{}", number);
    return slice;
}

inline DeviceDemand demand(std::int64_t count, std::vector<std::string> selectors = {}) {
    DeviceRequest request;
    request.name = "gpu";
    request.device_class = "gpu.example.com";
    request.count = count;
    request.selectors = std::move(selectors);
    return {{request}, {}};
}

inline PodSeen claiming(const std::string& name, const std::string& group, PodClaim claim) {
    PodSeen seen{member(name, group, 0)};
    seen.claims = {std::move(claim)};
    return seen;
}

inline PodSeen from_template(const std::string& name, const std::string& group = "a") {
    return claiming(name, group, {.name = "gpu", .claim = {}, .claim_template = "one"});
}

struct World {
    Cluster cluster{Profiles{{"default-scheduler", {}}}};

    Change apply(const Event& event) { return cluster.apply(event); }
    [[nodiscard]] std::int64_t left(const std::string& node, const std::string& what = of_class) const {
        const auto left = cluster.left_on(node, {{what, 1}});
        return left.empty() ? -1 : left.front().second;
    }
    [[nodiscard]] Gang gang(const std::string& name = "a") {
        static_cast<void>(cluster.resolve());
        return cluster.gang(leaf_key(name), cluster.snapshot());
    }
    [[nodiscard]] std::int64_t wanted(const std::string& pod, const std::string& what = of_class) const {
        return cluster.pod("uid-" + pod)->pod_class.requests.of(what);
    }
};

// A node with four devices, a class of all, a template for one.
inline World small_world() {
    World world;
    world.apply(NodeSeen{node("n0")});
    world.apply(DeviceClassSeen{{"gpu.example.com", {"device.driver == \"gpu.example.com\""}, {}}});
    world.apply(DeviceSliceSeen{devices_of("n0", 4)});
    world.apply(DeviceTemplateSeen{{"default", "one", demand(1)}});
    world.apply(GroupSeen{leaf("a", 2)});
    return world;
}

inline DeviceClaim allocated(const std::string& name, int device, const std::string& node = "n0") {
    DeviceClaim claim{.ns = "default", .name = name, .uid = "uid-" + name, .demand = demand(1), .allocation = {}};
    claim.allocation = DeviceAllocation{
        .devices = {{"gpu.example.com", node, fmt::format("gpu-{}", device)}},
        .nodes =
            std::vector<NodeTerm>{{.labels = {}, .fields = {{"metadata.name", Requirement::Operator::in, {node}}}}}};
    return claim;
}

}  // namespace echelon::model::devices_of_test
