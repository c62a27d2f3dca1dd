// Which devices are tainted by rules, are partitions, or are matched one by one? (DR1, DR3)

#include "unit-tests/model/support/devices.hpp"

#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace devices_of_test;

TEST_CASE("a DeviceTaintRule taints the devices that it selects, until it goes (DR1)") {
    auto world = small_world();
    world.apply(NodeSeen{node("n1")});
    world.apply(DeviceSliceSeen{devices_of("n1", 2)});
    world.apply(Event{from_template("a-0")});
    const Taint broken{.key = "broken", .value = "", .effect = TaintEffect::no_schedule};
    DeviceTaintRule rule{.name = "r", .driver = {}, .pool = "n0", .device = "gpu-0", .taint = broken};
    auto change = world.apply(DeviceTaintRuleSeen{rule});
    CHECK(change.nodes == std::set<std::string>{"n0"});
    CHECK(world.left("n0") == 3);
    CHECK(world.left("n1") == 2);
    world.apply(DeviceSliceSeen{devices_of("n0", 5)});  // Devices that come later get it, too.
    CHECK(world.left("n0") == 4);
    auto tolerant = demand(1);
    tolerant.requests[0].tolerations = {{.key = "broken", .exists = true, .value = {}, .effect = {}}};
    world.apply(DeviceTemplateSeen{{"default", "two", tolerant}});
    auto other = from_template("a-1");
    other.claims[0].claim_template = "two";
    world.apply(Event{other});
    CHECK(world.left("n0", std::string(of_class) + " or " + of_class + " tolerating broken") == 5);
    world.apply(PodGone{"uid-a-1"});
    rule.device.reset();
    world.apply(DeviceTaintRuleSeen{rule});
    CHECK(world.left("n0") == 0);
    rule.driver = "other.example.com";
    world.apply(DeviceTaintRuleSeen{rule});
    CHECK(world.left("n0") == 5);
    rule.driver.reset();
    rule.taint.reset();  // Its effect is None.
    world.apply(DeviceTaintRuleSeen{rule});
    CHECK(world.left("n0") == 5);
    rule.taint = broken;
    world.apply(DeviceTaintRuleSeen{rule});
    change = world.apply(DeviceTaintRuleGone{"r"});
    CHECK(change.may_free_room);
    CHECK(world.left("n0") == 5);
}

// Two halves and the whole of one GPU with 8 units.
DeviceSlice partitions(const std::string& node) {
    auto slice = devices_of(node, 3);
    slice.counters = {{.set = "gpu", .name = "units", .amount = 8'000}};
    for (auto& device : slice.devices)
        device.counters = {{.set = "gpu", .name = "units", .amount = &device == &slice.devices[2] ? 8'000 : 4'000}};
    return slice;
}

TEST_CASE("a partition is free while its device has enough of every counter left (DR3)") {
    auto world = small_world();
    world.apply(DeviceSliceSeen{partitions("n0")});
    CHECK(world.left("n0") == 3);
    world.apply(DeviceClaimSeen{allocated("c", 0)});
    CHECK(world.left("n0") == 1);  // The other half.
    world.apply(DeviceClaimGone{"default", "c"});
    world.apply(DeviceClaimSeen{allocated("c", 2)});
    CHECK(world.left("n0") == 0);
    world.apply(DeviceClaimGone{"default", "c"});
    CHECK(world.left("n0") == 3);
    auto unknown = partitions("n0");
    unknown.devices[0].counters[0].name = "others";
    world.apply(DeviceSliceSeen{unknown});
    CHECK(world.left("n0") <= 0);  // As kube-scheduler does, nothing of a pool with such a fault.
}

TEST_CASE("devices are matched one by one only while somebody asks for what amounts can't say (DR3)") {
    auto world = small_world();
    world.apply(Event{from_template("a-0")});
    CHECK(world.cluster.snapshot().matched.empty());
    CHECK(world.cluster.pod("uid-a-0")->pod_class.devices->empty());
    auto equal = demand(2);
    equal.constraints = {{.attribute = "gpu.example.com/root", .is_distinct = false, .requests = {}}};
    world.apply(DeviceTemplateSeen{{"default", "two", equal}});
    auto other = from_template("a-1");
    other.claims[0].claim_template = "two";
    world.apply(Event{other});
    const auto snapshot = world.cluster.snapshot();
    REQUIRE(snapshot.matched.size() == 1);
    const auto& devices = *snapshot.matched.at(0).devices;
    CHECK(devices.kinds == std::vector<std::string>{of_class});
    CHECK(devices.attributes == std::vector<std::string>{"gpu.example.com/root"});
    CHECK(devices.devices.size() == 4);
    CHECK(world.cluster.pod("uid-a-0")->pod_class.devices->size() == 1);
    const auto& asks = *world.cluster.pod("uid-a-1")->pod_class.devices;
    REQUIRE(asks.size() == 1);
    CHECK(asks[0].requests[0][0].count == 2);
    CHECK(asks[0].requests[0][0].rules == std::vector<std::uint32_t>{0});
    CHECK(asks[0].rules.size() == 1);
    CHECK(world.wanted("a-1") == 2);
    world.apply(PodGone{"uid-a-1"});
    CHECK(world.cluster.snapshot().matched.empty());
    CHECK(world.cluster.pod("uid-a-0")->pod_class.devices->empty());
}

TEST_CASE("beside a request for all devices, every request is matched one by one (DR3)") {
    auto world = small_world();
    auto all = demand(1);
    all.requests[0].wants_all = true;
    world.apply(DeviceTemplateSeen{{"default", "all", all}});
    world.apply(Event{from_template("a-0")});
    auto other = from_template("a-1");
    other.claims[0].claim_template = "all";
    world.apply(Event{other});
    CHECK(world.cluster.pod("uid-a-0")->pod_class.devices->size() == 1);
    const auto& asks = *world.cluster.pod("uid-a-1")->pod_class.devices;
    REQUIRE(asks.size() == 1);
    CHECK(asks[0].requests[0][0].wants_all);
    CHECK(world.cluster.snapshot().matched.at(0).devices->never_all == 0);
    const Taint broken{.key = "broken", .value = "", .effect = TaintEffect::no_schedule};
    world.apply(DeviceTaintRuleSeen{{.name = "r", .driver = {}, .pool = {}, .device = "gpu-0", .taint = broken}});
    const auto snapshot = world.cluster.snapshot();
    CHECK(snapshot.matched.at(0).devices->kinds == std::vector<std::string>{of_class});
    CHECK(snapshot.matched.at(0).devices->devices.size() == 3);
    CHECK(snapshot.matched.at(0).devices->never_all == 1);
    auto lacking = devices_of("n0", 4);
    lacking.slice_count = 2;
    world.apply(DeviceTaintRuleGone{"r"});
    world.apply(DeviceSliceSeen{lacking});
    CHECK(world.cluster.snapshot().matched.empty());
}

TEST_CASE("of alternatives that take several devices the smallest counts, and the choice is matched (DR3)") {
    auto world = small_world();
    world.apply(DeviceClassSeen{{"small.example.com", {"device.driver == \"small.example.com\""}, {}}});
    auto either = demand(1);
    either.requests[0].choice = "big";
    either.requests[0].alternatives = demand(2).requests;
    either.requests[0].alternatives[0].choice = "small";
    either.requests[0].alternatives[0].device_class = "small.example.com";
    world.apply(DeviceTemplateSeen{{"default", "one", either}});
    world.apply(Event{from_template("a-0")});
    CHECK(world.wanted("a-0", "devices of class gpu.example.com, else small.example.com") == 1);
    const auto& asks = *world.cluster.pod("uid-a-0")->pod_class.devices;
    REQUIRE(asks.size() == 1);
    REQUIRE(asks[0].requests[0].size() == 2);
    CHECK(asks[0].requests[0][0].kind == of_class);
    CHECK(asks[0].requests[0][1].kind == "devices of class small.example.com");
    CHECK(asks[0].requests[0][1].count == 2);
    CHECK(world.gang().warnings.empty());
}

TEST_CASE("a node with a pool that lacks slices serves no request that has all devices as an alternative (DR3)") {
    auto world = small_world();
    auto either = demand(1);
    either.requests[0].alternatives = demand(1).requests;
    either.requests[0].alternatives[0].wants_all = true;
    world.apply(DeviceTemplateSeen{{"default", "one", either}});
    world.apply(Event{from_template("a-0")});
    const std::string complete = "complete pools of devices";
    CHECK(world.wanted("a-0", complete) == 1);
    CHECK(world.left("n0", complete) > 100);
    auto nic = devices_of("n0", 1);
    nic.name = nic.driver = nic.pool = "nic.example.com";
    nic.slice_count = 2;
    world.apply(DeviceSliceSeen{nic});
    CHECK(world.left("n0", complete) == 0);
    CHECK(world.left("n0", std::string(of_class) + ", else gpu.example.com") == 4);
    world.apply(PodGone{"uid-a-0"});
    nic.slice_count = 1;
    world.apply(DeviceSliceSeen{nic});
    CHECK(world.left("n0", complete) == 0);  // Nobody asks any more.
}

TEST_CASE("a pool whose slices on a node have devices of one name gives that node nothing (DR1)") {
    auto world = small_world();
    auto first = devices_of("n0", 2);
    first.slice_count = 2;
    auto second = first;
    second.name = "second";
    world.apply(DeviceSliceSeen{first});
    world.apply(DeviceSliceSeen{second});
    CHECK(world.left("n0") == 0);
    second.devices[0].name = "gpu-7";
    second.devices[1].name = "gpu-8";
    world.apply(DeviceSliceSeen{second});
    CHECK(world.left("n0") == 4);
    second = first;
    second.name = "second";
    second.node = "n1";  // As kube-scheduler, which looks at one node.
    world.apply(NodeSeen{node("n1")});
    world.apply(DeviceSliceSeen{second});
    CHECK(world.left("n0") == 2);
    CHECK(world.left("n1") == 2);
}

}  // namespace
}  // namespace echelon::model
