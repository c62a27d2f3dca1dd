// What becomes of a reservation when its gang, or the cluster, is no longer what it was (Q5, Q15, Q16)?

#include "unit-tests/engine/support/passing_gangs.hpp"

#include <cstdint>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::passes;
using test::reserving_soon;
using test::Rig;

void fill_with_plain_pod(Rig& rig, const std::string& node, std::int64_t gpus) {
    rig.pod("plain-" + node, "", false, gpus);
    rig.change_pod("plain-" + node, [&](model::Pod& pod) { pod.node = node; });
}

void runs(Rig& rig, const std::string& gang, int size) {
    rig.gang({gang, size, test::rack_key, 1000});
    rig.pods(gang, 0, size);
    rig.live(3);
    REQUIRE(rig.racks_of(gang).size() == 1);
}

bool has_reserved(const Rig& rig, const std::string& domain) {
    return rig.record("large")->message.contains(fmt::format("freed in {} is reserved for it", domain));
}

// "old" runs on 4 hosts. "large" wants a rack of 8 for so long that one is reserved for it.
void large_waits(Rig& rig, std::int64_t priority = 0) {
    runs(rig, "old", 4);
    rig.gang({"large", 8, test::rack_key, priority, 10});
    rig.pods("large", 0, 8);
    rig.advance(Time{70'000});
}

bool passes_with_priority(Rig& rig, const std::string& gang, std::int64_t priority) {
    rig.gang({gang, 2, test::rack_key, priority, 99});
    rig.pods(gang, 0, 2, false);
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    return !rig.racks_of(gang).empty();
}

bool keeps_out_plain_pod(Rig& rig, std::int64_t priority) {
    model::PlainPod pod{.requests = {{test::gpu, 8}}};
    pod.priority = priority;
    const auto* promised = rig.engine.published()->promises.on("b0-r0-h07");
    return promised != nullptr && promised->room->keep_out(pod, Protection::promised, rig.now);
}

TEST_CASE("a reservation binds gangs and plain pods by the priority that its gang has now (Q15)") {
    Rig rig(reserving_soon());
    rig.fabric(1, 1, 8);
    rig.synced();
    std::int64_t before = 0;
    std::int64_t after = 0;
    SUBCASE("lowered") {
        before = 100;
    }
    SUBCASE("raised") {
        after = 100;
    }
    large_waits(rig, before);
    REQUIRE(has_reserved(rig, "b0/r0"));
    REQUIRE(keeps_out_plain_pod(rig, 50) == (before > 50));
    rig.change_gang("large", [&](model::Group& group) { group.priority = after; });
    rig.advance(Time{1000});
    CHECK(has_reserved(rig, "b0/r0"));
    CHECK(keeps_out_plain_pod(rig, 50) == (after > 50));
    CHECK(passes_with_priority(rig, "mid", 50) == (after < 50));
}

TEST_CASE("a gang that a lower priority of the owner lets in gets the room without another event (Q15)") {
    Rig rig(reserving_soon());
    rig.fabric(1, 1, 8);
    rig.synced();
    large_waits(rig, 100);
    REQUIRE(!passes_with_priority(rig, "mid", 50));
    rig.change_gang("large", [](model::Group& group) { group.priority = 0; });
    rig.live(3);
    CHECK(!rig.racks_of("mid").empty());
}

TEST_CASE("a refusal without proof takes neither the reservation nor the age, and is not repeated at once (Q5)") {
    auto options = reserving_soon();
    options.step_work = service_step_work;
    Rig rig(options);
    for (int h = 0; h < 12; ++h)
        rig.node(fmt::format("n{:02}", h), "b", "r", 101);
    for (const std::string node : {"n00", "n01", "n02", "n03"})
        fill_with_plain_pod(rig, node, 101);
    rig.synced();
    rig.gang({"large", 30, test::rack_key, 0, 1});
    // They fit on 12 nodes, but whether on 10 takes too long to find out.
    for (int n = 0; n < 30; ++n)
        rig.pod(fmt::format("large-{}", n), "large", true, 22 + 2 * ((n * 7) % 12) + (n < 7 ? 2 : 0));
    rig.advance(Time{70'000});
    REQUIRE(has_reserved(rig, "b/r"));
    for (const std::string node : {"n00", "n01"})
        rig.remove_pod("plain-" + node);
    rig.advance(Time{5000});
    REQUIRE(rig.record("large")->reason == "OutOfBudget");
    CHECK(has_reserved(rig, "b/r"));
    rig.gang({"small", 1, test::rack_key, 0, 99});
    rig.pod("small-0", "small", false, 101);
    rig.live(2);
    CHECK(!rig.bound().contains("small-0"));
    const auto before = rig.engine.published()->stats.solves_out_of_budget;
    rig.advance(Time{300'000});
    CHECK(has_reserved(rig, "b/r"));
    CHECK(rig.engine.published()->stats.solves_out_of_budget - before < 30);
}

TEST_CASE("a gang for which the cluster is too small for a moment keeps its age, and for 30 seconds its rack (Q16)") {
    Rig rig(reserving_soon());
    rig.fabric(1, 1, 8);
    rig.synced();
    large_waits(rig);
    const auto cordon = [&](bool is_cordoned) {
        rig.change_node("b0-r0-h07", [&](model::Node& node) { node.unschedulable = is_cordoned; });
    };
    cordon(true);
    rig.remove_pod("old-0");  // Room that comes leads to the next planning.
    rig.advance(Time{3000});
    REQUIRE(rig.record("large")->reason == "Impossible");
    CHECK(!passes(rig, "small", 2));
    SUBCASE("for some seconds") {
        cordon(false);
        rig.advance(Time{3000});
        CHECK(has_reserved(rig, "b0/r0"));
        CHECK(!passes(rig, "late", 2));
    }
    SUBCASE("for minutes") {
        rig.advance(Time{300'000});
        CHECK(!has_reserved(rig, "b0/r0"));
        cordon(false);
        rig.advance(Time{5000});
        CHECK(has_reserved(rig, "b0/r0"));  // Its age was that of a gang that may reserve.
    }
}

}  // namespace
}  // namespace echelon::engine
