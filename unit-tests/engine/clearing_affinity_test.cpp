// Pods are evicted that only anti-affinity puts in the way of a gang (U5, D14).

#include "solver/preemption/victims.hpp"
#include "unit-tests/engine/support/clearing_world.hpp"

#include <set>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::Rig;

constexpr const char* host_key = "kubernetes.io/hostname";

// Keeps away from every pod of app x.
void avoid_x(Rig& rig, const std::string& name, const std::string& key) {
    model::PodTerm term;
    term.key = key;
    term.labels = {{"app", model::Requirement::Operator::in, {"x"}}};
    term.namespaces = {"default"};
    rig.change_pod(name, [&](model::Pod& pod) { pod.terms = {term}; });
}

enum class Avoids : std::uint8_t { gang, pod };

void beside(Rig& rig, const std::string& pod, const std::string& node, std::int64_t priority, Avoids avoids,
            const std::string& key = host_key) {
    rig.pod(pod, "", false);
    if (avoids == Avoids::gang) {
        rig.label_pod(pod, {{"app", "x"}});
    } else {
        avoid_x(rig, pod, key);
    }
    rig.change_pod(pod, [&](model::Pod& each) {
        each.priority = priority;
        each.node = node;
    });
}

// A gang of one pod, of which the room is there.
void comes(Rig& rig, Avoids avoids, const std::string& key = host_key) {
    rig.gang({"top", 1, {}, 100, 2});
    rig.pods("top", 0, 1);
    if (avoids == Avoids::gang) {
        avoid_x(rig, "top-0", key);
    } else {
        rig.label_pod("top-0", {{"app", "x"}});
    }
    rig.advance(Time{1000});
}

// One host with room for two pods, and a pod on it that is in the way.
void one_in_the_way(Rig& rig, Avoids avoids = Avoids::gang) {
    rig.node("n0", "b0", "r0", 16);
    rig.synced();
    beside(rig, "p", "n0", 1, avoids);
    comes(rig, avoids);
}

std::size_t ended(Rig& rig, ClearingResult result) {
    return rig.engine.published()->stats.clearings[static_cast<std::size_t>(result)];
}

TEST_CASE("a pod goes that only anti-affinity puts in the way, of the gang or of the pod (U5, D14)") {
    for (const auto avoids : {Avoids::gang, Avoids::pod}) {
        CAPTURE(static_cast<int>(avoids));
        Rig rig(test::preempting());
        one_in_the_way(rig, avoids);
        REQUIRE(rig.evicted == std::vector<std::string>{"p"});
        CHECK(rig.record("top")->message == "1 pod has to go first: default/p");
        rig.live(5);
        CHECK(test::phase_of(rig, "top") == model::Phase::clearing);
        CHECK(rig.gated("top") == 1);
        CHECK(!rig.bound().contains("top-0"));
        rig.finish_evicted();
        rig.live(5);
        CHECK(rig.bound().at("top-0") == "n0");
        CHECK(ended(rig, ClearingResult::placed) == 1);
    }
}

TEST_CASE("pods of a whole rack go where the gang keeps away from them in the rack, and it takes a free host (D14)") {
    Rig rig(test::preempting());
    rig.fabric(1, 1, 3);
    rig.synced();
    beside(rig, "p", "b0-r0-h00", 1, Avoids::gang);
    beside(rig, "q", "b0-r0-h01", 1, Avoids::gang);
    comes(rig, Avoids::gang, test::rack_key);
    REQUIRE(rig.evicted.size() == 2);
    rig.remove_pod("p");
    rig.live(3);
    CHECK(rig.gated("top") == 1);
    CHECK(test::phase_of(rig, "top") == model::Phase::clearing);
    rig.finish_evicted();
    rig.live(5);
    CHECK(rig.bound().contains("top-0"));
}

TEST_CASE("nobody goes for a host where a pod stays that anti-affinity puts in the way (U3, D14)") {
    Rig rig(test::preempting());
    rig.node("n0", "b0", "r0", 24);
    rig.synced();
    beside(rig, "p", "n0", 1, Avoids::gang);
    beside(rig, "q", "n0", 100, Avoids::gang);
    comes(rig, Avoids::gang);
    CHECK(rig.evicted.empty());
    CHECK(rig.record("top")->reason == "NoRoom");
}

TEST_CASE("nobody goes for a host where a less important gang has a seat that anti-affinity puts in the way (D14)") {
    Rig rig(test::preempting());
    rig.node("n0", "b0", "r0", 24);
    rig.synced();
    rig.gang({"other", 1, {}, 100, 1});
    rig.pods("other", 0, 1);
    rig.label_pod("other-0", {{"app", "x"}});
    rig.advance(Time{1000});
    REQUIRE(test::phase_of(rig, "other") == model::Phase::held);
    beside(rig, "p", "n0", 1, Avoids::gang);
    comes(rig, Avoids::gang);
    CHECK(rig.evicted.empty());
    CHECK(rig.record("top")->reason == "NoRoom");
}

TEST_CASE("a pod that ends already, and that anti-affinity puts in the way, is waited for (P4, D14)") {
    Rig rig(test::preempting());
    rig.node("n0", "b0", "r0", 16);
    rig.node("n1", "b0", "r0", 8);
    rig.synced();
    beside(rig, "p", "n0", 1, Avoids::gang);
    beside(rig, "q", "n1", 0, Avoids::gang);
    rig.change_pod("p", [](model::Pod& pod) { pod.deleting = true; });
    comes(rig, Avoids::gang);
    CHECK(rig.evicted.empty());
    rig.remove_pod("p");
    rig.live(5);
    CHECK(rig.bound().at("top-0") == "n0");
    CHECK(rig.evicted.empty());
}

TEST_CASE("a restart goes on with pods that only anti-affinity puts in the way (P4, D14)") {
    Rig rig(test::preempting());
    test::delay_records(rig);
    one_in_the_way(rig);
    REQUIRE(rig.evicted.empty());
    rig.is_late = nullptr;
    rig.restart();
    rig.advance(Time{1000});
    REQUIRE(rig.evicted == std::vector<std::string>{"p"});
    rig.restart();
    rig.live(3);
    CHECK(test::phase_of(rig, "top") == model::Phase::clearing);
    CHECK(rig.gated("top") == 1);
    CHECK(rig.evicted.size() == 1);
    rig.finish_evicted();
    rig.live(5);
    CHECK(rig.bound().at("top-0") == "n0");
}

TEST_CASE("a refused eviction ends a clearing for anti-affinity, and so does a pod that comes in between (P5, D14)") {
    Rig refused(test::preempting());
    test::refuse_eviction(refused, "p");
    one_in_the_way(refused);
    CHECK(refused.evicted.empty());
    CHECK(ended(refused, ClearingResult::refused) == 1);
    CHECK(test::phase_of(refused, "top") == model::Phase::pending);

    Rig again(test::preempting());
    one_in_the_way(again);
    REQUIRE(again.evicted.size() == 1);
    again.finish_evicted();
    beside(again, "p", "n0", 1, Avoids::gang);
    again.live(3);
    CHECK(!again.bound().contains("top-0"));
    CHECK(ended(again, ClearingResult::placed) == 0);
    CHECK(ended(again, ClearingResult::changed) == 1);
}

TEST_CASE("the explain snapshot has the pod that only anti-affinity puts in the way (U5, D14)") {
    Rig rig;
    rig.node("n0", "b0", "r0", 16);
    rig.synced();
    beside(rig, "p", "n0", 1, Avoids::pod);
    comes(rig, Avoids::pod);
    const auto evidence = rig.engine.explain_snapshot({"podgroup", "default/top"});
    REQUIRE(evidence->victims);
    const auto answer =
        solver::preemption::choose_victims(evidence->snapshot, evidence->gang, evidence->victims->running);
    const auto* eviction = std::get_if<solver::preemption::Eviction>(&answer);
    REQUIRE(eviction != nullptr);
    REQUIRE(eviction->victims.size() == 1);
    CHECK(eviction->victims.front().pod == "default/p");
}

// A gang of two pods, of which the first is at the barrier. Then a pod comes to the third host of the rack.
void comes_into_the_rack(Rig& rig, Avoids avoids) {
    rig.fabric(1, 2, 3);
    rig.synced();
    rig.gang({"train", 2, test::rack_key});
    rig.pods("train", 0, 2);
    for (const std::string name : {"train-0", "train-1"}) {
        if (avoids == Avoids::gang) {
            avoid_x(rig, name, test::rack_key);
        } else {
            rig.label_pod(name, {{"app", "x"}});
        }
    }
    rig.advance(Time{1000});
    rig.arrive("train", 0, 1);
    rig.settle();
    const auto node = rig.filter("train-1").node;
    REQUIRE(node == "b0-r0-h01");
    beside(rig, "p", "b0-r0-h02", 0, avoids, test::rack_key);
}

TEST_CASE("no member is bound into a rack to which a pod has come that anti-affinity keeps apart (D14)") {
    for (const auto avoids : {Avoids::gang, Avoids::pod}) {
        CAPTURE(static_cast<int>(avoids));
        Rig rig;
        comes_into_the_rack(rig, avoids);
        rig.arrive("train", 1, 2);
        rig.settle();
        CHECK(!rig.bound().contains("train-0"));
        rig.live(5);
        CHECK(rig.racks_of("train") == std::set<std::string>{"b0-r1"});
    }
}

}  // namespace
}  // namespace echelon::engine
