// Nothing is retried in a hot loop, whatever the API server answers.

#include "unit-tests/engine/support/clearing_world.hpp"
#include "unit-tests/engine/support/passing_gangs.hpp"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::GangSpec;
using test::Rig;
using Kind = model::Outcome::Kind;

// How often the engine wants to be woken within `by`; counts no further than `most`.
int wake_ups(Rig& rig, Time by, int most) {
    const Time end = rig.now + by;
    int count = 0;
    for (auto wake = rig.engine.wakes_at(); count < most && wake && *wake <= end; wake = rig.engine.wakes_at()) {
        rig.now = std::max(rig.now, *wake);
        rig.step(Ticked{});
        rig.settle();
        ++count;
    }
    return count;
}

TEST_CASE("a member that came to the barrier before its nomination was retried leaves no timer that is always due") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.gang({"train", 4, test::rack_key});
    rig.pods("train", 0, 4, false);
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::NominatePod>(write))
            return std::nullopt;
        return model::Outcome{Kind::unknown, "503", "", ""};
    };
    rig.synced();
    REQUIRE(!rig.filter("train-0").node.empty());
    rig.arrive("train", 0, 1);
    rig.fate = nullptr;
    CHECK(wake_ups(rig, Time{2000}, 1000) < 50);
}

TEST_CASE("a nomination for an earlier seat that is answered late leaves no timer that is always due (I12)") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.gang({"train", 2, test::rack_key});
    rig.pods("train", 0, 2, false);
    std::string first;
    rig.is_late = [&first](const model::Write& write) {
        const auto* nominate = std::get_if<model::NominatePod>(&write);
        if (nominate == nullptr || nominate->pod.name != "train-0")
            return false;
        if (first.empty())
            first = nominate->node;
        return nominate->node == first;
    };
    rig.fate = [&first](const model::Write& write) -> std::optional<model::Outcome> {
        const auto* nominate = std::get_if<model::NominatePod>(&write);
        if (nominate == nullptr || nominate->node == first)
            return std::nullopt;
        return model::Outcome{Kind::unknown, "503", "", ""};
    };
    rig.synced();
    rig.advance(Time{1000});
    REQUIRE(!first.empty());
    rig.change_node(first, [](model::Node& node) { node.unschedulable = true; });
    rig.advance(Time{2000});
    REQUIRE(rig.filter("train-0").node != first);
    rig.is_late = nullptr;
    rig.settle();
    rig.change_pod("train-0", [](const model::Pod&) {});
    CHECK(wake_ups(rig, Time{2000}, 1000) < 50);
}

TEST_CASE("a binding that meets conflicts although its pod is unbound is posted again with growing pauses (I4)") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.gang({"train", 2, test::rack_key});
    rig.pods("train", 0, 2);
    rig.synced();
    bool is_conflicting = true;
    int conflicts = 0;
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::BindPod>(write) || !is_conflicting || conflicts == 500)
            return std::nullopt;
        ++conflicts;
        return model::Outcome{Kind::conflict, "being deleted", "", ""};
    };
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(conflicts >= 2);
    CHECK(conflicts < 20);
    is_conflicting = false;
    rig.advance(Time{10'000});
    CHECK(rig.bound().size() == 2);
}

TEST_CASE("a gang whose bindings are all refused gives its hold back after a few times, for longer each time (B8)") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.gang({"denied", 4, test::rack_key, {}, 1});
    rig.pods("denied", 0, 4);
    rig.synced();
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        const auto* bind = std::get_if<model::BindPod>(&write);
        if (bind == nullptr || !bind->pod.name.str().starts_with("denied"))
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::rejected, "a policy says no", "", ""};
    };
    for (int i = 0; i < 3; ++i) {
        rig.advance(Time{1000});
        rig.schedule_all();
        rig.advance(Time{1000});
    }
    CHECK(rig.engine.published()->stats.held_seats + rig.engine.published()->stats.committed_seats == 0);
    const auto tried = test::count_of(rig.writes, "bind ");
    CHECK(tried <= 12);
    rig.gang({"other", 4, test::rack_key, {}, 2});
    rig.pods("other", 0, 4);
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.racks_of("other").size() == 1);
    CHECK(test::count_of(rig.writes, "bind denied") == tried);
}

TEST_CASE("a gate that can't be lifted while victims have the room leaves no timer that is always due (P3, I12)") {
    Rig rig(test::preempting());
    rig.fabric(1, 1, 4);
    rig.synced();
    rig.gang({"low", 2, {}, 1, 1});
    rig.pods("low", 0, 2);
    rig.live(3);
    REQUIRE(rig.bound().size() == 2);
    rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::UngatePod>(write); };
    test::comes(rig);
    REQUIRE(test::phase_of(rig, "top") == model::Phase::held);
    rig.remove_node(rig.record("top")->seats.front().node);
    rig.advance(Time{1000});
    REQUIRE(test::phase_of(rig, "top") == model::Phase::clearing);
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::UngatePod>(write))
            return std::nullopt;
        return model::Outcome{Kind::unknown, "503", "", ""};
    };
    rig.is_late = nullptr;
    rig.settle();
    CHECK(wake_ups(rig, Time{20'000}, 1000) < 100);
    CHECK(test::phase_of(rig, "top") == model::Phase::clearing);
    rig.fate = nullptr;
    rig.finish_evicted();
    rig.live(5);
    CHECK(rig.bound().contains("top-0"));
    CHECK(rig.bound().contains("top-1"));
}

TEST_CASE(
    "while the API server doesn't answer, a member has one kick under way, and gets the next one after it (I12)") {
    Rig rig;
    test::gang_of_16(rig);
    rig.synced();
    rig.advance(Time{3000});
    const auto kicks = [&] { return test::count_of(rig.writes, "kick ") + test::count_of(rig.writes, "nominate "); };
    const auto before = kicks();
    rig.is_late = [](const model::Write&) { return true; };
    rig.advance(Time{600'000});
    rig.is_late = {};
    rig.settle();
    CHECK(kicks() - before <= 16 * 6);  // One for each of the few plannings after holds have expired.
    const auto answered = kicks();
    rig.advance(Time{60'000});
    CHECK(kicks() > answered);
}

TEST_CASE("a gang that lacks a member while its reservation ends isn't planned again and again (I12, Q16)") {
    auto options = test::reserving_soon();
    options.step_work = service_step_work;
    Rig rig(options);
    rig.fabric(1, 1, 8);
    rig.synced();
    rig.gang({"old", 4, test::rack_key});
    rig.pods("old", 0, 4);
    rig.live(2);
    REQUIRE(rig.racks_of("old").size() == 1);
    rig.gang({"large", 8, test::rack_key, {}, 10});
    rig.pods("large", 0, 8);
    const auto has_reserved = [&] { return rig.record("large")->message.ends_with("is reserved for it"); };
    rig.advance(Time{70'000});
    REQUIRE(has_reserved());
    rig.advance(Time{570'000});
    REQUIRE(has_reserved());
    rig.remove_pod("large-7");
    rig.advance(Time{28'000});
    REQUIRE(rig.record("large")->reason == "Incomplete");
    REQUIRE(!has_reserved());
    CHECK(wake_ups(rig, Time{600'000}, 1000) < 50);
    // The time until the next reservation passes while no member is missing.
    rig.pods("large", 7, 8);
    rig.advance(Time{100'000});
    CHECK(!has_reserved());
    rig.advance(Time{30'000});
    CHECK(has_reserved());
}

}  // namespace
}  // namespace echelon::engine
