// What does a node offer to requests whose selectors end with an error on some devices? (DR2, DR3)

#include "unit-tests/model/support/devices.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace devices_of_test;

constexpr const char* large = "device.attributes[\"gpu.example.com\"].size == \"large\"";
const std::string of_large = std::string(of_class) + " with " + large;

// One device for each letter: l large, s small, - without a size, on which the selector ends with an error.
DeviceSlice sized(std::string_view sizes, const std::string& node = "n0") {
    auto slice = devices_of(node, static_cast<int>(sizes.size()));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] != '-') {
            slice.devices[i].attributes["gpu.example.com/size"] = {.kind = DeviceAttribute::Kind::text,
                                                                   .text = sizes[i] == 'l' ? "large" : "small"};
        }
    }
    return slice;
}

World world_of(std::string_view sizes, DeviceDemand wanted = demand(1, {large})) {
    auto world = small_world();
    world.apply(DeviceSliceSeen{sized(sizes)});
    world.apply(DeviceTemplateSeen{{"default", "one", std::move(wanted)}});
    world.apply(Event{from_template("a-0")});
    return world;
}

std::int64_t capacity(World& world, const std::string& what = of_large) {
    const auto snapshot = world.cluster.snapshot();
    const auto at = std::ranges::find(snapshot.resources, what) - snapshot.resources.begin();
    return at == std::ssize(snapshot.resources) ? 0 : snapshot.capacity[static_cast<std::size_t>(at)].front();
}

TEST_CASE("a selector that ends with an error on a free device takes no device behind it (DR2)") {
    for (const auto& [sizes, left, most] : {std::tuple{"ll-l", 2, 3}, {"-lll", 0, 3}, {"lll-", 3, 3}, {"s-", 0, 0}}) {
        CAPTURE(sizes);
        auto world = world_of(sizes);
        CHECK(world.wanted("a-0", of_large) == 1);
        CHECK(world.left("n0", of_large) == left);
        CHECK(capacity(world) == most);
    }
}

TEST_CASE("devices that a claim has end no selector with an error, until they are free (DR2)") {
    auto world = world_of("l-ll");
    CHECK(world.left("n0", of_large) == 1);
    const auto taken = world.apply(DeviceClaimSeen{allocated("c", 1)});
    CHECK(taken.may_free_room);
    CHECK(world.left("n0", of_large) == 3);
    world.apply(DeviceClaimGone{"default", "c"});
    CHECK(world.left("n0", of_large) == 1);
}

TEST_CASE("pools are looked through by driver and name, and slices by name (DR2)") {
    auto world = world_of("ll");
    auto other = sized("-");
    other.name = "a";
    other.pool = "z";
    world.apply(DeviceSliceSeen{other});
    CHECK(world.left("n0", of_large) == 2);
    other.pool = "a";
    world.apply(DeviceSliceSeen{other});
    CHECK(world.left("n0", of_large) == 0);
    other.slice_count = 2;  // Devices of an incomplete pool are not looked at.
    world.apply(DeviceSliceSeen{other});
    CHECK(world.left("n0", of_large) == 2);
}

TEST_CASE("a device that fails hides devices of every node in its slice (DR2)") {
    auto world = world_of("l");
    auto slice = sized("-ll");
    slice.node.clear();
    slice.devices[0].node = slice.devices[1].node = "n1";
    slice.devices[2].node = "n0";
    world.apply(DeviceSliceSeen{slice});
    CHECK(world.left("n0", of_large) == 0);
    const auto change = world.apply(DeviceClaimSeen{allocated("c", 0)});
    CHECK(change.nodes == std::set<std::string>{"n0"});
    CHECK(world.left("n0", of_large) == 1);
}

TEST_CASE("requests that don't fail have the devices that others can't reach (DR2, DR3)") {
    auto world = small_world();
    world.apply(DeviceSliceSeen{sized("l-l")});
    world.apply(DeviceTemplateSeen{{"default", "one", demand(1, {large})}});
    const auto sized_or_not = demand(1, {"has(device.attributes[\"gpu.example.com\"].size)"});
    world.apply(DeviceTemplateSeen{{"default", "two", sized_or_not}});
    world.apply(DeviceClassGone{"gpu.example.com"});
    world.apply(DeviceClassSeen{{"gpu.example.com", {}, {}}});
    world.apply(Event{from_template("a-0")});
    auto other = from_template("a-1");
    other.claims[0].claim_template = "two";
    world.apply(Event{other});
    const auto any = std::string(of_class) + " with " + sized_or_not.requests[0].selectors[0];
    CHECK(world.wanted("a-0", of_large) == 1);
    CHECK(world.left("n0", of_large) == 1);
    CHECK(world.wanted("a-1", of_large + " or " + any) == 1);
    CHECK(world.left("n0", of_large + " or " + any) == 2);
}

TEST_CASE(
    "a request for all devices takes no node where its selector ends with an error, on a free device or not (DR2)") {
    auto all = demand(1, {large});
    all.requests[0].wants_all = true;
    auto world = world_of("l-l", all);
    CHECK(world.wanted("a-0", "all " + of_large) == 1);
    CHECK(world.left("n0", "all " + of_large) <= 0);
    world.apply(DeviceClaimSeen{allocated("c", 1)});
    CHECK(world.left("n0", "all " + of_large) <= 0);
    CHECK(capacity(world, "all " + of_large) == 0);
    CHECK(world.cluster.snapshot().matched.at(0).devices->never_all == 1);
    world.apply(DeviceSliceSeen{sized("lsl")});
    CHECK(world.left("n0", "all " + of_large) == 1);
}

TEST_CASE("devices that are matched one by one say which requests can't reach them (DR2, DR3)") {
    auto pair = demand(2, {large});
    pair.constraints = {{.attribute = "gpu.example.com/size", .requests = {}}};
    auto world = world_of("l-ll", pair);
    const auto hidden = [&] {
        std::vector<bool> are_hidden;
        for (const auto& item : world.cluster.snapshot().matched.at(0).devices->devices)
            are_hidden.push_back(item.hidden != 0);
        return are_hidden;
    };
    CHECK(hidden() == std::vector{false, true, true});
    world.apply(DeviceClaimSeen{allocated("c", 1)});
    CHECK(hidden() == std::vector{false, false, false});
}

TEST_CASE("alternatives whose selectors end with an error on a device are left to kube-scheduler (DR2, DR5)") {
    auto either = demand(1);
    either.requests[0].alternatives = demand(1, {large}).requests;
    auto world = world_of("l-", either);
    const std::string any = std::string(of_class) + ", else gpu.example.com with " + large;
    CHECK(world.wanted("a-0", any) == 0);
    CHECK(world.gang().warnings ==
          std::vector<std::string>{"devices of request \"gpu\" are left to kube-scheduler: a "
                                   "selector of an alternative ends with an error on a device"});
    world.apply(DeviceSliceSeen{sized("ls")});
    CHECK(world.wanted("a-0", any) == 1);
    CHECK(world.gang().warnings.empty());
}

}  // namespace
}  // namespace echelon::model
