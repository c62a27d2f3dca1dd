// Requests with admin access to devices that others may have (DR3, DR4).

#include "unit-tests/model/support/devices.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace devices_of_test;

constexpr const char* of_admin = "admin access to devices of class gpu.example.com";

World world_of_admin(std::int64_t count) {
    auto world = small_world();
    auto admin = demand(count);
    admin.requests[0].admin_access = true;
    world.apply(DeviceTemplateSeen{{"default", "one", admin}});
    return world;
}

TEST_CASE("admin access takes nothing (DR3)") {
    auto world = world_of_admin(1);
    world.apply(Event{from_template("a-0")});
    world.apply(Event{from_template("a-1")});
    CHECK(world.wanted("a-0") == 0);
    CHECK(world.gang().warnings.empty());
}

TEST_CASE("admin access needs a node that has such a device, taken or not (DR3)") {
    auto world = world_of_admin(1);
    world.apply(NodeSeen{node("n1")});
    CHECK(world.left("n0", of_admin) == 0);
    world.apply(Event{from_template("a-0")});
    CHECK(world.wanted("a-0", of_admin) == 1);
    CHECK(world.left("n0", of_admin) > 100);  // For any number of pods.
    CHECK(world.left("n1", of_admin) == 0);
    world.apply(DeviceSliceSeen{devices_of("n0", 1)});
    world.apply(DeviceClaimSeen{allocated("c", 0)});
    CHECK(world.left("n0", of_admin) > 100);
    world.apply(DeviceSliceGone{"slice-n0"});
    CHECK(world.left("n0", of_admin) == 0);
    world.apply(PodGone{"uid-a-0"});
    world.apply(DeviceSliceSeen{devices_of("n0", 1)});
    CHECK(world.left("n0", of_admin) == 0);
}

TEST_CASE("admin access to several devices is left to kube-scheduler in part (DR3, DR5)") {
    auto world = world_of_admin(2);
    world.apply(Event{from_template("a-0")});
    world.apply(Event{from_template("a-1")});
    CHECK(world.wanted("a-0", of_admin) == 1);
    CHECK(world.gang().warnings == std::vector<std::string>{"devices of request \"gpu\" are left to kube-scheduler: it "
                                                            "has admin access to several devices"});
}

TEST_CASE("admin access beside another request of the pod is left to kube-scheduler in part (DR3, DR5)") {
    auto world = world_of_admin(1);
    auto both = demand(1);
    both.requests.push_back(both.requests.front());
    both.requests.back().name = "watch";
    both.requests.back().admin_access = true;
    world.apply(DeviceTemplateSeen{{"default", "one", both}});
    for (const auto* name : {"a-0", "a-1"})
        world.apply(Event{from_template(name)});
    CHECK(world.wanted("a-0") == 1);
    const auto gang = world.gang();
    CHECK(gang.warnings == std::vector<std::string>{"devices of request \"watch\" are left to kube-scheduler: it has "
                                                    "admin access beside other requests of its pod"});
    CHECK(gang.left_open == gang.warnings.front());
}

TEST_CASE("admin access to devices of a class that doesn't exist is room that no node has (DR4)") {
    auto world = world_of_admin(1);
    world.apply(DeviceClassGone{"gpu.example.com"});
    world.apply(Event{from_template("a-0")});
    CHECK(world.wanted("a-0", std::string(of_class) + ", which doesn't exist") == 1);
}

}  // namespace
}  // namespace echelon::model
