// Seats that are not bound yet go before any pod is evicted: they cost nothing (V3).

#include "unit-tests/engine/support/clearing_world.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::phase_of;
using test::Rig;

void wants(Rig& rig, const std::string& name, int pods, std::int64_t priority, std::int64_t created = 2) {
    rig.gang({name, pods, test::rack_key, priority, created});
    rig.pods(name, 0, pods);
    rig.advance(Time{1000});
}

// A gang of four hosts whose first pod exists. The others are created once it runs, and have seats already.
void late_members_come(Rig& rig) {
    test::late_gang(rig, {"serve", 4, test::rack_key, 1, 1});
    rig.pods("serve", 0, 1);
    rig.advance(Time{1000});
    REQUIRE(phase_of(rig, "serve") == model::Phase::held);
    REQUIRE(rig.engine.held_seats().size() == 4);
}

TEST_CASE("seats of members that are not created yet yield before pods are evicted (V3)") {
    Rig rig(test::preempting());
    rig.fabric(1, 2, 4);
    rig.synced();
    wants(rig, "run", 4, 1);
    rig.live(3);
    REQUIRE(rig.bound().size() == 4);
    late_members_come(rig);
    wants(rig, "top", 4, 100);
    CHECK(rig.evicted.empty());
    CHECK(phase_of(rig, "top") == model::Phase::held);
    CHECK(phase_of(rig, "serve") == model::Phase::pending);
    CHECK(rig.engine.held_seats().size() == 4);
    rig.live(3);
    CHECK(rig.bound().contains("top-3"));
}

TEST_CASE("seats of members that are not created yet yield in the only rack, and come back (V3)") {
    Rig rig(test::preempting());
    rig.fabric(1, 1, 4);
    rig.synced();
    late_members_come(rig);
    wants(rig, "top", 2, 100);
    CHECK(phase_of(rig, "top") == model::Phase::held);
    CHECK(phase_of(rig, "serve") == model::Phase::pending);
    CHECK(rig.engine.held_seats().size() == 2);
    rig.remove_gang("top");
    rig.remove_pod("top-0");
    rig.remove_pod("top-1");
    rig.advance(Time{15'000});
    CHECK(phase_of(rig, "serve") == model::Phase::held);
    CHECK(rig.engine.held_seats().size() == 4);
}

// A rack of two hosts with a gang whose pods don't end when they are evicted, and an empty rack.
void victims_hang(Rig& rig) {
    rig.fabric(1, 2, 2);
    for (const char* node : {"b0-r1-h00", "b0-r1-h01"})
        rig.change_node(node, [](model::Node& each) { each.unschedulable = true; });
    rig.synced();
    wants(rig, "run", 2, 1);
    rig.live(3);
    wants(rig, "first", 2, 100);
    REQUIRE(rig.evicted.size() == 2);
    rig.advance(Time{310'000});
    REQUIRE(phase_of(rig, "first") == model::Phase::pending);
    for (const char* node : {"b0-r1-h00", "b0-r1-h01"})
        rig.change_node(node, [](model::Node& each) { each.unschedulable = false; });
}

TEST_CASE("a pod that does not end keeps no gang from the seats of a less important one (V3, P5)") {
    Rig rig(test::preempting());
    victims_hang(rig);
    rig.remove_gang("first");
    rig.remove_pod("first-0");
    rig.remove_pod("first-1");
    wants(rig, "low", 2, 1, 3);
    REQUIRE(phase_of(rig, "low") == model::Phase::held);
    wants(rig, "top", 2, 100, 4);
    CHECK(phase_of(rig, "top") == model::Phase::held);
    CHECK(phase_of(rig, "low") == model::Phase::pending);
    CHECK(rig.evicted.size() == 2);
}

TEST_CASE("seats of a gang that is being cleared for yield where no victim is, and its other victims stay (V3)") {
    Rig rig(test::preempting());
    rig.fabric(1, 1, 4);
    for (const int host : {2, 3}) {
        const auto name = fmt::format("low-{}", host);
        rig.pod(name, "", false);
        rig.change_pod(name, [&](model::Pod& pod) {
            pod.node = fmt::format("b0-r0-h0{}", host);
            pod.priority = 0;
        });
    }
    rig.synced();
    rig.gang({"top", 4, {}, 100, 2});
    rig.pods("top", 0, 4);
    rig.advance(Time{2000});
    REQUIRE(phase_of(rig, "top") == model::Phase::clearing);
    rig.gang({"rival", 2, {}, 1000, 3});
    rig.pods("rival", 0, 2);
    rig.live(5);
    CHECK(rig.bound().contains("rival-0"));
    CHECK(rig.bound().contains("rival-1"));
    CHECK(phase_of(rig, "top") == model::Phase::pending);
}

}  // namespace
}  // namespace echelon::engine
