// Reservations that lead to nothing: a gang that could never use one gets none, and others come ever less often (Q5).

#include "unit-tests/engine/support/passing_gangs.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::passes;
using test::remove_all;
using test::reserving_soon;
using test::Rig;

bool has_reserved(const Rig& rig) {
    return rig.record("large")->message.ends_with("is reserved for it");
}

// One rack of 8 hosts. On each of the first `count` runs a plain pod that no gang can have evicted.
void run_on_hosts(Rig& rig, int count, bool is_of_node) {
    rig.fabric(1, 1, 8);
    for (int i = 0; i < count; ++i) {
        const auto name = fmt::format("runs-{}", i);
        rig.pod(name, "", false, 1);
        rig.change_pod(name, [&](model::Pod& pod) {
            pod.node = fmt::format("b0-r0-h0{}", i);
            pod.is_protected = true;
            pod.is_of_node = is_of_node;
        });
    }
    rig.synced();
}

void large_comes(Rig& rig, int size) {
    rig.gang({"large", size, test::rack_key, {}, 10});
    rig.pods("large", 0, size);
    rig.advance(Time{1000});
    REQUIRE(rig.record("large")->reason == "NoRoom");
}

TEST_CASE("a gang that pods of nodes leave no room in any domain reserves nothing (Q5)") {
    Rig rig(reserving_soon());
    run_on_hosts(rig, 1, true);
    large_comes(rig, 8);
    for (int minute = 0; minute < 60; ++minute) {
        rig.advance(Time{60'000});
        REQUIRE_FALSE(has_reserved(rig));
    }
    CHECK(passes(rig, "small", 2));
}

TEST_CASE("a pod that must not be evicted may end by itself, and its room is reserved (Q5)") {
    Rig rig(reserving_soon());
    run_on_hosts(rig, 1, false);
    large_comes(rig, 8);
    rig.advance(Time{70'000});
    CHECK(has_reserved(rig));
}

TEST_CASE("a gang reserves the domain that it fits in beside the pods of nodes (Q5)") {
    Rig rig(reserving_soon());
    run_on_hosts(rig, 4, true);
    rig.gang({"old", 1, test::rack_key});
    rig.pods("old", 0, 1);
    rig.live(3);
    large_comes(rig, 4);
    rig.advance(Time{70'000});
    CHECK(has_reserved(rig));
    remove_all(rig, "old", 1);
    rig.live(3);
    CHECK(rig.racks_of("large").size() == 1);
}

// Seconds until the gang has a reservation, or none.
int seconds_until(Rig& rig, bool is_reserved) {
    int seconds = 0;
    for (; seconds < 10'000 && has_reserved(rig) != is_reserved; ++seconds)
        rig.advance(Time{1000});
    return seconds;
}

TEST_CASE("the time until the next reservation doubles with each one that led to nothing, up to a bound (Q5)") {
    Rig rig(reserving_soon());
    run_on_hosts(rig, 1, false);
    large_comes(rig, 8);
    CHECK(seconds_until(rig, true) == doctest::Approx(60).epsilon(0.1));
    for (const int wait : {120, 240, 480, 960, 1920, 1920}) {
        CHECK(seconds_until(rig, false) == doctest::Approx(600).epsilon(0.01));
        CHECK(seconds_until(rig, true) == doctest::Approx(wait).epsilon(0.02));
    }
    // Another root object is a new gang.
    seconds_until(rig, false);
    rig.remove_gang("large");
    rig.gang({"large", 8, test::rack_key, {}, 10});
    rig.change_gang("large", [](model::Group& group) { group.uid = "another"; });
    rig.advance(Time{1000});
    CHECK(seconds_until(rig, true) == doctest::Approx(60).epsilon(0.1));
}

}  // namespace
}  // namespace echelon::engine
