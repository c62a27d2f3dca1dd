// Extended resources of classes (DR6).

#include "unit-tests/model/support/devices.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace devices_of_test;

constexpr const char* own_resource = "deviceclass.resource.kubernetes.io/gpu.example.com";

PodSeen asking(const std::string& name, const std::string& resource, std::int64_t amount = 1) {
    PodSeen seen{member(name, "a", 0)};
    seen.pod.pod_class.requests.set(resource, amount);
    return seen;
}

// Of `World::small_world` one device is big; a class for these has the resource "example.com/big", and the class of all
// has "example.com/gpu".
World world_of_two_classes() {
    auto world = small_world();
    auto slice = devices_of("n0", 2);
    for (auto& device : slice.devices)
        device.attributes["gpu.example.com/big"] = {.kind = DeviceAttribute::Kind::truth, .text = {}, .number = 0};
    slice.devices[0].attributes["gpu.example.com/big"].number = 1;
    world.apply(DeviceSliceSeen{slice});
    world.apply(DeviceClassSeen{{"gpu.example.com", {"device.driver == \"gpu.example.com\""}, "example.com/gpu"}});
    world.apply(
        DeviceClassSeen{{"big.example.com", {"device.attributes[\"gpu.example.com\"].big"}, "example.com/big"}});
    return world;
}

// Claims that kube-scheduler made for the resource of a class.
DeviceClaim made_for(const std::string& device_class, int device, const std::string& pod = {}) {
    auto claim = allocated("extended", device);
    claim.demand.reset();
    claim.pod = pod;
    claim.allocation->classes = {device_class};
    return claim;
}

bool fits(const World& world, const std::vector<std::string>& pods, const std::string& node = "n0") {
    Amounts all;
    for (const auto& pod : pods)
        all.add(world.cluster.pod("uid-" + pod)->pod_class.requests);
    for (const auto& [resource, amount] : all.entries()) {
        if (resource != "cpu" && resource != "pods" && world.left(node, resource) < amount)
            return false;
    }
    return true;
}

TEST_CASE("every class has an implicit extended resource, which nodes offer while a pod asks for it (DR6)") {
    auto world = small_world();
    CHECK(world.left("n0", own_resource) == 0);
    world.apply(Event{asking("a-0", own_resource)});
    CHECK(world.left("n0", own_resource) == 4);
    world.apply(DeviceClaimSeen{allocated("c", 0)});
    CHECK(world.left("n0", own_resource) == 3);
    world.apply(Event{from_template("a-1")});
    CHECK(world.wanted("a-1", own_resource) == 1);
    world.apply(PodGone{"uid-a-0"});
    CHECK(world.left("n0", own_resource) == 0);
    CHECK(world.wanted("a-1", own_resource) == 0);
}

TEST_CASE("the extended resource of a class that doesn't exist is named like devices of the class (DR4, DR6)") {
    World world;
    world.apply(NodeSeen{node("n0")});
    world.apply(DeviceSliceSeen{devices_of("n0", 4)});
    world.apply(GroupSeen{leaf("a", 1)});
    world.apply(Event{asking("a-0", own_resource)});
    const std::string absent = std::string(of_class) + ", which doesn't exist";
    CHECK(world.wanted("a-0", absent) == 1);
    const auto change = world.apply(DeviceClassSeen{{"gpu.example.com", {}, {}}});
    CHECK(change.gangs.contains(leaf_key("a")));
    CHECK(world.wanted("a-0", absent) == 0);
    CHECK(world.left("n0", own_resource) == 4);
}

TEST_CASE("of classes with one extended resource the newest counts alone, else the first by name (DR6)") {
    for (const std::int64_t created : {0, 1}) {
        auto world = small_world();
        auto slice = devices_of("n0", 2);
        slice.name = slice.driver = slice.pool = "nic.example.com";
        world.apply(DeviceSliceSeen{slice});
        const std::vector<std::string> of_gpu = {"device.driver == \"gpu.example.com\""};
        const std::vector<std::string> of_nic = {"device.driver == \"nic.example.com\""};
        world.apply(DeviceClassSeen{{"gpu.example.com", of_gpu, "example.com/any"}});
        world.apply(DeviceClassSeen{{"nic.example.com", of_nic, "example.com/any", created}});
        CHECK(world.left("n0", "example.com/any") == (created == 0 ? 4 : 2));
        world.apply(Event{from_template("a-0")});
        CHECK(world.wanted("a-0", "example.com/any") == (created == 0 ? 1 : 0));
        world.apply(DeviceClassGone{"nic.example.com"});
        CHECK(world.left("n0", "example.com/any") == 4);
    }
}

TEST_CASE("a device that was taken by one extended resource is taken for the others (DR6)") {
    auto world = world_of_two_classes();
    auto runs = bound(pod("p", 0), "n0");
    runs.pod_class.requests.set("example.com/gpu", 1);
    world.apply(PodSeen{runs});
    world.apply(DeviceClaimSeen{made_for("gpu.example.com", 0)});
    CHECK(world.left("n0", "example.com/gpu") == 1);
    CHECK(world.left("n0", "example.com/big") == 0);
    world.apply(DeviceClaimGone{"default", "extended"});
    CHECK(world.left("n0", "example.com/big") == 1);
}

TEST_CASE("pods that ask by several extended resources, and by claims, share the devices behind them (DR3, DR6)") {
    auto world = world_of_two_classes();
    world.apply(Event{asking("a-0", "example.com/gpu")});
    world.apply(Event{asking("a-1", "example.com/gpu")});
    CHECK(fits(world, {"a-0", "a-1"}));
    CHECK(world.cluster.pod("uid-a-0")->pod_class.requests.entries().size() ==
          asking("a-0", "example.com/gpu").pod.pod_class.requests.entries().size());
    world.apply(Event{asking("a-2", "example.com/big")});
    CHECK(fits(world, {"a-0", "a-2"}));
    CHECK_FALSE(fits(world, {"a-0", "a-1", "a-2"}));
    world.apply(PodGone{"uid-a-2"});
    world.apply(Event{from_template("a-3")});  // A claim of the class.
    CHECK(fits(world, {"a-0", "a-3"}));
    CHECK_FALSE(fits(world, {"a-0", "a-1", "a-3"}));
    auto other = demand(1);  // And one of another class of the same devices.
    other.requests[0].device_class = "other.example.com";
    world.apply(DeviceClassSeen{{"other.example.com", {"device.driver == \"gpu.example.com\""}, {}}});
    world.apply(DeviceTemplateSeen{{"default", "one", other}});
    CHECK(fits(world, {"a-0", "a-3"}));
    CHECK_FALSE(fits(world, {"a-0", "a-1", "a-3"}));
    world.apply(PodGone{"uid-a-3"});
    CHECK(fits(world, {"a-0", "a-1"}));
}

TEST_CASE("nodes whose device plugin has the resource serve it beside pods with claims (DR6)") {
    auto world = world_of_two_classes();
    auto with_plugin = node("n1");
    with_plugin.allocatable.set("example.com/gpu", 2);
    world.apply(NodeSeen{with_plugin});
    for (const auto* name : {"a-0", "a-1"})
        world.apply(Event{asking(name, "example.com/gpu")});
    CHECK(fits(world, {"a-0", "a-1"}, "n1"));
    world.apply(Event{from_template("a-2")});
    CHECK(fits(world, {"a-0", "a-1"}, "n1"));
    CHECK_FALSE(fits(world, {"a-2"}, "n1"));
    with_plugin.name = "n2";
    world.apply(NodeSeen{with_plugin});
    CHECK(fits(world, {"a-0", "a-1"}, "n2"));
    world.apply(PodGone{"uid-a-2"});
    CHECK(fits(world, {"a-0", "a-1"}, "n1"));
}

TEST_CASE("a pod asks for its extended resource alone once it has the devices (DR6)") {
    auto world = world_of_two_classes();
    world.apply(Event{asking("a-0", "example.com/gpu")});
    world.apply(Event{asking("a-1", "example.com/gpu")});
    world.apply(Event{from_template("a-2")});
    CHECK_FALSE(fits(world, {"a-0", "a-1", "a-2"}));
    world.apply(DeviceClaimSeen{made_for("gpu.example.com", 0, "uid-a-0")});
    CHECK(fits(world, {"a-0", "a-1"}));
    CHECK_FALSE(fits(world, {"a-1", "a-2"}));
    world.apply(DeviceClaimGone{"default", "extended"});
    CHECK(fits(world, {"a-1", "a-2"}));
    CHECK_FALSE(fits(world, {"a-0", "a-1", "a-2"}));
}

TEST_CASE("a class that comes after the pods serves their extended resource (DR6)") {
    auto world = small_world();
    for (const auto* name : {"a-0", "a-1", "a-2", "a-3"})
        world.apply(Event{asking(name, "example.com/gpu")});
    world.apply(Event{from_template("a-4")});
    world.apply(DeviceClassSeen{{"gpu.example.com", {"device.driver == \"gpu.example.com\""}, "example.com/gpu"}});
    CHECK(fits(world, {"a-0", "a-1", "a-2", "a-3"}));
    CHECK_FALSE(fits(world, {"a-0", "a-1", "a-2", "a-3", "a-4"}));
    World again;
    for (const auto& event : world.cluster.events())
        again.apply(event);
    CHECK_FALSE(fits(again, {"a-0", "a-1", "a-2", "a-3", "a-4"}));
    CHECK(again.cluster.pod("uid-a-0")->pod_class == world.cluster.pod("uid-a-0")->pod_class);
}

}  // namespace
}  // namespace echelon::model
