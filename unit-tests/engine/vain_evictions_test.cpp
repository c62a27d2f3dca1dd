// Pods go for a gang only if it starts on their room: not where kube-scheduler refuses it (P5, V1).

#include "unit-tests/engine/support/clearing_world.hpp"
#include "unit-tests/engine/support/long_searches.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::Rig;

// A rack of twelve hosts with a pod of low priority on each, and the gang "top" of two.
void rack_of_twelve(Rig& rig) {
    for (int host = 0; host < 12; ++host) {
        rig.node(fmt::format("h{:02}", host), "b0", "r0");
        const auto name = fmt::format("low-{:02}", host);
        rig.pod(name, "", false);
        rig.change_pod(name, [&](model::Pod& pod) {
            pod.node = fmt::format("h{:02}", host);
            pod.priority = 0;
        });
    }
    rig.node("other-1", "b0", "r1");
    rig.node("other-2", "b0", "r2");
    rig.synced();
    rig.advance(Time{1000});
    rig.gang({"top", 2, test::rack_key, 100, 2});
    rig.pods("top", 0, 2);
}

// For `seconds`, kube-scheduler's own filters leave only `nodes` to members of "top", and evicted pods end at once.
void refuse_elsewhere(Rig& rig, int seconds, const std::vector<std::string>& nodes) {
    for (int second = 0; second < seconds; ++second) {
        rig.advance(Time{1000});
        for (const char* member : {"top-0", "top-1"}) {
            if (rig.pod_of(member).gates.empty())
                rig.filter(member, nodes);
        }
        rig.finish_evicted();
    }
}

TEST_CASE("a gang that kube-scheduler refuses on the room of the victims gets no further ones while it does (P5)") {
    Rig rig(test::preempting());
    rack_of_twelve(rig);
    refuse_elsewhere(rig, 240, {"other-1", "other-2"});
    CHECK(test::count_of(rig.writes, "evict ") <= 2);
    const auto& message = rig.record("top")->message;
    CHECK(message.find("kube-scheduler's own filters refuse ") != std::string::npos);
    CHECK(rig.record("top")->reason == "NoRoom");
}

TEST_CASE("a gang that doesn't start on the room of the victims waits for longer each time (P5)") {
    Rig rig(test::preempting());
    rack_of_twelve(rig);
    refuse_elsewhere(rig, 3600, {"other-1"});  // One name shows nothing about the planned node (R3).
    CHECK(test::count_of(rig.writes, "evict ") <= 12);
}

// Searches within a step end early.
Options preempting_apart() {
    auto options = test::apart();
    options.profiles = test::preempting().profiles;
    return options;
}

// Hosts with a pod of low priority on each.
void hosts_with_pods(Rig& rig, int count) {
    for (int host = 0; host < count; ++host) {
        const auto node = fmt::format("h{}", host);
        rig.node(node, "b0", "r0");
        rig.pod("low-" + node, "", false);
        rig.change_pod("low-" + node, [&](model::Pod& pod) { pod.node = node; });
    }
    test::sync(rig);
}

TEST_CASE("no pod is evicted while those that are ending leave room, however long a search takes (P5, BD4)") {
    Rig rig(preempting_apart());
    hosts_with_pods(rig, 4);
    for (const char* pod : {"low-h2", "low-h3"})
        rig.change_pod(pod, [](model::Pod& ending) { ending.deleting = true; });
    rig.gang({"top", 2, {}, 100, 2});
    rig.pods("top", 0, 4);
    test::idle(rig);
    test::end_searches(rig);
    CHECK(rig.evicted.empty());
}

TEST_CASE("a gang keeps the room that its victims leave, however long a search for it would take (P5, BD4)") {
    Rig rig(preempting_apart());
    hosts_with_pods(rig, 2);
    rig.gang({"top", 2, {}, 100, 2});
    rig.pods("top", 0, 4);
    test::idle(rig);
    test::end_searches(rig);
    REQUIRE(rig.evicted.size() == 2);
    rig.change_pod(rig.evicted.front(), [](model::Pod& pod) { pod.deleting = true; });
    test::idle(rig);
    CHECK(test::phase_of(rig, "top") == model::Phase::clearing);
    rig.finish_evicted();
    test::idle(rig);
    test::end_searches(rig);
    rig.live(5);
    CHECK(rig.bound().contains("top-1"));
}

TEST_CASE("a gang keeps the room that pods have left for it, also if searches for more end at their budget (P5)") {
    auto options = test::preempting();
    options.budget.steps = 5;
    Rig rig(options);
    rig.node("h0", "b0", "r0");
    rig.pod("low", "", false);
    rig.change_pod("low", [](model::Pod& pod) { pod.node = "h0"; });
    rig.synced();
    rig.gang({"top", 2, {}, 100, 2});
    rig.pod("top-0", "top", true, 4);
    rig.pod("top-1", "top", true, 4);
    rig.advance(Time{500});
    REQUIRE(rig.evicted.size() == 1);
    for (int extra = 2; extra < 200; ++extra)
        rig.pod(fmt::format("top-{}", extra), "top", true, extra);
    rig.advance(Time{500});
    rig.finish_evicted();
    rig.advance(Time{3000});
    CHECK(test::phase_of(rig, "top") == model::Phase::held);
    rig.live(5);
    CHECK(rig.bound().contains("top-0"));
    CHECK(rig.bound().contains("top-1"));
}

}  // namespace
}  // namespace echelon::engine
