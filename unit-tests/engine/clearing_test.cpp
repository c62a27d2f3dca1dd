// Pods of lower priority are evicted for a gang: the course of a clearing (rules P1 to P4, P7, P8).

#include "unit-tests/engine/support/clearing_world.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::Rig;

TEST_CASE("a whole gang is evicted for a more important one, which then gets every seat (P1)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    test::comes(rig);
    REQUIRE(rig.evicted.size() == 2);
    const auto gang = rig.evicted.front().substr(0, rig.evicted.front().rfind('-'));
    CHECK(rig.evicted.back().substr(0, rig.evicted.back().rfind('-')) == gang);
    rig.finish_evicted();
    rig.live(5);
    CHECK(rig.bound().contains("top-0"));
    CHECK(rig.bound().contains("top-1"));
    CHECK(rig.bound().size() == 4);
    CHECK(test::phase_of(rig, "top") == model::Phase::bound);
    CHECK(rig.record("top")->victims.empty());
    CHECK(rig.engine.published()->stats.clearings[static_cast<std::size_t>(ClearingResult::placed)] == 1);
}

TEST_CASE("no pod is evicted before the record with the victims is stored (P2)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    test::delay_records(rig);
    test::comes(rig);
    CHECK(rig.evicted.empty());
    CHECK(test::count_of(rig.writes, "record top Clearing") == 1);
    rig.is_late = nullptr;
    rig.advance(Time{1000});
    REQUIRE(rig.evicted.size() == 2);
    CHECK(test::first_of(rig.writes, "record top Clearing") < test::first_of(rig.writes, "evict "));
    const auto* record = rig.record("top");
    REQUIRE(record->victims.size() == 2);
    CHECK(record->phase == model::Phase::clearing);
    CHECK(record->reason.empty());
    CHECK(record->seats.size() == 2);
    for (const auto& victim : record->victims) {
        CHECK(victim.priority == 1);
        CHECK(std::ranges::find(rig.evicted, victim.pod.substr(8)) != rig.evicted.end());
        CHECK(rig.bound().at(victim.pod.substr(8)) == victim.node);
    }
}

TEST_CASE("no pod is evicted if the API server serves no GangPlans (P2)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::ApplyPlan>(write))
            return std::nullopt;
        return test::answer(model::Outcome::Kind::gone);
    };
    test::comes(rig);
    rig.advance(Time{120'000});
    CHECK(rig.evicted.empty());
}

TEST_CASE("while victims are there members are nominated, but keep their gates and are not pinned (P3)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    test::comes(rig);
    rig.pod("top-2", "top", false);
    rig.advance(Time{1000});
    CHECK(rig.gated("top") == 2);
    CHECK(!rig.pod_of("top-0").nominated_node.empty());
    CHECK(!rig.pod_of("top-1").nominated_node.empty());
    for (const char* pod : {"top-0", "top-1"}) {
        CHECK(rig.filter(pod).text == "echelon: gang default/top: its seats wait for pods that are being evicted");
    }
    const auto call = rig.bind("top-0", rig.pod_of("top-0").nominated_node);
    REQUIRE(rig.answer(call) != nullptr);
    CHECK(!rig.answer(call)->error.empty());
    rig.finish_evicted();
    rig.advance(Time{1000});
    CHECK(test::phase_of(rig, "top") == model::Phase::held);
    CHECK(rig.gated("top") == 0);
    CHECK(!rig.filter("top-0").node.empty());
}

TEST_CASE("a member without the gate is nominated, and not woken before the room is there (P3)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    rig.gang({"top", 2, {}, 100, 2});
    rig.pods("top", 0, 2, false);
    rig.live(60);
    REQUIRE(test::phase_of(rig, "top") == model::Phase::clearing);
    CHECK(test::count_of(rig.writes, "kick top") == 0);
    CHECK(test::count_of(rig.writes, "nominate top") == 2);
    rig.finish_evicted();
    rig.live(6);
    CHECK(rig.bound().contains("top-0"));
    CHECK(rig.bound().contains("top-1"));
}

TEST_CASE("as long as one victim is there no gate falls (P3)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    test::comes(rig);
    REQUIRE(rig.evicted.size() == 2);
    rig.remove_pod(rig.evicted.front());
    rig.live(3);
    CHECK(rig.gated("top") == 2);
    CHECK(test::phase_of(rig, "top") == model::Phase::clearing);
    rig.remove_pod(rig.evicted.back());
    rig.live(3);
    CHECK(rig.bound().contains("top-1"));
}

TEST_CASE("a restart goes on from the record, and enlarges nothing (P4)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    bool is_lost = true;
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        if (!is_lost || !std::holds_alternative<model::EvictPod>(write))
            return std::nullopt;
        return test::answer(model::Outcome::Kind::unknown);
    };
    test::comes(rig);
    REQUIRE(test::phase_of(rig, "top") == model::Phase::clearing);
    const auto victims = rig.record("top")->victims;
    const auto seats = rig.record("top")->seats;
    REQUIRE(rig.evicted.empty());
    is_lost = false;
    rig.restart();
    rig.advance(Time{1000});
    CHECK(rig.record("top")->victims == victims);
    CHECK(rig.record("top")->seats == seats);
    CHECK(rig.evicted.size() == victims.size());
    rig.restart();
    rig.advance(Time{1000});
    CHECK(rig.evicted.size() == victims.size());
    rig.finish_evicted();
    rig.live(5);
    CHECK(rig.bound().contains("top-0"));
    CHECK(rig.bound().contains("top-1"));
}

TEST_CASE("a record that is seen after the gang was planned again is continued, and no other pod is evicted (P4)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::ApplyPlan>(write) || std::get<model::ApplyPlan>(write).record.name != "top")
            return std::nullopt;
        return test::answer(model::Outcome::Kind::conflict);
    };
    test::comes(rig);
    REQUIRE(rig.evicted.empty());
    // An earlier run has chosen the other gang, and has asked for the eviction of one pod.
    const auto chosen = rig.engine.published()->gangs.find("default/top")->record.victims;
    REQUIRE(chosen.size() == 2);
    const std::string others = chosen.front().gang == "default/low" ? "other" : "low";
    model::PlanRecord record = rig.engine.published()->gangs.find("default/top")->record;
    record.epoch = 7;
    record.victims.clear();
    for (int i = 0; i < 2; ++i) {
        const auto& pod = rig.pod_of(fmt::format("{}-{}", others, i));
        record.victims.push_back(
            {.pod = pod.full_name(), .uid = pod.uid, .node = pod.node, .gang = "default/" + others, .priority = 1});
        record.seats[static_cast<std::size_t>(i)].node = pod.node;
    }
    rig.fate = nullptr;
    rig.step(Observed{model::PlanSeen{record, "plan-9"}});
    rig.advance(Time{2000});
    CHECK(rig.record("top")->victims == record.victims);
    CHECK(rig.record("top")->epoch == 7);
    std::ranges::sort(rig.evicted);
    CHECK(rig.evicted == std::vector<std::string>{others + "-0", others + "-1"});
    rig.finish_evicted();
    rig.live(5);
    CHECK(rig.bound().contains("top-0"));
    CHECK(rig.bound().contains("top-1"));
}

TEST_CASE("once a record of this run is kept, that of another one is written over (P4)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    test::comes(rig);
    REQUIRE(rig.evicted.size() == 2);
    auto record = *rig.record("top");
    record.epoch = 77;
    for (auto& victim : record.victims)
        victim.pod += "-else";
    rig.step(Observed{model::PlanSeen{record, "plan-9"}});
    rig.advance(Time{3000});
    CHECK(rig.record("top")->epoch != 77);
    CHECK(rig.evicted.size() == 2);
}

TEST_CASE("a forged record evicts no pod that is as important, protected or unknown (P4)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    rig.change_gang("low", [](model::Group& group) { group.priority = 100; });
    rig.change_pod("other-0", [](model::Pod& pod) { pod.is_protected = true; });
    test::delay_records(rig);
    rig.gang({"top", 2, {}, 100, 2});
    rig.pods("top", 0, 2);
    rig.advance(Time{1000});
    rig.is_late = nullptr;
    model::PlanRecord record;
    record.ns = "default";
    record.name = "top";
    record.root = {"podgroup", "default/top"};
    record.phase = model::Phase::clearing;
    for (const char* name : {"low-0", "low-1", "other-0", "other-1"}) {
        const auto& pod = rig.pod_of(name);
        record.victims.push_back({.pod = pod.full_name(), .uid = pod.uid, .node = pod.node, .gang = {}, .priority = 0});
    }
    record.victims.back().node = "b0-r0-h77";
    for (const char* name : {"top-0", "top-1"})
        record.seats.push_back(
            {.pod = std::string("default/") + name, .uid = rig.pod_of(name).uid, .node = "b0-r0-h00"});
    rig.step(LeadChanged{false});
    rig.step(Observed{model::PlanSeen{record, "plan-9"}});
    rig.step(LeadChanged{true});
    rig.advance(Time{60'000});
    CHECK(rig.evicted.empty());
}

TEST_CASE("room that comes by itself spares the victims that are not evicted yet (P4)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    test::delay_records(rig);
    test::comes(rig);
    REQUIRE(test::count_of(rig.writes, "record top Clearing") == 1);
    rig.node("b0-r0-h08", "b0", "r0");
    rig.node("b0-r0-h09", "b0", "r0");
    rig.advance(Time{2000});
    rig.is_late = nullptr;
    rig.live(5);
    CHECK(rig.evicted.empty());
    CHECK(rig.bound().size() == 6);
    CHECK(rig.engine.published()->stats.clearings[static_cast<std::size_t>(ClearingResult::cheaper)] == 1);
}

TEST_CASE("one round at a time: another gang of the profile waits until the victims of the first are gone (P4, P6)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    test::comes(rig);
    REQUIRE(rig.evicted.size() == 2);
    test::comes(rig, "second");
    rig.advance(Time{60'000});
    CHECK(rig.evicted.size() == 2);
    CHECK(rig.record("second")->message.find("pods are being evicted for gang default/top") != std::string::npos);
    rig.finish_evicted();
    rig.live(20);
    CHECK(rig.bound().contains("top-1"));
    CHECK(rig.evicted.size() == 4);
    rig.finish_evicted();
    rig.live(5);
    CHECK(rig.bound().contains("second-1"));
}

TEST_CASE("victims that come again do not take the room that they left (P7)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    test::comes(rig);
    REQUIRE(rig.evicted.size() == 2);
    const auto victim = rig.evicted.front().substr(0, rig.evicted.front().rfind('-'));
    rig.remove_pod(rig.evicted.front());
    rig.pod(rig.evicted.front(), victim, false);
    rig.live(3);
    CHECK(!rig.bound().contains(rig.evicted.front()));
    rig.remove_pod(rig.evicted.back());
    rig.pod(rig.evicted.back(), victim, false);
    rig.live(6);
    CHECK(rig.bound().contains("top-0"));
    CHECK(rig.bound().contains("top-1"));
    CHECK(!rig.bound().contains(rig.evicted.front()));
}

TEST_CASE("a gang that waits for its victims takes no room from seats that others hold (P3)") {
    Rig rig(test::preempting());
    rig.fabric(1, 1, 1);
    rig.synced();
    rig.gang({"low", 1, {}, 1, 1});
    rig.pod("low-0", "low", true, 4);
    rig.live(3);
    rig.gang({"equal", 1, {}, 100, 1});
    rig.pod("equal-0", "equal", true, 4);
    rig.advance(Time{1000});
    REQUIRE(test::phase_of(rig, "equal") == model::Phase::held);
    rig.gang({"top", 1, {}, 100, 2});
    rig.pod("top-0", "top", true, 4);
    rig.advance(Time{1000});
    REQUIRE(test::phase_of(rig, "top") == model::Phase::clearing);
    rig.pod("equal-1", "equal", true, 4);  // It is planned again.
    rig.advance(Time{1000});
    CHECK(test::phase_of(rig, "equal") == model::Phase::held);
    rig.live(4);
    CHECK(rig.bound().contains("equal-0"));
    rig.finish_evicted();
    rig.live(4);
    CHECK(rig.bound().contains("top-0"));
}

TEST_CASE("holds of less important gangs go first, and cost no pod (V3)") {
    Rig rig(test::preempting());
    rig.fabric(1, 1, 2);
    rig.synced();
    rig.gang({"low", 2, {}, 1, 1});
    rig.pods("low", 0, 2);
    rig.advance(Time{1000});
    REQUIRE(test::phase_of(rig, "low") == model::Phase::held);
    test::comes(rig);
    rig.live(3);
    CHECK(rig.evicted.empty());
    CHECK(rig.bound().contains("top-0"));
    CHECK(rig.bound().contains("top-1"));
    CHECK(!rig.bound().contains("low-0"));
}

TEST_CASE("no pod is evicted for room of pods that are already ending (P4)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    for (const char* pod : {"low-0", "low-1"})
        rig.change_pod(pod, [](model::Pod& changed) { changed.deleting = true; });
    test::comes(rig);
    rig.advance(Time{60'000});
    CHECK(rig.evicted.empty());
    rig.remove_pod("low-0");
    rig.remove_pod("low-1");
    rig.live(5);
    CHECK(rig.bound().contains("top-1"));
}

TEST_CASE("nobody waits for the room of an ending pod that asks for more than can be counted (BD3, P4)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    rig.node("hogs", "b0", "r0");
    for (const char* hog : {"hog-0", "hog-1"}) {  // Only the first one ends.
        rig.pod(hog, "", false, 4'000'000'000'000'000'000);
        rig.change_pod(hog, [](model::Pod& pod) { pod.node = "hogs"; });
    }
    rig.change_pod("hog-0", [](model::Pod& pod) { pod.deleting = true; });
    test::comes(rig);
    CHECK(rig.evicted.size() == 2);
}

TEST_CASE("nobody waits for the room of ending pods that come back to their nodes (P4)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    for (const char* pod : {"low-0", "low-1"})
        rig.change_pod(
            pod, [](model::Pod& changed) { changed.deleting = changed.is_protected = changed.is_of_node = true; });
    test::comes(rig);
    rig.advance(Time{1000});
    CHECK(rig.evicted == std::vector<std::string>{"other-0", "other-1"});
}

TEST_CASE("the gang, each victim and its gang hear of it, and figures count it (P8)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    test::comes(rig);
    rig.finish_evicted();
    rig.live(5);
    const auto told = [&](const std::string& reason, const std::string& kind) {
        return std::ranges::count_if(rig.events, [&](const model::EmitGangEvent& event) {
            return event.reason == reason && event.about_kind == kind;
        });
    };
    CHECK(told("Preempting", "PodGroup") == 1);
    CHECK(told("Preempted", "Pod") == 2);
    CHECK(told("Preempted", "PodGroup") == 1);
    const auto preempting = std::ranges::find(rig.events, std::string("Preempting"), &model::EmitGangEvent::reason);
    CHECK(preempting->sentence.starts_with("echelon: gang default/top: 2 pods have to go first: default/"));
    const auto stats = rig.engine.published()->stats;
    CHECK(stats.victims == 2);
    CHECK(std::ranges::count(stats.clearing_times.counts, 1U) == 1);
}

}  // namespace
}  // namespace echelon::engine
