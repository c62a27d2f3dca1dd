// BD4: a search that is longer than a step allows runs on another thread, and delays no other gang.

#include "unit-tests/engine/support/long_searches.hpp"

#include "engine/plan/long_search.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::apart;
using test::count_of;
using test::end_searches;
using test::gang_of_16;
using test::holds;
using test::idle;
using test::one_pod;
using test::Rig;
using test::sync;

TEST_CASE("a long search runs on another thread and finds the same plan as one within the step (BD4)") {
    Rig within;
    gang_of_16(within);
    sync(within);
    within.advance(Time{1000});
    REQUIRE(holds(within, "train"));

    Rig rig(apart());
    gang_of_16(rig);
    sync(rig);
    REQUIRE(rig.searches.size() == 1);
    CHECK(!holds(rig, "train"));
    std::thread elsewhere([&] { rig.searches.front().task->run(); });
    elsewhere.join();
    rig.end_search();
    idle(rig);
    REQUIRE(holds(rig, "train"));
    for (int i = 0; i < 16; ++i) {
        const auto name = fmt::format("train-{}", i);
        CHECK(rig.filter(name).node == within.filter(name).node);
    }
}

TEST_CASE("while a long search goes on the engine sleeps, and plain pods are bound (BD4)") {
    Rig rig(apart());
    gang_of_16(rig);
    rig.pod("plain", "", false, 1);
    sync(rig);
    REQUIRE(rig.searches.size() == 1);
    CHECK(rig.engine.wakes_at() > rig.now);
    rig.filter("plain");
    rig.bind("plain", "b1-r1-h15");
    CHECK(count_of(rig.writes, "bind plain") == 1);
    CHECK(rig.searches.size() == 1);
}

TEST_CASE("during a long search more important gangs are planned, and less important ones wait for its end (BD4)") {
    Rig rig(apart());
    rig.fabric(1, 2, 4);
    one_pod(rig, "middle", 5, 1);
    sync(rig);
    REQUIRE(rig.searches.size() == 1);
    one_pod(rig, "low", 1, 1);
    one_pod(rig, "high", 9, 1);
    idle(rig);
    REQUIRE(rig.searches.size() == 2);  // Of "middle" and "high".
    rig.end_search();
    idle(rig);
    CHECK(!holds(rig, "low"));
    CHECK(!holds(rig, "middle"));  // "high" precedes it.
    rig.end_search();
    idle(rig);
    CHECK(holds(rig, "high"));
    CHECK(holds(rig, "middle"));
    REQUIRE(rig.searches.size() == 1);
    rig.end_search();
    idle(rig);
    CHECK(holds(rig, "low"));
}

void occupy(Rig& rig, int host) {
    const auto pod = fmt::format("plain-{}", host);
    rig.pod(pod, "", false);
    rig.change_pod(pod, [&](model::Pod& each) { each.node = fmt::format("b0-r0-h{:02}", host); });
}

TEST_CASE("a plan that is outdated when it arrives is searched again, in the end briefly within the step (BD4)") {
    constexpr int hosts = 8;
    Rig rig(apart());
    rig.fabric(1, 1, hosts);
    for (int host = 1; host < hosts; ++host)
        occupy(rig, host);
    one_pod(rig, "g", 1);
    sync(rig);
    int searches = 0;
    for (; !rig.searches.empty() && searches + 1 < hosts; ++searches) {
        rig.searches.front().task->run();
        occupy(rig, searches);  // The one host that was free; the next one is free from now on.
        rig.remove_pod(fmt::format("plain-{}", searches + 1));
        rig.end_search();
        idle(rig);
    }
    CHECK(searches == 4);
    CHECK(holds(rig, "g"));
}

// All members of "train" have seats, found by a long search, and no gates.
void seat_train(Rig& rig) {
    gang_of_16(rig);
    sync(rig);
    while (!rig.searches.empty()) {
        rig.end_search();
        idle(rig);
    }
    REQUIRE(holds(rig, "train"));
    REQUIRE(rig.gated("train") == 0);
}

TEST_CASE("a gang keeps its seats while a long search replaces one of them, and nothing is bound meanwhile (BD4)") {
    Rig rig(apart());
    seat_train(rig);
    const auto lost = rig.filter("train-3").node;
    const auto kept = rig.filter("train-0").node;
    rig.remove_node(lost);
    idle(rig);
    REQUIRE(rig.searches.size() == 1);
    CHECK(rig.filter("train-0").node == kept);
    rig.schedule_all();
    idle(rig);
    CHECK(count_of(rig.writes, "bind train") == 0);
    end_searches(rig);
    CHECK(rig.searches.empty());
    rig.live(3);
    CHECK(rig.bound().size() == 16);
    CHECK(rig.racks_of("train").size() == 1);
}

TEST_CASE("a commit posts no binding while a long search replaces a seat (BD4)") {
    Rig rig(apart());
    seat_train(rig);
    const auto lost = rig.filter("train-3").node;
    rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::ApplyPlan>(write); };
    rig.arrive("train", 0, 16);
    rig.settle();
    rig.remove_node(lost);
    rig.is_late = nullptr;
    rig.settle();
    CHECK(count_of(rig.writes, "bind train") == 0);
    idle(rig);
    end_searches(rig);
    rig.live(20);
    end_searches(rig);
    rig.live(20);
    CHECK(rig.bound().size() == 16);
    CHECK(rig.racks_of("train").size() == 1);
}

TEST_CASE("a refusal that was found while room came or the gang changed is searched for anew (BD4)") {
    Rig rig(apart());
    rig.fabric(1, 2, 1);
    occupy(rig, 0);
    rig.gang({"g", 2, test::rack_key, 1, 1});
    rig.pods("g", 0, 2);
    sync(rig);
    REQUIRE(rig.searches.size() == 1);
    rig.searches.front().task->run();
    SUBCASE("room") {
        rig.node("b0-r1-h01", "b0", "r1");
    }
    SUBCASE("the level") {
        rig.change_gang("g", [](model::Group& group) { group.required.clear(); });
        rig.remove_pod("plain-0");
    }
    rig.end_search();
    CHECK(!holds(rig, "g"));
    CHECK(rig.record("g") == nullptr);  // No record says what isn't true.
    REQUIRE(rig.searches.size() == 1);
    rig.end_search();
    idle(rig);
    CHECK(holds(rig, "g"));
}

TEST_CASE("room that comes during a long search goes to members for which its plan had none (BD4)") {
    Rig rig(apart());
    rig.fabric(1, 1, 3);
    rig.pod("other", "");
    rig.change_pod("other", [](model::Pod& pod) { pod.node = "b0-r0-h02"; });
    rig.gang({"job", 2});
    rig.pods("job", 0, 3);
    sync(rig);
    REQUIRE(rig.searches.size() == 1);
    rig.searches.front().task->run();
    rig.remove_pod("other");
    rig.end_search();
    idle(rig);
    REQUIRE(rig.engine.held_seats().size() == 2);
    rig.advance(Time{5000});
    end_searches(rig);
    CHECK(rig.engine.held_seats().size() == 3);
}

TEST_CASE("a refusal by a long search counts like one within the step (BD4)") {
    Rig rig(apart());
    rig.fabric(1, 1, 1);
    occupy(rig, 0);
    one_pod(rig, "g", 1);
    sync(rig);
    int searches = 0;
    for (; !rig.searches.empty() && searches < 10; ++searches) {
        rig.end_search();
        idle(rig);
    }
    CHECK(searches <= 2);  // The first one begins while the pod is still arriving.
    REQUIRE(rig.record("g") != nullptr);
    CHECK(rig.record("g")->message.contains("has room for 0"));
}

TEST_CASE("a long search ends after its gang or the cluster has changed (BD4)") {
    Rig rig(apart());
    rig.fabric(1, 1, 2);
    one_pod(rig, "g", 1);
    sync(rig);
    REQUIRE(rig.searches.size() == 1);
    SUBCASE("its gang has gone") {
        rig.remove_pod("g-0");
        rig.remove_gang("g");
        rig.end_search();
        CHECK(!holds(rig, "g"));
    }
    SUBCASE("its gang has changed, and is searched for anew") {
        rig.searches.front().task->run();
        rig.pod("g-1", "g");
        idle(rig);
        REQUIRE(rig.searches.size() == 1);
        rig.end_search();
        CHECK(!holds(rig, "g"));
        REQUIRE(rig.searches.size() == 1);
        rig.end_search();
        CHECK(holds(rig, "g"));
        idle(rig);
        CHECK(rig.filter("g-1").node != "");
    }
    SUBCASE("other facts have changed, which don't break its plan") {
        rig.searches.front().task->run();
        rig.change_node("b0-r0-h01", [](model::Node& node) { node.labels["example.com/new"] = "1"; });
        idle(rig);
        REQUIRE(rig.searches.size() == 1);
        rig.end_search();
        CHECK(holds(rig, "g"));
    }
    SUBCASE("the lead has ended") {
        rig.step(LeadChanged{false});
        rig.end_search();
        idle(rig);
        CHECK(!holds(rig, "g"));
        rig.step(LeadChanged{true});
        idle(rig);
        CHECK(holds(rig, "g"));
    }
    SUBCASE("its number is unknown") {
        rig.step(SearchEnded{77});
        CHECK(!holds(rig, "g"));
    }
}

TEST_CASE("a late member takes no seat whose room others have taken, though the search for another one is long (I2)") {
    Rig rig(apart());
    rig.fabric(1, 1, 9);
    test::late_gang(rig, {"lws", 8, test::rack_key});
    rig.pods("lws", 0, 1);
    rig.synced();
    for (int round = 0; round < 4; ++round) {
        rig.advance(Time{500});
        while (!rig.searches.empty())
            rig.end_search();
        rig.schedule_all();
    }
    REQUIRE(rig.bound().size() == 1);
    REQUIRE(rig.engine.published()->stats.held_seats + rig.engine.published()->stats.committed_seats == 7);
    for (int host = 0; host < 9; ++host) {
        const auto name = fmt::format("b0-r0-h{:02}", host);
        if (rig.bound().begin()->second == name)
            continue;
        rig.pod("beside-" + name, "", false);
        rig.change_pod("beside-" + name, [&](model::Pod& pod) { pod.node = name; });
    }
    rig.pods("lws", 1, 2);
    rig.advance(Time{100});
    CHECK(rig.filter("lws-1").node.empty());
    CHECK(rig.engine.published()->stats.held_seats == 0);
}

}  // namespace
}  // namespace echelon::engine
