// Room that opens in a reserved domain, by evictions, by seats that yield or by pods that end, is reserved too (Q5, Q6,
// Q15).

#include "unit-tests/engine/support/clearing_world.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::phase_of;
using test::Rig;

Options reserving() {
    auto options = test::preempting();
    options.claim_after = Time{60'000};
    options.claim_lifetime = Time{3'600'000};
    options.hold_lifetime = Time{3'600'000};  // Seats that nobody binds are held all the time.
    return options;
}

void wants(Rig& rig, const std::string& name, int pods, std::int64_t priority) {
    rig.gang({name, pods, test::rack_key, priority, 1});
    rig.pods(name, 0, pods);
    rig.advance(Time{1000});
}

void runs(Rig& rig, const std::string& name, int pods, std::int64_t priority) {
    wants(rig, name, pods, priority);
    rig.live(3);
    REQUIRE(rig.racks_of(name).size() == 1);
}

bool is_reserved_for_large(const Rig& rig) {
    return rig.record("large")->message.find("capacity freed in b0/r0 is reserved for it") != std::string::npos;
}

// A rack of eight hosts is reserved for "large". "peer" is as important and may not be evicted for it, "cheap" may.
void rack_is_reserved(Rig& rig) {
    rig.fabric(1, 1, 8);
    rig.synced();
    runs(rig, "peer", 4, 100);
    runs(rig, "cheap", 4, 1);
    wants(rig, "large", 8, 100);
    rig.advance(Time{90'000});
    REQUIRE(is_reserved_for_large(rig));
}

TEST_CASE("nobody is evicted from a reserved domain for a gang that may not use it (Q6)") {
    Rig rig(reserving());
    rack_is_reserved(rig);
    std::int64_t priority = 100;
    SUBCASE("as important as the gang that it is reserved for") {
        priority = 100;
    }
    SUBCASE("less important") {
        priority = 50;
    }
    wants(rig, "late", 4, priority);
    CHECK(rig.evicted.empty());
    CHECK(phase_of(rig, "late") == model::Phase::pending);
    CHECK(is_reserved_for_large(rig));
    for (int i = 0; i < 4; ++i)
        rig.remove_pod(fmt::format("peer-{}", i));
    rig.advance(Time{15'000});
    CHECK(phase_of(rig, "large") == model::Phase::clearing);
    CHECK(rig.evicted.size() == 4);
}

TEST_CASE("a more important gang evicts in a reserved domain (Q15)") {
    Rig rig(reserving());
    rack_is_reserved(rig);
    wants(rig, "late", 4, 200);
    CHECK(phase_of(rig, "late") == model::Phase::clearing);
    CHECK(rig.evicted.size() == 4);
}

TEST_CASE("held seats in a reserved domain yield to no gang that may not use it (Q6)") {
    Rig rig(reserving());
    rig.fabric(1, 1, 4);
    rig.synced();
    runs(rig, "peer", 2, 100);
    wants(rig, "large", 4, 100);
    wants(rig, "small", 2, 1);
    rig.advance(Time{90'000});
    REQUIRE(is_reserved_for_large(rig));
    REQUIRE(phase_of(rig, "small") == model::Phase::held);
    wants(rig, "late", 2, 100);
    CHECK(phase_of(rig, "late") == model::Phase::pending);
    CHECK(phase_of(rig, "small") == model::Phase::held);
    wants(rig, "urgent", 2, 200);
    CHECK(phase_of(rig, "urgent") == model::Phase::held);
}

TEST_CASE("extras in a reserved domain yield to no gang that may not use it, without preemption too (Q6, Q11)") {
    auto options = reserving();
    options.profiles["default-scheduler"].preempt = false;
    Rig rig(options);
    rig.fabric(1, 1, 4);
    rig.synced();
    runs(rig, "peer", 2, 100);
    wants(rig, "large", 4, 100);
    runs(rig, "elastic", 1, 1);
    rig.pods("elastic", 1, 2);
    rig.advance(Time{90'000});
    REQUIRE(!rig.filter("elastic-1").node.empty());
    REQUIRE(is_reserved_for_large(rig));
    wants(rig, "late", 1, 100);
    CHECK(phase_of(rig, "late") == model::Phase::pending);
    CHECK(!rig.filter("elastic-1").node.empty());
    wants(rig, "urgent", 1, 200);
    CHECK(phase_of(rig, "urgent") == model::Phase::held);
}

TEST_CASE("no gang waits for pods that are ending where the room is reserved for another (Q6, P4)") {
    Rig rig(reserving());
    rig.fabric(1, 1, 4);
    rig.node("x-0", "b1", "r9");
    rig.node("x-1", "b1", "r9");
    rig.synced();
    runs(rig, "cheap", 2, 1);
    runs(rig, "peer", 2, 100);
    runs(rig, "gone", 2, 100);
    REQUIRE(rig.bound().at("cheap-0").starts_with("x-"));
    wants(rig, "large", 4, 100);
    rig.advance(Time{90'000});
    REQUIRE(is_reserved_for_large(rig));
    for (int i = 0; i < 2; ++i)
        rig.change_pod(fmt::format("gone-{}", i), [](model::Pod& pod) { pod.deleting = true; });
    wants(rig, "late", 2, 100);
    REQUIRE(phase_of(rig, "late") == model::Phase::clearing);
    CHECK(rig.evicted.size() == 2);
    CHECK(rig.record("late")->seats.front().node.str().starts_with("x-"));
}

}  // namespace
}  // namespace echelon::engine
