// Two gangs of one profile are cleared for at once where their domains do not overlap (P6).

#include "unit-tests/engine/support/clearing_world.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::comes;
using test::full_rack;
using test::phase_of;
using test::preempting;
using test::Rig;

// Racks of two hosts each, full of one less important gang each.
void full_racks(Rig& rig, int racks) {
    rig.fabric(1, racks, 2);
    rig.synced();
    for (int i = 0; i < racks; ++i) {
        const auto name = fmt::format("low{}", i);
        rig.gang({name, 2, test::rack_key, 1, 1});
        rig.pods(name, 0, 2);
        rig.live(3);
    }
    REQUIRE(rig.bound().size() == static_cast<std::size_t>(2 * racks));
}

void wants(Rig& rig, const std::string& name, const std::string& required, std::int64_t priority) {
    rig.gang({name, 2, required, priority, 2});
    rig.pods(name, 0, 2);
    rig.advance(Time{1000});
}

std::set<std::string> nodes_of(const Rig& rig, const std::string& gang) {
    std::set<std::string> nodes;
    for (const auto& seat : rig.record(gang)->seats)
        nodes.insert(seat.node);
    return nodes;
}

TEST_CASE("two gangs are cleared for at once, in two racks (P6)") {
    Rig rig(test::preempting());
    full_racks(rig, 3);
    wants(rig, "first", test::rack_key, 100);
    REQUIRE(test::phase_of(rig, "first") == model::Phase::clearing);
    wants(rig, "second", test::rack_key, 200);
    CHECK(test::phase_of(rig, "first") == model::Phase::clearing);
    CHECK(test::phase_of(rig, "second") == model::Phase::clearing);
    CHECK(rig.evicted.size() == 4);
    auto both = nodes_of(rig, "first");
    both.merge(nodes_of(rig, "second"));
    CHECK(both.size() == 4);
    rig.finish_evicted();
    rig.live(5);
    CHECK(rig.bound().contains("first-1"));
    CHECK(rig.bound().contains("second-1"));
    CHECK(rig.evicted.size() == 4);
}

TEST_CASE("a gang whose domain would overlap waits for the clearing that goes on (P6)") {
    Rig rig(test::preempting());
    full_racks(rig, 2);
    wants(rig, "first", test::rack_key, 100);
    REQUIRE(test::phase_of(rig, "first") == model::Phase::clearing);
    SUBCASE("its level is wider") {
        wants(rig, "second", test::block_key, 100);
    }
    SUBCASE("it requires no level") {
        wants(rig, "second", {}, 100);
    }
    CHECK(test::phase_of(rig, "second") == model::Phase::pending);
    CHECK(rig.record("second")->message.find("pods are being evicted for gang default/first") != std::string::npos);
    CHECK(rig.evicted.size() == 2);
    rig.finish_evicted();
    rig.live(30);
    CHECK(rig.bound().contains("first-1"));
    rig.finish_evicted();
    rig.live(5);
    CHECK(rig.bound().contains("second-1"));
}

TEST_CASE("beside a clearing in the whole cluster none begins (P6)") {
    Rig rig(test::preempting());
    full_racks(rig, 2);
    wants(rig, "first", {}, 100);
    REQUIRE(test::phase_of(rig, "first") == model::Phase::clearing);
    wants(rig, "second", test::rack_key, 200);
    CHECK(test::phase_of(rig, "second") == model::Phase::pending);
    CHECK(rig.evicted.size() == 2);
}

TEST_CASE("evicted pods that do not end hinder every other clearing of the profile (P5, P6)") {
    Rig rig(test::preempting());
    full_racks(rig, 2);
    wants(rig, "first", test::rack_key, 100);
    rig.advance(Time{310'000});
    REQUIRE(test::phase_of(rig, "first") == model::Phase::pending);
    wants(rig, "second", test::rack_key, 200);
    CHECK(test::phase_of(rig, "second") == model::Phase::pending);
    CHECK(rig.evicted.size() == 2);
}

TEST_CASE("a gang that loses pods to one clearing loses none to another at the same time (P6, U1)") {
    Rig rig(test::preempting());
    rig.fabric(1, 2, 2);
    rig.synced();
    // Above its minimum by two pods, one in each rack.
    rig.gang({"low", 2, {}, 1, 1});
    rig.pods("low", 0, 4);
    rig.live(4);
    REQUIRE(rig.bound().size() == 4);
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::EvictPod>(write))
            return std::nullopt;
        return test::answer(model::Outcome::Kind::unknown);
    };
    for (const char* name : {"first", "second"}) {
        rig.gang({name, 1, test::rack_key, 100, 2});
        rig.pods(name, 0, 1);
        rig.advance(Time{1000});
    }
    REQUIRE(test::phase_of(rig, "first") == model::Phase::clearing);
    CHECK(test::phase_of(rig, "second") == model::Phase::pending);
    rig.fate = nullptr;
    rig.advance(Time{20'000});
    CHECK(rig.evicted.size() == 1);
    rig.finish_evicted();
    rig.live(20);
    CHECK(rig.evicted.size() == 2);
}

TEST_CASE("after a restart a clearing whose room others have by now takes no committed seat (I8, P4)") {
    for (const std::string other : {"above", "winner"}) {  // Before and after "top".
        CAPTURE(other);
        Rig rig(preempting());
        full_rack(rig);
        comes(rig);
        REQUIRE(phase_of(rig, "top") == model::Phase::clearing);
        auto record = *rig.record("top");
        rig.remove_gang("top");
        rig.remove_pod("top-0");
        rig.remove_pod("top-1");
        rig.finish_evicted();
        rig.advance(Time{1000});
        rig.gang({other, 1, {}, 50, 3});
        rig.pods(other, 0, 2);
        rig.advance(Time{1000});
        rig.is_late = [&](const model::Write& write) {
            const auto* bind = std::get_if<model::BindPod>(&write);
            return bind != nullptr && bind->pod.name == other + "-1";
        };
        rig.schedule_all();
        rig.settle();
        REQUIRE(phase_of(rig, other) == model::Phase::committed);
        const auto seat = rig.filter(other + "-1").node;
        REQUIRE(std::ranges::any_of(record.seats, [&](const auto& each) { return each.node == seat; }));
        rig.restart_before_sync();
        rig.gang({"top", 2, {}, 100, 2});
        rig.pods("top", 0, 2);
        for (auto& each : record.seats)
            each.uid = rig.pod_of(std::string(each.pod).substr(std::string("default/").size())).uid;
        rig.step(Observed{model::PlanSeen{record, "plan-of-top"}});  // It was about to be written anew.
        rig.notes.clear();
        rig.synced();
        CHECK(rig.filter(other + "-1").node == seat);
        CHECK(std::ranges::none_of(rig.notes, [](const Note& note) { return note.sentence == "holds 1 seat"; }));
    }
}

TEST_CASE("after a restart a commit goes on although pods that were evicted for the gang are still there (P4, I8)") {
    Rig rig(preempting());
    full_rack(rig);
    comes(rig);
    REQUIRE(phase_of(rig, "top") == model::Phase::clearing);
    REQUIRE(!rig.evicted.empty());
    const std::string other = rig.evicted.front().starts_with("low") ? "other" : "low";
    rig.remove_pod(other + "-0");  // Room comes where no pod was evicted.
    rig.remove_pod(other + "-1");
    rig.advance(Time{1000});
    rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::BindPod>(write); };
    rig.schedule_all();
    rig.advance(Time{1000});
    REQUIRE(phase_of(rig, "top") == model::Phase::committed);
    REQUIRE(!rig.record("top")->victims.empty());
    rig.is_late = nullptr;
    rig.restart();
    CHECK(phase_of(rig, "top") != model::Phase::clearing);
    rig.live(3);
    CHECK(phase_of(rig, "top") == model::Phase::bound);
}

}  // namespace
}  // namespace echelon::engine
