// How does a clearing end that places nothing, and where does none begin? (rules P5, P6, U4, U5)

#include "unit-tests/engine/support/clearing_world.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::Rig;

std::uint64_t ended(Rig& rig, ClearingResult result) {
    return rig.engine.published()->stats.clearings[static_cast<std::size_t>(result)];
}

TEST_CASE("victims that do not go in time end it, and none begins while they are there (P5)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    test::comes(rig);
    REQUIRE(rig.evicted.size() == 2);
    rig.advance(Time{290'000});
    CHECK(test::phase_of(rig, "top") == model::Phase::clearing);
    rig.advance(Time{20'000});
    CHECK(test::phase_of(rig, "top") == model::Phase::pending);
    CHECK(rig.record("top")->message.find("did not go within 300 s") != std::string::npos);
    CHECK(rig.record("top")->victims.size() == 2);
    CHECK(ended(rig, ClearingResult::timed_out) == 1);
    rig.advance(Time{1'200'000});
    CHECK(rig.evicted.size() == 2);
    rig.finish_evicted();
    rig.live(5);
    CHECK(rig.bound().contains("top-1"));
    CHECK(rig.record("top")->victims.empty());
}

TEST_CASE("another leader, too, begins none while victims of the last one are there (P5)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    test::comes(rig, "top", 2);
    rig.advance(Time{310'000});
    REQUIRE(test::phase_of(rig, "top") == model::Phase::pending);
    rig.restart();
    rig.advance(Time{1'200'000});
    CHECK(rig.evicted.size() == 2);
}

TEST_CASE("a first eviction that a budget refuses ends the clearing, with the budget's name (P5)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    for (const char* pod : {"low-0", "low-1", "other-0", "other-1"})
        rig.label_pod(pod, {{"app", "web"}});
    test::budget(rig, "web", {{"app", "web"}}, 9);
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::EvictPod>(write))
            return std::nullopt;
        return test::answer(model::Outcome::Kind::rejected, "web");
    };
    test::comes(rig);
    CHECK(rig.evicted.empty());
    CHECK(test::count_of(rig.writes, "evict ") == 1);
    CHECK(test::phase_of(rig, "top") == model::Phase::pending);
    CHECK(rig.record("top")->reason == "NoRoom");
    CHECK(rig.record("top")->message.find("disruption budget web does not allow the eviction of pod default/") !=
          std::string::npos);
    CHECK(ended(rig, ClearingResult::refused) == 1);
    rig.advance(Time{25'000});
    CHECK(test::count_of(rig.writes, "evict ") == 1);
    rig.advance(Time{10'000});
    CHECK(test::count_of(rig.writes, "evict ") == 2);
}

TEST_CASE("pods that a budget selects go first, one after the other (P2)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    rig.change_gang("other", [](model::Group& group) { group.priority = 50; });
    rig.label_pod("low-1", {{"app", "web"}});
    test::budget(rig, "web", {{"app", "web"}}, 1);
    test::comes(rig);
    CHECK(rig.evicted == std::vector<std::string>{"low-1", "low-0"});
}

TEST_CASE("once a victim is gone a refused eviction is tried again (P5)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    rig.change_gang("other", [](model::Group& group) { group.priority = 50; });
    rig.label_pod("low-0", {{"app", "web"}});
    test::budget(rig, "web", {{"app", "web"}}, 1);
    test::refuse_eviction(rig, "low-1");
    test::comes(rig);
    CHECK(rig.evicted == std::vector<std::string>{"low-0"});
    CHECK(test::phase_of(rig, "top") == model::Phase::clearing);
    rig.fate = nullptr;
    rig.advance(Time{30'000});
    CHECK(rig.evicted == std::vector<std::string>{"low-0", "low-1"});
}

TEST_CASE("when the gang goes, those that were not evicted are spared (P5)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    test::delay_records(rig);
    test::comes(rig);
    rig.remove_pod("top-0");
    rig.remove_pod("top-1");
    rig.remove_gang("top");
    rig.is_late = nullptr;
    rig.advance(Time{60'000});
    CHECK(rig.evicted.empty());
    CHECK(rig.bound().size() == 4);
    CHECK(ended(rig, ClearingResult::gone) == 1);
}

TEST_CASE("an eviction that is refused once its gang has gone keeps no other gang waiting (P5)") {
    for (const auto kind : {model::Outcome::Kind::rejected, model::Outcome::Kind::unknown}) {
        for (const bool comes_again : {false, true}) {
            CAPTURE(comes_again);
            Rig rig(test::preempting());
            test::full_rack(rig);
            rig.fate = [kind](const model::Write& write) -> std::optional<model::Outcome> {
                if (!std::holds_alternative<model::EvictPod>(write))
                    return std::nullopt;
                return test::answer(kind, "web");
            };
            rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::EvictPod>(write); };
            test::comes(rig);
            rig.remove_gang("top");
            rig.remove_pod("top-0");
            rig.remove_pod("top-1");
            rig.advance(Time{1000});
            if (comes_again) {
                test::comes(rig);
                CHECK(test::phase_of(rig, "top") == model::Phase::pending);
            }
            rig.is_late = nullptr;
            rig.settle();
            rig.fate = nullptr;
            CHECK(rig.evicted.empty());
            if (!comes_again)
                test::comes(rig);
            rig.advance(Time{20'000});
            CHECK(rig.evicted.size() == 2);
        }
    }
}

TEST_CASE("an eviction that is accepted once its gang has gone keeps others waiting, and is counted (P5, P8)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::EvictPod>(write); };
    test::comes(rig);
    rig.remove_gang("top");
    rig.remove_pod("top-0");
    rig.remove_pod("top-1");
    rig.advance(Time{1000});
    rig.is_late = nullptr;
    rig.settle();
    CHECK(rig.evicted.size() == 2);
    CHECK(rig.engine.published()->stats.victims == 2);
    test::comes(rig, "next", 3);
    rig.advance(Time{60'000});
    CHECK(rig.evicted.size() == 2);
}

TEST_CASE("when the gang shrinks or changes, those that were not evicted are spared (P5)") {
    for (const bool shrinks : {true, false}) {
        Rig rig(test::preempting());
        test::full_rack(rig);
        test::delay_records(rig);
        test::comes(rig);
        if (shrinks) {
            rig.remove_pod("top-1");
        } else {
            rig.change_gang("top", [](model::Group& group) { ++group.generation; });
        }
        rig.advance(Time{2000});
        rig.is_late = nullptr;
        rig.advance(Time{5000});
        CHECK(rig.evicted.empty());
        CHECK(test::phase_of(rig, "top") == model::Phase::pending);
        CHECK(ended(rig, ClearingResult::changed) == 1);
    }
}

TEST_CASE("a profile that is switched off while pods are evicted spares the rest (P5)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    test::delay_records(rig);
    test::comes(rig);
    Reconfigured changed;
    changed.profiles = Rig::default_options().profiles;
    changed.barrier_timeout = Time{50'000};
    rig.step(changed);
    rig.is_late = nullptr;
    rig.advance(Time{60'000});
    CHECK(rig.evicted.empty());
    CHECK(test::phase_of(rig, "top") == model::Phase::pending);
}

TEST_CASE("an echelon that does not lead evicts no pod, and the next leader goes on (P6)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    test::delay_records(rig);
    test::comes(rig);
    rig.step(LeadChanged{false});
    rig.is_late = nullptr;
    rig.advance(Time{60'000});
    CHECK(rig.evicted.empty());
    REQUIRE(test::phase_of(rig, "top") == model::Phase::clearing);
    rig.step(LeadChanged{true});
    rig.advance(Time{1000});
    CHECK(rig.evicted.size() == 2);
    rig.finish_evicted();
    rig.live(5);
    CHECK(rig.bound().contains("top-1"));
}

TEST_CASE("more pods than maxVictims are not evicted for one gang (P6)") {
    auto options = test::preempting();
    options.preemption.most_victims = 1;
    Rig rig(options);
    test::full_rack(rig);
    test::comes(rig);
    rig.advance(Time{60'000});
    CHECK(rig.evicted.empty());
    CHECK(rig.record("top")->reason == "NoRoom");
    CHECK(rig.record("top")->message.find("no set of at most 1 pods") != std::string::npos);
}

TEST_CASE("when a budget allows evictions later, victims are looked for again (U3)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    for (const char* pod : {"low-0", "low-1", "other-0", "other-1"})
        rig.label_pod(pod, {{"app", "web"}});
    test::budget(rig, "web", {{"app", "web"}}, 0);
    test::comes(rig);
    rig.advance(Time{100'000});
    CHECK(rig.evicted.empty());
    test::budget(rig, "web", {{"app", "web"}}, 2);
    rig.advance(Time{100'000});
    CHECK(rig.evicted.size() == 2);
}

TEST_CASE("no pod is evicted for a profile without preempt, or a priority class that never preempts (U5)") {
    for (const bool is_class : {false, true}) {
        Rig rig(is_class ? test::preempting() : Rig::default_options());
        test::full_rack(rig);
        rig.gang({"top", 2, {}, 100, 2});
        if (is_class)
            rig.change_gang("top", [](model::Group& group) { group.preempts = false; });
        rig.pods("top", 0, 2);
        rig.advance(Time{60'000});
        CHECK(rig.evicted.empty());
        CHECK(test::phase_of(rig, "top") == model::Phase::pending);
    }
}

TEST_CASE("no pod is evicted for extras, or for a gang of equal priority (U5)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    test::comes(rig, "equal", 2, 1);
    rig.change_gang("other", [](model::Group& group) { group.priority = 100; });
    rig.pods("other", 2, 3);
    rig.live(20);
    CHECK(rig.evicted.empty());
}

TEST_CASE("pods of other schedulers are evicted only where that is asked for (U4)") {
    for (const bool foreign : {false, true}) {
        auto options = test::preempting();
        options.preemption.foreign = foreign;
        Rig rig(options);
        rig.fabric(1, 1, 1);
        rig.synced();
        rig.pod("elsewhere", "", false);
        rig.change_pod("elsewhere", [](model::Pod& pod) {
            pod.scheduler_name = "another";
            pod.node = "b0-r0-h00";
        });
        test::comes(rig, "top", 1);
        CHECK(rig.evicted.size() == (foreign ? 1 : 0));
    }
}

TEST_CASE("an eviction that conflicts while the pod stays is tried again, and keeps no other gang waiting (P5)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    bool conflicts = true;
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        if (!conflicts || !std::holds_alternative<model::EvictPod>(write))
            return std::nullopt;
        return test::answer(model::Outcome::Kind::conflict);
    };
    test::comes(rig);
    REQUIRE(test::phase_of(rig, "top") == model::Phase::clearing);
    SUBCASE("the clearing goes on") {}
    SUBCASE("its gang goes, and another one comes") {
        rig.remove_gang("top");
        rig.remove_pod("top-0");
        rig.remove_pod("top-1");
        rig.advance(Time{500});
        test::comes(rig, "next");
    }
    conflicts = false;
    for (int second = 0; second < 60; ++second) {
        rig.advance(Time{1000});
        rig.finish_evicted();
    }
    rig.live(3);
    CHECK(test::phase_of(rig, rig.record("top") != nullptr ? "top" : "next") == model::Phase::bound);
}

TEST_CASE("a gang that lacks pods is not told why no pods are evicted for it") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    test::comes(rig);
    test::comes(rig, "next");
    CHECK(rig.record("next")->message.find("no pods are evicted for it") != std::string::npos);
    rig.remove_pod("next-0");
    rig.advance(Time{1000});
    CHECK(rig.record("next")->reason == "Incomplete");
    CHECK(rig.record("next")->message.find("no pods are evicted for it") == std::string::npos);
}

TEST_CASE("a gang waits for terminating pods each time, however long ago it did so before (P4)") {
    Rig rig(test::preempting());
    test::full_rack(rig);
    const auto ends = [&rig](const std::string& gang) {
        for (const std::string pod : {"-0", "-1"})
            rig.change_pod(gang + pod, [](model::Pod& each) { each.deleting = true; });
    };
    ends("other");
    test::comes(rig);
    rig.advance(Time{20'000});
    rig.remove_pod("other-0");
    rig.remove_pod("other-1");
    rig.live(5);
    REQUIRE(test::phase_of(rig, "top") == model::Phase::bound);
    rig.advance(Time{3'600'000});
    rig.remove_pod("top-0");
    rig.remove_pod("top-1");
    rig.remove_gang("other");
    rig.gang({"third", 2, {}, 1, 5});
    rig.pods("third", 0, 2);
    rig.live(3);
    REQUIRE(rig.bound().contains("third-0"));
    ends("third");
    rig.pods("top", 0, 2);
    rig.advance(Time{2000});
    CHECK(rig.evicted.empty());
}

}  // namespace
}  // namespace echelon::engine
