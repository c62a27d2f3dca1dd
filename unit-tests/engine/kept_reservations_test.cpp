// What becomes of a reservation when its gang, or its domain, is no longer what it was (Q5, Q15, Q16)?

#include "unit-tests/engine/support/passing_gangs.hpp"

#include <cstdint>
#include <set>
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

// Two racks: in "b0/r0" 4 hosts of 8 are taken, in "b0/r1" 6. The first is reserved for "large".
void second_rack_is_open(Rig& rig) {
    rig.fabric(1, 2, 8);
    rig.synced();
    runs(rig, "first", 8);
    runs(rig, "older", 6);
    REQUIRE(rig.racks_of("first") == std::set<std::string>{"b0-r0"});
    test::remove_all(rig, "first", 8);
    large_waits(rig);
    REQUIRE(has_reserved(rig, "b0/r0"));
}

std::string free_host(const Rig& rig, const std::string& rack) {
    std::set<std::string> taken;
    for (const auto& [pod, node] : rig.bound())
        taken.insert(node);
    for (int h = 0;; ++h) {
        if (auto host = fmt::format("{}-h{:02}", rack, h); !taken.contains(host))
            return host;
    }
}

TEST_CASE("a rack that can no longer hold its gang is reserved no longer, and another one is at once (Q5)") {
    Rig rig(reserving_soon());
    second_rack_is_open(rig);
    const auto host = free_host(rig, "b0-r0");
    SUBCASE("a node is gone") {
        rig.remove_node(host);
    }
    SUBCASE("a node is cordoned") {
        rig.change_node(host, [](model::Node& node) { node.unschedulable = true; });
    }
    // What happens elsewhere doesn't put off the look at the rack.
    for (int i = 0; i < 13; ++i) {
        rig.node(fmt::format("x{}", i), "b9", fmt::format("r{}", i));
        rig.advance(Time{10'000});
    }
    CHECK(has_reserved(rig, "b0/r1"));
    REQUIRE(passes(rig, "small", 2));
    CHECK(rig.racks_of("small") == std::set<std::string>{"b0-r0"});
}

TEST_CASE("a gang that lost its rack to a fault, and finds no other, waits for one without a hot loop (Q5, I12)") {
    Rig rig(reserving_soon());
    rig.fabric(1, 1, 8);
    rig.synced();
    large_waits(rig);
    rig.node("b1-r0-h0", "b1", "r0");
    rig.pod("lone", "", false, 1);
    rig.change_pod("lone", [](model::Pod& pod) {
        pod.node = "b0-r0-h07";
        pod.is_of_node = true;
        pod.is_protected = true;
    });
    rig.advance(Time{130'000});
    CHECK(rig.record("large")->reason == "NoRoom");
    CHECK(!has_reserved(rig, "b0/r0"));
    const auto before = rig.engine.published()->stats.solves_infeasible;
    rig.advance(Time{300'000});
    CHECK(rig.engine.published()->stats.solves_infeasible - before < 20);
    rig.remove_pod("lone");
    rig.advance(Time{40'000});
    CHECK(has_reserved(rig, "b0/r0"));  // It has kept its age.
}

TEST_CASE("a gang that requires another level reserves a domain of that level at once (Q5)") {
    Rig rig(reserving_soon());
    second_rack_is_open(rig);
    rig.change_gang("large", [](model::Group& group) {
        group.required = {test::block_key};
        group.minimum = 10;
    });
    rig.pods("large", 8, 10);
    rig.advance(Time{5000});
    CHECK(rig.record("large")->reason == "NoRoom");
    CHECK(has_reserved(rig, "b0"));
}

TEST_CASE("changes of a gang make its reservation last no longer (Q5)") {
    Rig rig(reserving_soon());
    second_rack_is_open(rig);
    bool has_ended = false;
    const auto looks = Rig::default_options().claim_lifetime / Time{60'000};
    for (int look = 0; look <= looks; ++look) {
        rig.change_gang("large", [look](model::Group& group) {
            group.required = {look % 2 == 0 ? test::block_key : test::rack_key};
        });
        rig.advance(Time{60'000});
        has_ended = has_ended || (!has_reserved(rig, "b0") && !has_reserved(rig, "b0/r0"));
    }
    CHECK(has_ended);
}

TEST_CASE("a gang that needs more than its rack has reserves another domain within two minutes (Q5)") {
    Rig rig(reserving_soon());
    rig.fabric(1, 1, 8);
    for (int host = 0; host < 10; ++host)
        rig.node(fmt::format("b1-r0-h{}", host), "b1", "r0");
    rig.synced();
    for (int host = 0; host < 9; ++host)
        fill_with_plain_pod(rig, fmt::format("b1-r0-h{}", host), 8);
    large_waits(rig);
    REQUIRE(has_reserved(rig, "b0/r0"));
    rig.change_gang("large", [](model::Group& group) { group.minimum = 9; });
    rig.pods("large", 8, 9);
    rig.advance(Time{125'000});
    CHECK(has_reserved(rig, "b1/r0"));
}

}  // namespace
}  // namespace echelon::engine
