// Claims that several pods share, or that can't serve any pod (DR4).

#include "unit-tests/model/support/devices.hpp"

#include <string>

#include <doctest/doctest.h>

namespace echelon::model {
namespace {

using namespace devices_of_test;

PodSeen sharing(const std::string& name, const std::string& group) {
    return claiming(name, group, {.name = "gpu", .claim = "both", .claim_template = {}});
}

DeviceClaim claim_of_both() {
    return {.ns = "default", .name = "both", .uid = "u", .demand = demand(2), .allocation = {}};
}

TEST_CASE("a claim that gangs share counts once in each of them (DR4)") {
    auto world = small_world();
    world.apply(GroupSeen{leaf("b", 2)});
    world.apply(DeviceClaimSeen{claim_of_both()});
    for (const auto* name : {"b-0", "b-1"})
        world.apply(Event{sharing(name, "b")});
    CHECK(world.wanted("b-0") == 2);
    for (const auto* name : {"a-0", "a-1"})
        world.apply(Event{sharing(name, "a")});
    CHECK(world.wanted("a-0") == 2);
    CHECK(world.wanted("a-1") == 0);
    CHECK(world.wanted("b-0") == 2);
    CHECK(world.wanted("b-1") == 0);
    world.apply(PodGone{"uid-a-0"});
    CHECK(world.wanted("a-1") == 2);
    CHECK(world.wanted("b-0") == 2);
}

TEST_CASE("a claim that leaves of one gang share counts once in the gang, when the leaves become one, too (DR4)") {
    auto world = small_world();
    world.apply(DeviceClaimSeen{claim_of_both()});
    world.apply(GroupSeen{leaf("b", 1)});
    world.apply(Event{sharing("a-0", "a")});
    world.apply(Event{sharing("b-0", "b")});
    CHECK(world.wanted("a-0") == 2);
    CHECK(world.wanted("b-0") == 2);
    world.apply(GroupSeen{composite("root", 2)});
    for (const auto* name : {"a", "b"})
        world.apply(GroupSeen{leaf(name, 1, "root")});
    CHECK(world.wanted("a-0") + world.wanted("b-0") == 2);
    world.apply(GroupSeen{leaf("b", 1)});
    CHECK(world.wanted("a-0") == 2);
    CHECK(world.wanted("b-0") == 2);
}

TEST_CASE("one refusal suffices for a pod that relies on another one to ask for the shared claim (DR4, DR5)") {
    auto world = small_world();
    world.apply(DeviceClaimSeen{claim_of_both()});
    for (const auto* name : {"a-0", "a-1"})
        world.apply(Event{sharing(name, "a")});
    CHECK_FALSE(world.cluster.leaves_devices_open(*world.cluster.pod("uid-a-0")));
    CHECK(world.cluster.leaves_devices_open(*world.cluster.pod("uid-a-1")));
}

TEST_CASE("a pod that is kept back doesn't ask for the claim that others share (DR4)") {
    auto world = small_world();
    world.apply(DeviceClaimSeen{claim_of_both()});
    SUBCASE("by a gate of another controller") {
        auto first = sharing("a-0", "a");
        first.pod.gates = {"example.com/quota"};
        world.apply(Event{first});
        world.apply(Event{sharing("a-1", "a")});
        CHECK(world.wanted("a-1") == 2);
        first.pod.gates.clear();
        world.apply(Event{first});
        CHECK(world.wanted("a-0") == 2);
        CHECK(world.wanted("a-1") == 0);
        first.pod.gates = {"example.com/quota"};
        world.apply(Event{first});
        CHECK(world.wanted("a-1") == 2);
    }
    SUBCASE("by another claim that doesn't exist") {
        auto first = sharing("a-0", "a");
        first.claims.push_back({.name = "own", .claim = "own", .claim_template = {}});
        world.apply(Event{first});
        world.apply(Event{sharing("a-1", "a")});
        CHECK(world.wanted("a-1") == 2);
        auto own = claim_of_both();
        own.name = "own";
        own.uid = "v";
        world.apply(DeviceClaimSeen{own});
        CHECK(world.wanted("a-0") == 4);
        CHECK(world.wanted("a-1") == 0);
        world.apply(DeviceClaimGone{"default", "own"});
        CHECK(world.wanted("a-1") == 2);
        world.apply(PodGone{"uid-a-1"});
        world.apply(PodGone{"uid-a-0"});
    }
}

TEST_CASE("a claim that was made from a template for all pods of a group counts once (DR4)") {
    auto world = small_world();
    world.apply(DeviceClaimSeen{claim_of_both()});
    for (const auto* name : {"a-0", "a-1"}) {
        auto pod = sharing(name, "a");
        pod.claims.front().claim_template = "one";
        world.apply(Event{pod});
    }
    CHECK(world.wanted("a-0") == 2);
    CHECK(world.wanted("a-1") == 0);
}

TEST_CASE("a group with extras may lack the pod that asks for the shared claim, and says so (DR4, DR5)") {
    auto world = small_world();
    world.apply(DeviceClaimSeen{claim_of_both()});
    for (const auto* name : {"a-0", "a-1"})
        world.apply(Event{sharing(name, "a")});
    CHECK(world.gang().left_open.empty());
    world.apply(Event{sharing("a-2", "a")});
    CHECK(world.gang().left_open ==
          "pods that share a claim are left to kube-scheduler in part: the one that asks for "
          "its devices may get no seat");
}

TEST_CASE("a claim that is being deleted makes the gang Incomplete, by name (DR4)") {
    for (const bool is_allocated : {false, true}) {
        auto world = small_world();
        auto claim = is_allocated ? allocated("both", 0) : claim_of_both();
        claim.name = "both";
        claim.is_deleted = true;
        world.apply(DeviceClaimSeen{claim});
        CHECK(world.left("n0") == (is_allocated ? 3 : 4));  // Its devices are not free yet.
        for (const auto* name : {"a-0", "a-1"})
            world.apply(Event{sharing(name, "a")});
        const auto gang = world.gang();
        REQUIRE(gang.problem);
        CHECK(gang.problem->reason == Reason::incomplete);
        CHECK(gang.problem->sentence ==
              "group \"default/a\" has 0 of at least 2 pods, 2 more wait for resource claim \"default/both\", which "
              "is being deleted");
    }
}

}  // namespace
}  // namespace echelon::model
