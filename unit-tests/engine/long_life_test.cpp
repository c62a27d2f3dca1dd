// What becomes of a gang that runs for weeks? What happened to it long ago costs it nothing for ever.

#include "unit-tests/engine/support/rig.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::Rig;

bool comes_within(Rig& rig, int seconds, const std::function<bool()>& is_so) {
    for (int second = 0; second < seconds && !is_so(); ++second)
        rig.advance(Time{1000});
    return is_so();
}

// Seats without a bound pod, including those of placeholders.
std::uint32_t held(Rig& rig) {
    const auto stats = rig.engine.published()->stats;
    return stats.held_seats + stats.committed_seats;
}

void hold_ends(Rig& rig) {
    REQUIRE(comes_within(rig, 600, [&] { return held(rig) == 1; }));
    REQUIRE(comes_within(rig, 600, [&] { return held(rig) == 0; }));
}

// Members 0 and 1 are bound, as many as the gang needs.
void two_run(Rig& rig, int hosts) {
    rig.fabric(1, 1, hosts);
    rig.synced();
    rig.gang({"runs", 2, {}, 1, 1});
    rig.pods("runs", 0, 2);
    rig.live(3);
    REQUIRE(rig.bound().size() == 2);
}

// The hold of an extra has ended again and again, so it rests for minutes.
void extra_rests(Rig& rig) {
    two_run(rig, 4);
    rig.pods("runs", 2, 3);
    for (int time = 0; time < 6; ++time)
        hold_ends(rig);
}

void check_comes_and_is_bound(Rig& rig, int member) {
    rig.pods("runs", member, member + 1);
    rig.advance(Time{1000});
    static_cast<void>(rig.arrive("runs", member, member + 1));
    rig.advance(Time{1000});
    CHECK(rig.bound().contains(fmt::format("runs-{}", member)));
}

TEST_CASE("the replacement of a lost member doesn't rest with an extra that never came (B6, B8)") {
    Rig rig;
    extra_rests(rig);
    rig.remove_pod("runs-1");
    rig.advance(Time{1000});
    CHECK(rig.record("runs")->phase == model::Phase::degraded);
    check_comes_and_is_bound(rig, 1);
}

TEST_CASE("members of a raised minimum don't rest with an extra that never came (X4, B8)") {
    Rig rig;
    extra_rests(rig);
    rig.change_gang("runs", [](model::Group& group) { group.minimum = 3; });
    check_comes_and_is_bound(rig, 3);
}

// Pod `member` of a gang that only pods declare says that it needs `minimum`.
void declare(Rig& rig, int member, std::int64_t minimum) {
    rig.change_pod(fmt::format("runs-{}", member), [&](model::Pod& pod) {
        model::Group gang;
        gang.key = pod.membership->leaf;
        gang.minimum = minimum;
        pod.membership->declared.edit() = {gang};
    });
}

TEST_CASE("members of a minimum that pods raise don't rest with an extra that never came (X4, B8)") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.synced();
    for (int member = 0; member < 2; ++member) {
        rig.pods("runs", member, member + 1);
        declare(rig, member, 2);
    }
    rig.live(3);
    REQUIRE(rig.bound().size() == 2);
    rig.pods("runs", 2, 3);
    declare(rig, 2, 2);
    for (int time = 0; time < 6; ++time)
        hold_ends(rig);
    for (int member = 0; member < 3; ++member)
        declare(rig, member, 3);
    rig.advance(Time{1000});
    static_cast<void>(rig.arrive("runs", 2, 3));
    rig.advance(Time{1000});
    CHECK(rig.bound().contains("runs-2"));
}

TEST_CASE("a hold that ended before the gang was last Bound doesn't put its extras before other gangs (Q11)") {
    Rig rig;
    two_run(rig, 3);
    rig.remove_pod("runs-1");
    rig.advance(Time{1000});
    rig.pods("runs", 1, 2);
    hold_ends(rig);
    REQUIRE(comes_within(rig, 600, [&] { return held(rig) == 1; }));
    rig.live(3);
    REQUIRE(rig.bound().size() == 2);
    rig.advance(Time{3'600'000});
    rig.remove_pod("runs-1");
    rig.advance(Time{1000});
    rig.gang({"important", 1, {}, 100, 2});
    rig.pods("important", 0, 1);
    rig.pods("runs", 1, 3);
    rig.advance(Time{1000});
    CHECK(!rig.filter("runs-1").node.empty());
    CHECK(rig.filter("runs-2").node.empty());
    CHECK(!rig.filter("important-0").node.empty());
}

TEST_CASE("members that are created one after another start, however long each takes to be ready (H5)") {
    Rig rig;
    rig.fabric(1, 2, 4);
    rig.synced();
    test::late_gang(rig, {"train", 4, test::rack_key});
    for (int member = 0; member < 4; ++member) {
        CAPTURE(member);
        rig.pods("train", member, member + 1);
        rig.live(3);
        CHECK(rig.bound().contains(fmt::format("train-{}", member)));
        CHECK(held(rig) == static_cast<std::uint32_t>(3 - member));
        rig.advance(Time{700'000});
        CHECK(held(rig) == 0);
    }
    CHECK(rig.record("train")->phase == model::Phase::bound);
    CHECK(rig.racks_of("train").size() == 1);
}

TEST_CASE("members that were lost for long and come back one after another start, also after a restart (H5)") {
    for (const bool restarts : {false, true}) {
        CAPTURE(restarts);
        Rig rig;
        rig.fabric(1, 2, 4);
        rig.synced();
        test::late_gang(rig, {"train", 4, test::rack_key});
        rig.pods("train", 0, 4);
        rig.live(3);
        REQUIRE(rig.bound().size() == 4);
        for (const char* name : {"train-1", "train-2", "train-3"})
            rig.remove_pod(name);
        rig.advance(Time{700'000});
        for (int member = 1; member < 4; ++member) {
            CAPTURE(member);
            if (restarts)
                rig.restart();
            rig.advance(Time{700'000});
            rig.pods("train", member, member + 1);
            rig.live(3);
            CHECK(rig.bound().contains(fmt::format("train-{}", member)));
        }
        CHECK(rig.racks_of("train").size() == 1);
        CHECK(rig.record("train")->phase == model::Phase::bound);
    }
}

TEST_CASE("a member that has a seat when the time of those that follow it ends keeps the seat (H5)") {
    Rig rig;
    rig.fabric(1, 2, 4);
    rig.synced();
    test::late_gang(rig, {"train", 4, test::rack_key});
    rig.pods("train", 0, 4);
    rig.live(3);
    for (const char* name : {"train-2", "train-3"})
        rig.remove_pod(name);
    REQUIRE(comes_within(rig, 10, [&] { return held(rig) == 2; }));
    rig.advance(Time{590'000});
    rig.pods("train", 2, 3);
    rig.advance(Time{30'000});
    CHECK(!rig.filter("train-2").node.empty());
    rig.live(3);
    CHECK(rig.bound().contains("train-2"));
}

// A gang of 4 in racks of `hosts`. Its late members have come after their time was over, an hour ago.
void gang_that_came_late(Rig& rig, int hosts) {
    rig.fabric(1, 2, hosts);
    rig.synced();
    test::late_gang(rig, {"train", 4, test::rack_key});
    rig.pods("train", 0, 1);
    rig.live(3);
    rig.advance(Time{700'000});
    rig.pods("train", 1, 4);
    rig.live(3);
    REQUIRE(rig.bound().size() == 4);
    rig.advance(Time{3'600'000});
}

TEST_CASE("a group that grows has room for its late members, even if earlier ones came too late (H5)") {
    Rig rig;
    gang_that_came_late(rig, 8);
    rig.change_gang("train", [](model::Group& group) {
        group.minimum = 8;
        group.expected = 8;
        group.start_set = 2;
    });
    rig.pods("train", 4, 5);
    rig.live(3);
    CHECK(rig.bound().contains("train-4"));
    CHECK(held(rig) == 3);
    rig.pods("train", 5, 8);
    rig.live(3);
    CHECK(rig.bound().size() == 8);
}

TEST_CASE("the room of a lost member is held for its successor, even if late members came too late once (H5)") {
    Rig rig;
    gang_that_came_late(rig, 4);
    rig.remove_pod("train-3");
    rig.advance(Time{1000});
    CHECK(held(rig) == 1);
    rig.advance(Time{600'000});
    CHECK(held(rig) == 0);
}

// A stage of the gang "all". `first`: how many pods come first; nullopt: all come at once.
void stage(Rig& rig, const std::string& name, std::optional<std::int64_t> first) {
    rig.gang({name, 2});
    rig.change_gang(name, [&](model::Group& group) {
        group.parent = {"compositepodgroup", "default/all"};
        group.expected = 2;
        group.start_set = first;
    });
}

TEST_CASE("stages that start one after another are placed, however long each takes to be ready (H5)") {
    for (const bool restarts : {false, true}) {
        CAPTURE(restarts);
        Rig rig;
        rig.fabric(1, 1, 8);
        rig.synced();
        rig.add_group("all", test::composite("all", 4));
        stage(rig, "s0", std::nullopt);
        for (const char* name : {"s1", "s2", "s3"})
            stage(rig, name, 0);
        for (int number = 0; number < 4; ++number) {
            CAPTURE(number);
            rig.pods(fmt::format("s{}", number), 0, 2);
            rig.live(3);
            CHECK(rig.bound().size() == static_cast<std::size_t>(2 * number + 2));
            CHECK(held(rig) == static_cast<std::uint32_t>(6 - 2 * number));
            rig.advance(Time{700'000});
            if (restarts)
                rig.restart();
            rig.advance(Time{700'000});
            CHECK(held(rig) == 0);
        }
        CHECK(rig.record("all")->phase == model::Phase::bound);
    }
}

TEST_CASE("a stage whose pods reach the barrier after the time of the next one is placed, too (H5)") {
    Rig rig;
    rig.fabric(1, 1, 8);
    rig.synced();
    rig.add_group("all", test::composite("all", 3));
    stage(rig, "s0", std::nullopt);
    stage(rig, "s1", 0);
    stage(rig, "s2", 0);
    rig.pods("s0", 0, 2);
    rig.live(3);
    rig.advance(Time{590'000});
    rig.pods("s1", 0, 2);
    rig.advance(Time{300'000});
    rig.live(5);
    CHECK(rig.bound().size() == 4);
}

TEST_CASE("an extra that waits for room doesn't hold room for late members that never come (H5, I7)") {
    Rig rig;
    rig.fabric(1, 1, 5);
    rig.synced();
    rig.add_group("all", test::composite("all", 2));
    stage(rig, "s0", std::nullopt);
    stage(rig, "s1", 0);
    rig.pods("s0", 0, 2);
    rig.live(3);
    REQUIRE(held(rig) == 2);
    rig.pods("s0", 2, 6);
    rig.live(3);
    rig.advance(Time{1'400'000});
    CHECK(held(rig) == 0);
}

}  // namespace
}  // namespace echelon::engine
