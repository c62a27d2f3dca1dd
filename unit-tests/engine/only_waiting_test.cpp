// Gangs where only waiting members count (Koordinator's only-waiting): running members don't help new ones through the
// barrier, but a commit that has begun is rolled forward.

#include "unit-tests/engine/support/waiting_gangs.hpp"

#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::delay_binding;
using test::gang_of_three;
using test::lose_binding;
using test::one_of_two_groups;
using test::Rig;
using test::schedule;

constexpr const char* first_node = "b0-r0-h00";

// A member that another writer has bound.
void run(Rig& rig, const std::string& name, const std::string& node = first_node) {
    rig.change_pod(name, [&](model::Pod& pod) {
        pod.gates.clear();
        pod.node = node;
    });
}

// One runs, three wait.
void one_beside_three(Rig& rig) {
    gang_of_three(rig);
    rig.pod("train-0", "train");
    run(rig, "train-0");
    rig.pods("train", 1, 4);
    rig.synced();
}

// Carries out `posted` bindings; the others get no answer.
void post_only(Rig& rig, int posted) {
    rig.fate = [&rig, posted, count = 0](const model::Write& write) mutable -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::BindPod>(write) || count++ < posted)
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::unknown, "connection lost", "", ""};
    };
    rig.schedule_all();
    REQUIRE(rig.bound().size() == static_cast<std::size_t>(posted) + 1);
}

TEST_CASE("members that run don't count, and new members wait for a full minimum (KP1, KP3, KP4)") {
    Rig rig;
    gang_of_three(rig);
    rig.pod("train-0", "train");
    run(rig, "train-0");
    rig.pods("train", 1, 3);
    rig.synced();
    schedule(rig);
    CHECK(rig.bound().size() == 1);
    CHECK(rig.record("train")->phase == model::Phase::pending);
    CHECK(rig.record("train")->reason == "Incomplete");
    CHECK(rig.record("train")->message ==
          "group \"default/train\" has 2 of at least 3 pods waiting (running pods do not count)");
    rig.pod("train-3", "train");
    schedule(rig);
    CHECK(rig.bound().size() == 4);
    CHECK(rig.record("train")->phase == model::Phase::bound);
    CHECK(rig.record("train")->reason.empty());
    CHECK(rig.record("train")->groups.front().minimum == 3);
}

TEST_CASE(
    "a member that another party binds where it was planned, before the commit is recorded, does not count (I1)") {
    for (const bool is_with_other_news : {false, true}) {
        CAPTURE(is_with_other_news);
        Rig rig;
        gang_of_three(rig);
        rig.pods("train", 0, 3);
        rig.synced();
        rig.is_late = [](const model::Write& write) {
            const auto* plan = std::get_if<model::ApplyPlan>(&write);
            return plan != nullptr && plan->record.phase == model::Phase::committed;
        };
        const auto node = rig.filter("train-0").node;
        rig.arrive("train", 0, 3);
        if (is_with_other_news)
            rig.remove_pod("train-2");
        run(rig, "train-0", node);
        if (is_with_other_news)
            rig.pod("train-2", "train");
        rig.is_late = nullptr;
        schedule(rig);
        CHECK(rig.bound().size() == 1);
        CHECK(rig.record("train")->message ==
              "group \"default/train\" has 2 of at least 3 pods waiting (running pods do not count)");
        rig.pod("train-3", "train");
        schedule(rig);
        CHECK(rig.bound().size() == 4);
    }
}

TEST_CASE("a gang whose members are all bound, or have ended, is bound, and nothing is pending") {
    Rig rig;
    gang_of_three(rig);
    rig.pods("train", 0, 3);
    for (const char* name : {"train-0", "train-1", "train-2"})
        run(rig, name, fmt::format("b0-r0-h0{}", name[6]));
    rig.synced();
    CHECK(rig.record("train")->phase == model::Phase::bound);
    CHECK(rig.record("train")->reason.empty());
    rig.change_pod("train-0", [](model::Pod& pod) { pod.phase = model::PodPhase::succeeded; });
    rig.advance(Time{1000});
    CHECK(rig.record("train")->phase == model::Phase::bound);
}

TEST_CASE("a member that joins a running gang waits for a full minimum, and the gang stays bound meanwhile (KP4)") {
    Rig rig;
    gang_of_three(rig);
    rig.pods("train", 0, 3);
    rig.synced();
    schedule(rig);
    REQUIRE(rig.record("train")->phase == model::Phase::bound);
    rig.pod("train-3", "train");
    schedule(rig);
    CHECK(rig.bound().size() == 3);
    CHECK(rig.record("train")->phase == model::Phase::bound);
    CHECK(rig.record("train")->reason == "Incomplete");
    rig.pods("train", 4, 6);
    schedule(rig);
    CHECK(rig.bound().size() == 6);
    CHECK(rig.record("train")->phase == model::Phase::bound);
    CHECK(rig.record("train")->reason.empty());
}

TEST_CASE("a member that is lost and made anew waits beside those that still run (KP4)") {
    Rig rig;
    gang_of_three(rig);
    rig.pods("train", 0, 3);
    rig.synced();
    schedule(rig);
    rig.remove_pod("train-1");
    rig.pod("train-1", "train");
    schedule(rig);
    CHECK(rig.bound().size() == 2);
    CHECK(rig.record("train")->phase == model::Phase::degraded);
    CHECK(rig.record("train")->reason == "Incomplete");
}

TEST_CASE("a member that another writer binds before the commit doesn't count any more") {
    Rig rig;
    gang_of_three(rig);
    rig.pods("train", 0, 3, false);
    rig.synced();
    rig.arrive("train", 0, 2);
    run(rig, "train-2", rig.filter("train-2").node);
    rig.advance(Time{10'000});
    CHECK(rig.bound().size() == 1);
    CHECK(rig.record("train")->reason == "Incomplete");
}

TEST_CASE("after a restart during a commit all waiting members are bound, beside those that ran before (R17)") {
    for (int posted = 0; posted <= 3; ++posted) {
        CAPTURE(posted);
        Rig rig;
        one_beside_three(rig);
        post_only(rig, posted);
        const auto planned = rig.record("train")->seats;
        REQUIRE(planned.size() == 4);
        CHECK(rig.record("train")->phase == model::Phase::committed);
        CHECK(planned.front().ran_before);
        rig.fate = nullptr;
        rig.restart();
        schedule(rig);
        const auto bound = rig.bound();
        CHECK(bound.size() == 4);
        for (const auto& seat : planned)
            CHECK(bound.at(seat.pod.str().substr(8)) == seat.node);
        CHECK(rig.record("train")->phase == model::Phase::bound);
        CHECK_FALSE(rig.record("train")->seats.front().ran_before);
    }
}

TEST_CASE("a member that is lost in the middle of a commit is replaced, also after a restart") {
    for (const bool restarts : {false, true}) {
        CAPTURE(restarts);
        Rig rig;
        one_beside_three(rig);
        post_only(rig, 1);
        std::string lost = "train-1";
        while (rig.bound().contains(lost))
            ++lost.back();
        rig.fate = nullptr;
        rig.remove_pod(lost);
        if (restarts)
            rig.restart();
        schedule(rig);
        CHECK(rig.bound().size() == 3);  // The one that ran, and two of the three.
        CHECK(rig.record("train")->phase == model::Phase::committed);
        CHECK(rig.record("train")->message ==
              "group \"default/train\" has 2 of at least 3 pods waiting (running pods do not count)");
        rig.pod(lost, "train");
        schedule(rig);
        CHECK(rig.bound().size() == 4);
        CHECK(rig.record("train")->phase == model::Phase::bound);
    }
}

TEST_CASE("a commit found open by a stale list is over once a newer record says so, even before its group is seen") {
    Rig rig;
    gang_of_three(rig);
    rig.pods("train", 0, 3);
    rig.synced();
    schedule(rig);
    REQUIRE(rig.bound().size() == 3);
    const auto bound = *rig.record("train");
    auto committed = bound;
    committed.phase = model::Phase::committed;
    for (auto& seat : committed.seats)
        seat.bound = false;
    model::Group group;
    rig.change_gang("train", [&](model::Group& each) { group = each; });
    rig.remove_gang_unseen("train");
    rig.restart_before_sync();
    rig.step(Observed{model::PlanSeen{committed, "plan-1"}});
    for (const std::string what : {"nodes", "pods"})
        rig.step(Observed{model::Synced{what}});
    rig.step(Observed{model::PlanSeen{bound, "plan-1"}});
    rig.add_group("train", group);
    rig.remove_pod("train-0");
    rig.pod("train-0", "train");
    schedule(rig);
    CHECK(rig.bound().size() == 2);
}

TEST_CASE("a member that comes during a complete commit isn't bound with it (KP4)") {
    Rig rig;
    one_beside_three(rig);
    post_only(rig, 1);
    rig.fate = nullptr;
    rig.pod("train-4", "train");
    schedule(rig);
    CHECK(rig.bound().size() == 4);
    CHECK(!rig.bound().contains("train-4"));
    CHECK(rig.record("train")->phase == model::Phase::bound);
    CHECK(rig.record("train")->reason == "Incomplete");
}

TEST_CASE("seats whose bindings aren't observed yet stay held when a member comes too late (I2)") {
    Rig rig;
    gang_of_three(rig);
    rig.pods("train", 0, 3);
    rig.pod("train-3", "train", true, 4);
    rig.change_pod("train-3", [](model::Pod& pod) { pod.gates.emplace_back("example.com/quota"); });
    rig.synced();
    rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::BindPod>(write); };
    rig.schedule_all();
    CHECK(rig.engine.published()->stats.committed_seats == 3);
    rig.change_pod("train-3", [](model::Pod& pod) { pod.gates.pop_back(); });
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->stats.committed_seats == 3);
    rig.is_late = nullptr;
    schedule(rig);
    CHECK(rig.bound().size() == 3);
    CHECK(rig.record("train")->phase == model::Phase::bound);
    CHECK(rig.record("train")->reason == "Incomplete");
}

TEST_CASE("a group that needn't be there, in the middle of being bound, is completed after a restart") {
    Rig rig;
    one_of_two_groups(rig);
    rig.pods("a", 0, 2);
    rig.pods("b", 0, 2);
    rig.synced();
    lose_binding(rig, "b-1");
    rig.schedule_all();
    rig.advance(Time{1000});
    REQUIRE(rig.bound().size() == 3);
    CHECK(rig.record("all")->phase == model::Phase::committed);
    rig.fate = nullptr;
    rig.restart();
    schedule(rig);
    CHECK(rig.bound().size() == 4);
    CHECK(rig.record("all")->phase == model::Phase::bound);
}

TEST_CASE("a group that comes beside one that is being bound is written down before it is bound") {
    Rig rig;
    one_of_two_groups(rig);
    rig.pods("a", 0, 2);
    rig.synced();
    delay_binding(rig, "a-1");
    rig.schedule_all();
    rig.pods("b", 0, 2);
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    const auto record = *rig.record("all");
    CHECK(record.phase == model::Phase::committed);
    CHECK(record.seats.size() == 4);
    rig.is_late = nullptr;
    schedule(rig);
    CHECK(rig.bound().size() == 4);
    CHECK(rig.record("all")->phase == model::Phase::bound);
}

TEST_CASE("a member that ran before and is lost in the middle of a commit isn't missed by it") {
    for (const bool restarts : {false, true}) {
        CAPTURE(restarts);
        Rig rig;
        one_beside_three(rig);
        post_only(rig, 1);
        rig.fate = nullptr;
        rig.remove_pod("train-0");
        if (restarts)
            rig.restart();
        schedule(rig);
        CHECK(rig.bound().size() == 3);
        CHECK(rig.record("train")->phase == model::Phase::bound);
    }
}

TEST_CASE("a member lost before the first binding sends the others back, even if other members run") {
    Rig rig;
    one_beside_three(rig);
    rig.holds_back_writes = true;
    rig.schedule_all();
    rig.remove_pod("train-2");
    rig.holds_back_writes = false;
    rig.settle();
    schedule(rig);
    CHECK(rig.bound().size() == 1);
    CHECK(rig.record("train")->phase == model::Phase::pending);
    CHECK(rig.record("train")->reason == "Incomplete");
    rig.pod("train-2", "train");
    schedule(rig);
    CHECK(rig.bound().size() == 4);
}

}  // namespace
}  // namespace echelon::engine
