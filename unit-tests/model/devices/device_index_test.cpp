// What claims ask for and nodes offer, event by event (DR1 to DR6).

#include "model/devices/device_demand.hpp"
#include "unit-tests/model/support/devices.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::model {
namespace {

using namespace devices_of_test;

TEST_CASE("a node offers the devices in its slices, in whatever order slice, class and node come (DR1)") {
    const std::vector<Event> events = {NodeSeen{node("n0")}, DeviceClassSeen{{"gpu.example.com", {}, {}}},
                                       DeviceSliceSeen{devices_of("n0", 4)}};
    for (const auto& order : {std::vector{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
        World world;
        for (const auto at : order)
            world.apply(events[static_cast<std::size_t>(at)]);
        CHECK(world.left("n0") == 4);
        world.apply(events[0]);
        CHECK(world.left("n0") == 4);
    }
}

TEST_CASE("slices that go, and classes, take their devices with them (DR1)") {
    auto world = small_world();
    CHECK(world.left("n0") == 4);
    world.apply(DeviceSliceSeen{devices_of("n0", 3)});
    CHECK(world.left("n0") == 3);
    world.apply(DeviceClassGone{"gpu.example.com"});
    CHECK(world.left("n0") == 0);
    world.apply(DeviceClassSeen{{"gpu.example.com", {}, {}}});
    CHECK(world.left("n0") == 3);
    CHECK(world.left("n0", "gpu") == 8);  // What the node itself offers stays.
    world.apply(DeviceSliceGone{"slice-n0"});
    CHECK(world.left("n0") == 0);
    CHECK(world.left("n0", "gpu") == 8);
}

TEST_CASE("only the newest generation of a pool counts, and only if it is complete (DR1)") {
    auto world = small_world();
    auto half = devices_of("n0", 2);
    half.name = "slice-n0-new";
    half.generation = 2;
    half.slice_count = 2;
    world.apply(DeviceSliceSeen{half});
    CHECK(world.left("n0") == 0);
    auto other = half;
    other.name = "slice-n0-other";
    other.devices.front().name = "gpu-7";
    other.devices.back().name = "gpu-8";
    world.apply(DeviceSliceSeen{other});
    CHECK(world.left("n0") == 4);
    world.apply(DeviceSliceGone{"slice-n0-new"});
    CHECK(world.left("n0") == 0);
}

TEST_CASE("allocated devices are not free (DR1)") {
    auto world = small_world();
    const auto change = world.apply(DeviceClaimSeen{allocated("c", 0)});
    CHECK(change.nodes == std::set<std::string>{"n0"});
    CHECK(world.left("n0") == 3);
    const auto freed = world.apply(DeviceClaimGone{"default", "c"});
    CHECK(freed.may_free_room);
    CHECK(world.left("n0") == 4);
}

TEST_CASE("taints of devices count, unless a request tolerates them (DR1)") {
    auto world = small_world();
    auto slice = devices_of("n0", 4);
    slice.devices[0].taints = {{"broken", "", TaintEffect::no_schedule}};
    world.apply(DeviceSliceSeen{slice});
    CHECK(world.left("n0") == 3);
    auto tolerant = demand(1);
    tolerant.requests[0].tolerations = {{.key = "broken", .exists = true, .value = {}, .effect = {}}};
    world.apply(DeviceTemplateSeen{{"default", "one", tolerant}});
    world.apply(Event{from_template("a-0")});
    CHECK(world.left("n0", std::string(of_class) + " or " + of_class + " tolerating broken") == 4);
}

TEST_CASE("a pod asks for what its claim's template asks for, until the claim is allocated (DR3, DR4)") {
    auto world = small_world();
    world.apply(Event{from_template("a-0")});
    CHECK(world.wanted("a-0") == 1);
    auto named = from_template("a-0");
    named.claims[0].claim = "a-0-gpu";
    world.apply(named);
    CHECK(world.wanted("a-0") == 1);  // The claim isn't seen yet.
    const auto change = world.apply(DeviceClaimSeen{allocated("a-0-gpu", 2)});
    CHECK(change.gangs == std::set<GroupKey>{leaf_key("a")});
    CHECK(world.wanted("a-0") == 0);
    CHECK(world.left("n0") == 3);
    const auto& affinity = world.cluster.pod("uid-a-0")->pod_class.node_affinity;
    REQUIRE(affinity);
    CHECK(affinity->front().fields.front().values == std::vector<std::string>{"n0"});
    named.pod.node = "n0";
    named.pod.phase = PodPhase::running;
    world.apply(named);
    CHECK(world.left("n0") == 3);  // It isn't counted twice.
    world.apply(PodGone{"uid-a-0"});
    CHECK(world.left("n0") == 3);  // The claim has it until it goes.
}

TEST_CASE("a claim or template that doesn't exist makes the gang Incomplete, by name (DR4)") {
    auto world = small_world();
    world.apply(Event{from_template("a-0")});
    auto lacking = from_template("a-1");
    lacking.claims[0].claim_template = "two";
    world.apply(lacking);
    const auto gang = world.gang();
    REQUIRE(gang.problem);
    CHECK(gang.problem->reason == Reason::incomplete);
    CHECK(gang.problem->sentence ==
          "group \"default/a\" has 1 of at least 2 pods, 1 more wait for resource claim "
          "template \"default/two\", which doesn't exist yet");
    auto gated = from_template("a-2");
    gated.pod.gates = {"example.com/quota"};
    world.apply(gated);
    CHECK(world.gang().problem->sentence ==
          "group \"default/a\" has 1 of at least 2 pods, 1 more wait behind a scheduling gate, 1 more wait for "
          "resource claim template \"default/two\", which doesn't exist yet");
    for (const char* name : {"a-3", "a-4"}) {
        auto third = from_template(name);
        third.claims[0].claim_template = "three";
        world.apply(third);
    }
    CHECK(world.gang().problem->sentence.ends_with(
        "3 more wait for resource claim template \"default/three\", which doesn't exist yet, or for another one"));
    const auto change = world.apply(DeviceTemplateSeen{{"default", "two", demand(2)}});
    CHECK(change.gangs == std::set<GroupKey>{leaf_key("a")});
    CHECK_FALSE(world.gang().problem);
    CHECK(world.wanted("a-1") == 2);
}

TEST_CASE("a class that doesn't exist is room that no node has (DR4)") {
    World world;
    world.apply(NodeSeen{node("n0")});
    world.apply(DeviceTemplateSeen{{"default", "one", demand(1)}});
    world.apply(GroupSeen{leaf("a", 1)});
    world.apply(Event{from_template("a-0")});
    const std::string absent = "devices of class gpu.example.com, which doesn't exist";
    CHECK(world.wanted("a-0", absent) == 1);
    CHECK(is_of_missing_class(absent));
    CHECK_FALSE(is_of_missing_class("devices of class gpu.example.com"));
    CHECK_FALSE(is_of_missing_class("nvidia.com/gpu"));
    world.apply(DeviceClassSeen{{"gpu.example.com", {}, {}}});
    CHECK(world.wanted("a-0") == 1);
}

TEST_CASE("a request with alternatives takes a device of any of them (DR3)") {
    auto world = small_world();
    auto slice = devices_of("n0", 2);
    slice.name = slice.driver = slice.pool = "small.example.com";
    world.apply(DeviceSliceSeen{slice});
    auto either = demand(1);
    either.requests[0].alternatives = demand(1).requests;
    either.requests[0].alternatives[0].device_class = "small.example.com";
    world.apply(DeviceTemplateSeen{{"default", "one", either}});
    world.apply(Event{from_template("a-0")});
    CHECK(world.wanted("a-0", "devices of class small.example.com, which doesn't exist") == 1);
    world.apply(DeviceClassSeen{{"small.example.com", {"device.driver == \"small.example.com\""}, {}}});
    const std::string any = "devices of class gpu.example.com, else small.example.com";
    CHECK(world.wanted("a-0", any) == 1);
    CHECK(world.left("n0", any) == 6);
    CHECK(world.left("n0") == 4);
    CHECK(world.wanted("a-0") == 0);
    world.apply(
        DeviceClassSeen{{"small.example.com", {"device.driver == \"small.example.com\""}, "example.com/small"}});
    CHECK(world.wanted("a-0", any) == 0);
    CHECK(world.gang().warnings ==
          std::vector<std::string>{
              "devices of request \"gpu\" are left to kube-scheduler: the class of an alternative is "
              "an extended resource, too (firstAvailable)"});
}

TEST_CASE("pods that share a claim are kept together, and the claim counts once (DR4)") {
    auto world = small_world();
    DeviceClaim claim{.ns = "default", .name = "both", .uid = "u", .demand = demand(2), .allocation = {}};
    world.apply(DeviceClaimSeen{claim});
    for (const auto* name : {"a-0", "a-1"})
        world.apply(claiming(name, "a", {.name = "gpu", .claim = "both", .claim_template = {}}));
    CHECK(world.wanted("a-0") + world.wanted("a-1") == 2);
    CHECK(world.cluster.pod("uid-a-0")->terms.size() == 1);
    CHECK(world.cluster.pod("uid-a-0")->terms == world.cluster.pod("uid-a-1")->terms);
    world.apply(PodGone{"uid-a-0"});
    CHECK(world.wanted("a-1") == 2);
    CHECK(world.cluster.pod("uid-a-1")->terms.empty());
}

TEST_CASE("what isn't understood is named, and the rest is planned (DR5)") {
    auto world = small_world();
    auto two = demand(1, {"device.driver.startsWith(\"gpu\")"});
    two.requests[0].name = "odd";
    two.requests.push_back(demand(1).requests[0]);
    world.apply(DeviceTemplateSeen{{"default", "one", two}});
    world.apply(Event{from_template("a-0")});
    world.apply(Event{from_template("a-1")});
    CHECK(world.wanted("a-0") == 1);
    CHECK(world.gang().warnings == std::vector<std::string>{"devices of request \"odd\" are left to kube-scheduler: a "
                                                            "selector of its request has `startsWith()`"});
}

TEST_CASE("devices of several nodes and shared ones are left to kube-scheduler (DR3, DR5)") {
    const auto warning_with = [](auto change) {
        auto world = small_world();
        auto slice = devices_of("n0", 4);
        change(slice.devices[1]);
        world.apply(DeviceSliceSeen{slice});
        world.apply(Event{from_template("a-0")});
        CHECK(world.wanted("a-0") == 0);
        const auto warnings = world.gang().warnings;
        return warnings.empty() ? std::string() : warnings.front();
    };
    const std::string start = "devices of request \"gpu\" are left to kube-scheduler: its devices ";
    CHECK(warning_with([](Device& device) { device.is_of_many_nodes = true; }) == start + "belong to several nodes");
    CHECK(warning_with([](Device& device) { device.is_shared = true; }) == start + "are shared by several claims");
}

TEST_CASE("a request for all devices takes a node whose devices are all free (DR3)") {
    auto world = small_world();
    auto all = demand(1);
    all.requests[0].wants_all = true;
    world.apply(DeviceTemplateSeen{{"default", "one", all}});
    world.apply(Event{from_template("a-0")});
    const auto name = "all " + std::string(of_class);
    CHECK(world.wanted("a-0", name) == 1);
    CHECK(world.left("n0", name) == 1);
    world.apply(DeviceClaimSeen{allocated("c", 0)});
    CHECK(world.left("n0", name) == 0);
}

TEST_CASE("a node with a tainted device serves a request for all devices only if that tolerates the taint (DR3)") {
    auto world = small_world();
    auto all = demand(1);
    all.requests[0].wants_all = true;
    world.apply(DeviceTemplateSeen{{"default", "one", all}});
    world.apply(Event{from_template("a-0")});
    const auto name = "all " + std::string(of_class);
    auto slice = devices_of("n0", 4);
    slice.devices[0].taints = {{"broken", "", TaintEffect::no_schedule}};
    auto change = world.apply(DeviceSliceSeen{slice});
    CHECK(change.nodes == std::set<std::string>{"n0"});
    CHECK(world.left("n0", name) == 0);
    slice.devices[0].is_shared = true;  // Nor if the device is none that counts.
    world.apply(DeviceSliceSeen{slice});
    CHECK(world.left("n0", name) == 0);
    CHECK(world.gang().warnings.empty());
    change = world.apply(DeviceSliceSeen{devices_of("n0", 4)});
    CHECK(change.may_free_room);
    CHECK(world.left("n0", name) == 1);
    const Taint broken{.key = "broken", .value = "", .effect = TaintEffect::no_execute};
    world.apply(DeviceTaintRuleSeen{{.name = "r", .driver = {}, .pool = {}, .device = "gpu-3", .taint = broken}});
    CHECK(world.left("n0", name) == 0);
    all.requests[0].tolerations = {{.key = "broken", .exists = true, .value = {}, .effect = {}}};
    world.apply(DeviceTemplateSeen{{"default", "one", all}});
    CHECK(world.left("n0", name + " tolerating broken") == 1);
    world.apply(DeviceTaintRuleGone{"r"});
    CHECK(world.left("n0", name + " tolerating broken") == 1);
}

TEST_CASE("tainted devices that a request for all devices does not select make no difference to it (DR3)") {
    auto world = small_world();
    auto all = demand(1, {"device.attributes[\"gpu.example.com\"].size == \"large\""});
    all.requests[0].wants_all = true;
    world.apply(DeviceTemplateSeen{{"default", "one", all}});
    world.apply(Event{from_template("a-0")});
    auto slice = devices_of("n0", 4);
    for (auto& device : slice.devices) {
        const bool is_large = &device == &slice.devices.back();
        device.attributes["gpu.example.com/size"] = {.kind = DeviceAttribute::Kind::text,
                                                     .text = is_large ? "large" : "small"};
        if (!is_large)
            device.taints = {{"broken", "", TaintEffect::no_schedule}};
    }
    world.apply(DeviceSliceSeen{slice});
    const auto name = "all " + std::string(of_class) + " with " + all.requests[0].selectors[0];
    CHECK(world.wanted("a-0", name) == 1);
    CHECK(world.left("n0", name) == 1);
}

TEST_CASE("a node with a pool that lacks slices serves no request for all devices (DR3)") {
    auto world = small_world();
    auto all = demand(1);
    all.requests[0].wants_all = true;
    world.apply(DeviceTemplateSeen{{"default", "one", all}});
    world.apply(Event{from_template("a-0")});
    const auto name = "all " + std::string(of_class);
    auto nic = devices_of("n0", 1);
    nic.name = nic.driver = nic.pool = "nic.example.com";
    nic.slice_count = 2;
    world.apply(DeviceSliceSeen{nic});
    CHECK(world.left("n0") == 4);
    CHECK(world.left("n0", name) == 0);
    auto newer = devices_of("n1", 1);  // The pool has moved: what the node lists of it is obsolete.
    newer.name = "newer";
    newer.driver = newer.pool = "nic.example.com";
    newer.generation = 2;
    newer.slice_count = 2;
    world.apply(DeviceSliceSeen{newer});
    CHECK(world.left("n0", name) == 1);
}

TEST_CASE("an extended resource that a class names counts both ways (DR6)") {
    World world;
    world.apply(NodeSeen{node("n0")});
    auto with_plugin = node("n1");
    with_plugin.allocatable.set("example.com/gpu", 2);
    world.apply(NodeSeen{with_plugin});
    world.apply(DeviceClassSeen{{"gpu.example.com", {}, "example.com/gpu"}});
    world.apply(DeviceSliceSeen{devices_of("n0", 4)});
    CHECK(world.left("n0", "example.com/gpu") == 4);
    CHECK(world.left("n1", "example.com/gpu") == 2);
    // A pod that asks for the resource, and the claim that kube-scheduler made for it.
    auto runs = bound(pod("p", 0), "n0");
    runs.pod_class.requests.set("example.com/gpu", 1);
    world.apply(PodSeen{runs});
    auto made = allocated("extended", 0);
    made.demand.reset();
    world.apply(DeviceClaimSeen{made});
    CHECK(world.left("n0", "example.com/gpu") == 3);
    CHECK(world.left("n0") == 3);
    // A claim of the class takes from both.
    world.apply(DeviceClaimSeen{allocated("c", 1)});
    CHECK(world.left("n0", "example.com/gpu") == 2);
    CHECK(world.left("n0") == 2);
}

}  // namespace
}  // namespace echelon::model
