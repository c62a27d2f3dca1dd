// B5, BD4: what becomes of seats that facts break while long searches go on, and of their bindings.

#include "engine/plan/long_search.hpp"
#include "unit-tests/engine/support/long_searches.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::apart;
using test::composite;
using test::count_of;
using test::end_searches;
using test::gang_of_16;
using test::holds;
using test::idle;
using test::one_pod;
using test::Rig;
using test::sync;

TEST_CASE("a seat that facts break ends at once, although a search goes first (BD4)") {
    for (const std::string searched : {"low", "high"}) {
        CAPTURE(searched);
        Rig rig(apart());
        rig.fabric(1, 1, 2);
        one_pod(rig, "low", 1);
        sync(rig);
        rig.end_search();
        idle(rig);
        REQUIRE(holds(rig, "low"));
        const auto node = rig.filter("low-0").node;
        REQUIRE(!node.empty());
        if (searched == "high")
            one_pod(rig, "high", 9);
        idle(rig);
        rig.change_node(node, [](model::Node& changed) { changed.unschedulable = true; });
        idle(rig);
        REQUIRE(rig.searches.size() == 1);
        CHECK(rig.filter("low-0").node.empty());
        CHECK(rig.engine.published()->stats.held_seats == 0);
    }
}

TEST_CASE("a search for a seat that facts broke keeps the others, and its answer is taken (BD4)") {
    Rig rig(apart());
    rig.fabric(1, 1, 3);
    rig.gang({"pair", 2, test::rack_key});
    rig.pods("pair", 0, 2);
    sync(rig);
    rig.end_search();
    idle(rig);
    const auto lost = rig.filter("pair-0").node;
    const auto kept = rig.filter("pair-1").node;
    REQUIRE(!lost.empty());
    rig.remove_node(lost);
    idle(rig);
    REQUIRE(rig.searches.size() == 1);
    rig.end_search();
    idle(rig);
    CHECK(rig.searches.empty());
    CHECK(rig.filter("pair-1").node == kept);
    CHECK(!rig.filter("pair-0").node.empty());
}

TEST_CASE("looking for broken seats of gangs behind a search is bounded in each step (BD4)") {
    constexpr int gangs = 20;
    Rig rig(apart());
    rig.fabric(1, 1, gangs + 1);
    for (int i = 0; i < gangs; ++i)
        one_pod(rig, fmt::format("g{}", i), 1);
    sync(rig);
    while (!rig.searches.empty()) {
        rig.end_search();
        idle(rig);
    }
    const auto held = [&] { return rig.engine.published()->stats.held_seats; };
    REQUIRE(held() == gangs);
    one_pod(rig, "high", 9);
    idle(rig);
    REQUIRE(rig.searches.size() == 1);
    for (int i = 0; i <= gangs; ++i)
        rig.change_node(fmt::format("b0-r0-h{:02}", i), [](model::Node& node) { node.unschedulable = true; });
    rig.now += Time{20};
    rig.step(Ticked{});
    CHECK(held() > gangs / 2);
    rig.advance(Time{100});
    CHECK(held() == 0);
    CHECK(rig.searches.size() == 1);
}

TEST_CASE("a node that leaves just after a gang was placed costs it one seat (BD4)") {
    Rig rig(apart());
    gang_of_16(rig);
    sync(rig);
    rig.searches.front().task->run();
    rig.step(SearchEnded{rig.searches.front().search});
    rig.searches.pop_front();
    REQUIRE(holds(rig, "train"));
    rig.remove_node("b0-r0-h03");
    rig.advance(Time{100});
    CHECK(rig.searches.size() == 1);
    CHECK(rig.engine.published()->stats.held_seats == 15);
}

TEST_CASE("during a search no binding is posted again for a member whose group has gone (B5)") {
    Rig rig(apart());
    rig.fabric(1, 1, 4);
    add_parts(rig, composite("both", 2), {"decode", "prefill"}, 1);
    sync(rig);
    end_searches(rig);
    answer_bindings(rig, "decode-0", model::Outcome::Kind::conflict);
    rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::ReadPod>(write); };
    rig.schedule_all();
    rig.schedule_all();
    idle(rig);
    REQUIRE(count_of(rig.writes, "bind decode-0") == 1);
    rig.pods("prefill", 1, 2);  // An extra takes a search.
    idle(rig);
    REQUIRE(rig.searches.size() == 1);
    rig.remove_gang("decode");
    rig.is_late = nullptr;
    rig.settle();
    idle(rig);
    CHECK(count_of(rig.writes, "bind decode-0") == 1);
}

}  // namespace
}  // namespace echelon::engine
