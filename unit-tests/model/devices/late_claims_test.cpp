// Devices for the claims of members that don't exist yet, by the template that their group declares (H6, DR1).

#include "unit-tests/model/support/devices.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace devices_of_test;

// Three members with a claim each; the first one starts before the others.
Group late_group(const std::string& claim_template = "one") {
    auto group = leaf("a", 3);
    group.expected = 3;
    group.start_set = 1;
    group.late_pod_class = member("any", "a", 0).pod_class;
    group.late_claims = {{.name = "gpu", .claim = {}, .claim_template = claim_template}};
    return group;
}

// What each member that doesn't exist yet asks for.
std::int64_t asked_by_late_members(World& world, const std::string& what = of_class) {
    static_cast<void>(world.cluster.resolve());
    const auto snapshot = world.cluster.snapshot();
    const auto gang = world.cluster.gang(leaf_key("a"), snapshot);
    const auto late = std::ranges::find_if(gang.members, &Member::is_placeholder);
    REQUIRE(late != gang.members.end());
    return snapshot.pod_classes[late->pod_class].requests.of(what);
}

TEST_CASE("members that don't exist yet ask for the devices of their template's claims") {
    auto world = small_world();
    world.apply(GroupSeen{late_group()});
    world.apply(PodSeen{member("a-0", "a", 0)});
    CHECK(asked_by_late_members(world) == 1);
    CHECK(world.left("n0") == 4);
}

TEST_CASE("they still do when the first member has its devices, and is bound") {
    auto world = small_world();
    world.apply(GroupSeen{late_group()});
    auto first = from_template("a-0");
    world.apply(first);
    CHECK(asked_by_late_members(world) == 1);
    first.claims.front().claim = "a-0-gpu";
    world.apply(DeviceClaimSeen{allocated("a-0-gpu", 0)});
    first.pod.node = "n0";
    world.apply(first);
    CHECK(asked_by_late_members(world) == 1);
    CHECK(world.left("n0") == 3);
}

TEST_CASE("their gang is affected when what they ask for changes") {
    auto world = small_world();
    world.apply(GroupSeen{late_group("two")});
    world.apply(PodSeen{member("a-0", "a", 0)});
    CHECK(asked_by_late_members(world) == 0);
    CHECK(world.apply(DeviceTemplateSeen{{"default", "two", demand(2)}}).gangs.contains(leaf_key("a")));
    CHECK(asked_by_late_members(world) == 2);
    CHECK(world.apply(DeviceTemplateSeen{{"default", "two", demand(1)}}).gangs.contains(leaf_key("a")));
    CHECK(asked_by_late_members(world) == 1);
    CHECK(world.apply(GroupSeen{late_group("one")}).gangs.contains(leaf_key("a")));
    world.apply(DeviceTemplateGone{"default", "two"});
    CHECK(asked_by_late_members(world) == 1);
}

TEST_CASE("they ask for devices by an extended resource, whichever comes first (DR6)") {
    for (const bool class_comes_first : {true, false}) {
        World world;
        world.apply(NodeSeen{node("n0")});
        world.apply(DeviceSliceSeen{devices_of("n0", 4)});
        const DeviceClassSeen device_class{
            {"gpu.example.com", {"device.driver == \"gpu.example.com\""}, "example.com/gpu"}};
        auto group = late_group();
        group.late_claims.clear();
        auto late = *group.late_pod_class;
        late.requests.set("example.com/gpu", 2);
        group.late_pod_class = late;
        if (class_comes_first)
            world.apply(device_class);
        world.apply(GroupSeen{group});
        world.apply(PodSeen{member("a-0", "a", 0)});
        if (!class_comes_first)
            world.apply(device_class);
        CHECK(asked_by_late_members(world, "example.com/gpu") == 2);
        CHECK(world.left("n0", "example.com/gpu") == 4);
    }
}

TEST_CASE("a claim that all members share is not asked for once more by those that don't exist yet (DR2)") {
    auto world = small_world();
    auto group = late_group();
    group.late_claims = {{.name = "gpu", .claim = "shared", .claim_template = {}}};
    world.apply(GroupSeen{group});
    world.apply(
        DeviceClaimSeen{{.ns = "default", .name = "shared", .uid = "u", .demand = demand(2), .allocation = {}}});
    world.apply(claiming("a-0", "a", group.late_claims.front()));
    CHECK(world.wanted("a-0") == 2);
    CHECK(asked_by_late_members(world) == 0);
}

TEST_CASE("nothing is left of them after their group has gone") {
    auto world = small_world();
    const auto before = world.left("n0");
    const auto group = late_group();
    world.apply(GroupSeen{group});
    CHECK(world.left("n0") == 4);
    world.apply(GroupGone{group.key, group.uid});
    static_cast<void>(world.cluster.resolve());
    CHECK(world.cluster.snapshot().pod_classes.empty());
    CHECK(world.left("n0") == before);
}

}  // namespace
}  // namespace echelon::model
