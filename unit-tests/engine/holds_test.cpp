// Holds: which room they take, when they end, and what waits for them meanwhile.

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <functional>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::engine {
namespace {

using test::GangSpec;
using test::Rig;
using Kind = model::Outcome::Kind;

std::uint32_t held_seats(Rig& rig) {
    return rig.engine.published()->stats.held_seats;
}

// True once `is_there` holds, looked at every second of at most `seconds`.
bool comes_within(Rig& rig, int seconds, const std::function<bool()>& is_there) {
    for (int waited = 0; !is_there(); ++waited) {
        if (waited == seconds)
            return false;
        rig.advance(Time{1000});
    }
    return true;
}

TEST_CASE("a held node on which another scheduler binds a pod is planned around (R14)") {
    Rig rig;
    rig.fabric(2, 2, 16);
    rig.gang({"train", 16, test::rack_key});
    rig.pods("train", 0, 16);
    rig.pod("foreign", "", false);
    rig.synced();
    rig.advance(Time{1000});
    const auto seat = rig.filter("train-5").node;
    REQUIRE(!seat.empty());
    rig.change_pod("foreign", [&](model::Pod& pod) {
        pod.scheduler_name = "other";
        pod.node = seat;
    });
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    const auto bound = rig.bound();
    CHECK(bound.size() == 17);
    CHECK(rig.racks_of("train").size() == 1);
    CHECK(std::ranges::count_if(bound, [&](const auto& entry) { return entry.second == seat; }) == 1);
}

TEST_CASE("a deleted member's room stays taken until it is known whether its binding took effect (I2)") {
    for (const bool is_bound : {false, true}) {
        CAPTURE(is_bound);
        Rig rig;
        rig.fabric(1, 1, 1);
        rig.gang({"train", 1, ""});
        rig.pods("train", 0, 1);
        rig.synced();
        rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::BindPod>(write); };
        rig.advance(Time{1'000});
        rig.arrive("train", 0, 1);
        rig.advance(Time{1'000});
        REQUIRE(rig.engine.published()->stats.committed_seats == 1);
        rig.pods("train", 1, 2);
        rig.change_pod("train-0", [](model::Pod& pod) { pod.deleting = true; });
        rig.advance(Time{5'000});
        CHECK(rig.filter("train-1").node.empty());
        if (!is_bound)
            rig.remove_pod("train-0");
        rig.is_late = nullptr;
        rig.live(3);
        CHECK(rig.bound().contains("train-1") == !is_bound);
    }
}

TEST_CASE("pods that change their gang are held once, by the gang that they are in now (I2)") {
    Rig rig;
    rig.fabric(1, 1, 16);
    rig.gang({"before", 8, test::rack_key, {}, 2});
    rig.gang({"after", 8, test::rack_key, {}, 1});
    rig.pods("before", 0, 8);
    rig.synced();
    rig.advance(Time{1000});
    for (int i = 0; i < 8; ++i) {
        rig.change_pod(fmt::format("before-{}", i), [](model::Pod& pod) {
            pod.membership = model::Membership{{"podgroup", "default/after"}, {}, -1, ""};
        });
    }
    rig.advance(Time{1000});
    CHECK(held_seats(rig) == 8);
    REQUIRE(!rig.filter("before-0").node.empty());
    rig.gang({"large", 12, test::rack_key, {}, 3});
    rig.pods("large", 0, 12);
    rig.advance(Time{1000});
    CHECK(held_seats(rig) == 8);
    REQUIRE(rig.record("large") != nullptr);
    CHECK(rig.record("large")->phase == model::Phase::pending);
    CHECK(rig.record("large")->reason == "NoRoom");
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.racks_of("after").size() == 1);
    CHECK(rig.bound().size() == 8);
}

TEST_CASE("the seat of an extra whose binding was refused late is given back (I5)") {
    Rig rig;
    rig.fabric(1, 1, 8);
    rig.gang({"train", 2, test::rack_key});
    rig.pods("train", 0, 3);
    rig.synced();
    rig.advance(Time{1000});
    bool is_down = true;
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        if (const auto* bind = std::get_if<model::BindPod>(&write); bind != nullptr && bind->pod.name == "train-2")
            return model::Outcome{is_down ? Kind::unknown : Kind::rejected, "no", "", ""};
        if (std::holds_alternative<model::ReadPod>(write) && is_down)
            return model::Outcome{Kind::unknown, "no", "", ""};
        return std::nullopt;
    };
    rig.arrive("train", 0, 3);
    rig.advance(Time{130'000});  // The hold would have expired by now.
    REQUIRE(rig.bound().size() == 2);
    CHECK(rig.engine.published()->stats.committed_seats == 1);  // It may be bound; the outcome is unknown.
    is_down = false;
    rig.advance(Time{300'000});
    CHECK(rig.bound().size() == 2);
    CHECK(rig.engine.published()->stats.committed_seats == 0);
}

TEST_CASE("a more important gang in back-off holds up no other gang (Q1)") {
    Rig rig;
    rig.fabric(2, 1, 16);
    rig.gang({"high", 16, test::rack_key, 100, 1});
    rig.pods("high", 0, 16);
    rig.synced();
    rig.advance(Time{500'000});  // Its pods are never bound, so it gives its hold back again and again.
    REQUIRE(comes_within(rig, 600, [&] { return held_seats(rig) == 0; }));
    rig.remove_pod("high-0");
    rig.pod("high-0", "high");
    rig.gang({"low", 4, test::rack_key, 1, 2});
    rig.pods("low", 0, 4);
    CHECK(comes_within(rig, 2,
                       [&] { return rig.record("low") != nullptr && rig.record("low")->phase == model::Phase::held; }));
}

TEST_CASE("a gang whose holds are given back in a row leaves the room free for longer each time (B8)") {
    Rig rig;
    rig.fabric(1, 1, 16);
    rig.gang({"train", 16, test::rack_key});
    rig.pods("train", 0, 16);
    rig.synced();
    REQUIRE(held_seats(rig) == 16);
    std::vector<int> free_seconds;
    bool was_free = false;
    for (int second = 0; second < 1500; ++second) {
        rig.advance(Time{1000});
        const bool is_free = held_seats(rig) == 0;
        if (is_free && !was_free)
            free_seconds.push_back(0);
        if (is_free)
            ++free_seconds.back();
        was_free = is_free;
    }
    if (was_free)
        free_seconds.pop_back();  // Still running.
    CAPTURE(fmt::format("{}", fmt::join(free_seconds, " ")));
    REQUIRE(free_seconds.size() >= 3);
    CHECK(std::ranges::adjacent_find(free_seconds, std::ranges::greater_equal{}) == free_seconds.end());
}

TEST_CASE("room of a binding whose caller is gone goes to no other pod before its outcome is known (I2)") {
    for (const bool hangs_up : {true, false}) {
        CAPTURE(hangs_up);
        Rig rig;
        rig.node("n1", "b0", "r0");
        rig.synced();
        for (const char* pod : {"first", "second"}) {
            rig.pod(pod, "", false);
            rig.filter(pod);
        }
        rig.is_late = [](const model::Write& write) {
            const auto* bind = std::get_if<model::BindPod>(&write);
            return bind != nullptr && bind->pod.name == "first";
        };
        const auto first = rig.bind("first", "n1");
        rig.settle();
        if (hangs_up) {
            rig.hang_up(first);
        } else {
            rig.advance(Time{55'000});
        }
        const auto second = rig.bind("second", "n1");
        rig.settle();
        REQUIRE(rig.answer(second) != nullptr);
        CHECK(rig.answer(second)->error == "echelon: an earlier binding to node \"n1\" isn't settled yet");
        rig.is_late = {};
        rig.settle();
        CHECK(rig.bound().size() == 1);
    }
}

}  // namespace
}  // namespace echelon::engine
