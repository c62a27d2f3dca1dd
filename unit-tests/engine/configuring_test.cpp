// What does a changed configuration do to existing gangs?

#include "unit-tests/engine/support/rig.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::GangSpec;
using test::Rig;

Reconfigured as_before(const Options& options = Rig::default_options()) {
    Reconfigured same;
    same.profiles = options.profiles;
    same.barrier_timeout = options.barrier_timeout;
    same.settle = options.settle;
    same.claim_after = options.claim_after;
    same.claim_lifetime = options.claim_lifetime;
    same.budget = options.budget;
    return same;
}

TEST_CASE("a shorter barrier holds for calls that come after it") {
    Rig rig;
    test::gang_of_16(rig, false);
    rig.synced();
    const auto early = rig.arrive("train", 0, 1);
    rig.settle();
    auto shorter = as_before();
    shorter.barrier_timeout = std::chrono::seconds(5);
    rig.step(shorter);
    rig.advance(Time{6000});
    CHECK(rig.answer(early[0]) == nullptr);
    const auto late = rig.arrive("train", 1, 2);
    rig.advance(Time{6000});
    REQUIRE(rig.answer(late[0]) != nullptr);
    CHECK(rig.answer(late[0])->result == BindResult::deadline);
}

TEST_CASE("a profile that is switched off gives its holds back, and its pods are plain") {
    Rig rig;
    test::gang_of_16(rig, false);
    rig.synced();
    rig.advance(Time{1000});
    REQUIRE(rig.engine.published()->stats.held_seats == 16);
    const auto waiting = rig.arrive("train", 0, 1);
    rig.settle();
    auto off = as_before();
    off.profiles.at("default-scheduler").gang = false;
    off.profiles.at("default-scheduler").topology = false;
    rig.step(off);
    rig.advance(Time{1000});
    const auto published = rig.engine.published();
    CHECK(published->stats.held_seats == 0);
    CHECK(published->gangs.size() == 0);
    REQUIRE(rig.answer(waiting[0]) != nullptr);
    CHECK_FALSE(rig.answer(waiting[0])->error.empty());
    CHECK(rig.record("train") == nullptr);
    CHECK(published->verdict(rig.pod_of("train-3").uid) == nullptr);

    rig.step(as_before());
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->stats.held_seats == 16);
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 16);
    CHECK(rig.racks_of("train").size() == 1);
}

TEST_CASE("a profile that is added brings its gangs, and one that goes takes them along") {
    Rig rig;
    rig.fabric(1, 2, 4);
    rig.gang({"train", 4, test::rack_key});
    for (int i = 0; i < 4; ++i) {
        const auto name = fmt::format("train-{}", i);
        rig.pod(name, "train", false);
        rig.change_pod(name, [](model::Pod& pod) { pod.scheduler_name = "second"; });
    }
    rig.synced();
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->stats.held_seats == 0);
    auto more = as_before();
    more.profiles["second"] = {};
    rig.step(more);
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->stats.held_seats == 4);
    rig.step(as_before());
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->stats.held_seats == 0);
}

TEST_CASE("levels that are switched off let a gang go where it may not go with them") {
    Rig rig;
    rig.fabric(1, 2, 4);
    rig.gang({"wide", 6, test::rack_key});
    rig.pods("wide", 0, 6);
    rig.synced();
    rig.advance(Time{1000});
    REQUIRE(rig.record("wide") != nullptr);
    CHECK(rig.record("wide")->reason == "Impossible");
    auto flat = as_before();
    flat.profiles.at("default-scheduler").topology = false;
    rig.step(flat);
    rig.advance(Time{1000});
    CHECK(rig.record("wide")->phase == model::Phase::held);
}

TEST_CASE("what is bound stays bound when its profile goes off and on again") {
    Rig rig;
    test::gang_of_16(rig);
    rig.synced();
    rig.schedule_all();
    rig.advance(Time{1000});
    const auto bound = rig.bound();
    REQUIRE(bound.size() == 16);
    auto off = as_before();
    off.profiles.at("default-scheduler").gang = false;
    off.profiles.at("default-scheduler").topology = false;
    rig.step(off);
    rig.advance(Time{1000});
    rig.step(as_before());
    rig.advance(Time{5000});
    CHECK(rig.bound() == bound);
    REQUIRE(rig.record("train") != nullptr);
    CHECK(rig.record("train")->phase == model::Phase::bound);
}

TEST_CASE("the same configuration once more changes nothing") {
    Rig rig;
    test::gang_of_16(rig);
    rig.synced();
    rig.advance(Time{1000});
    const auto log = rig.log;
    rig.step(as_before());
    rig.advance(Time{1000});
    CHECK(rig.log == log);
}

}  // namespace
}  // namespace echelon::engine
