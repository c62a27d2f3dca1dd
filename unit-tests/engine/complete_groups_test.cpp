// Gangs where only waiting members count: when a commit ends for a group, and which members it still includes.

#include "unit-tests/engine/support/waiting_gangs.hpp"

#include <set>
#include <string>

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

// Both groups are needed and have two members each; one binding isn't observed yet.
void all_but_one_bound(Rig& rig) {
    one_of_two_groups(rig);
    rig.change_gang("all", [](model::Group& root) { root.minimum = 2; });
    rig.pods("a", 0, 2);
    rig.pods("b", 0, 2);
    rig.synced();
    delay_binding(rig, "b-1");
    rig.schedule_all();
    rig.advance(Time{1000});
    REQUIRE(rig.bound().size() == 3);
}

TEST_CASE("a member lost after the minimum is bound isn't replaced by that commit, though an extra still joins (KP4)") {
    Rig rig;
    gang_of_three(rig);
    rig.pods("train", 0, 4);
    rig.synced();
    rig.arrive("train", 0, 3);
    rig.advance(Time{1000});
    REQUIRE(rig.bound().size() == 3);
    CHECK(rig.engine.published()->stats.committed_seats == 1);
    for (const char* lost : {"train-0", "train-1"}) {
        rig.remove_pod(lost);
        rig.pod(lost, "train");
    }
    rig.advance(Time{1000});
    CHECK(rig.filter("train-0").node.empty());
    CHECK(rig.filter("train-1").node.empty());
    CHECK(rig.record("train")->reason == "Incomplete");
    CHECK(rig.record("train")->message ==
          "2 of its pods came too late for the commit under way, which lacks other members");
    rig.arrive("train", 3, 4);
    schedule(rig);
    CHECK(rig.bound().size() == 2);
    CHECK(rig.bound().contains("train-3"));
    CHECK(rig.record("train")->phase == model::Phase::degraded);
    rig.pod("train-4", "train");
    schedule(rig);
    CHECK(rig.bound().size() == 5);
    CHECK(rig.record("train")->phase == model::Phase::bound);
}

TEST_CASE("an extra that arrives too late loses its seat, and waits for a full minimum again (B8)") {
    Rig rig;
    gang_of_three(rig);
    rig.pods("train", 0, 4);
    rig.synced();
    rig.arrive("train", 0, 3);
    rig.advance(Time{200'000});
    CHECK(rig.engine.published()->stats.committed_seats == 0);
    CHECK(rig.record("train")->phase == model::Phase::bound);
    schedule(rig);
    CHECK(rig.bound().size() == 3);
    rig.pods("train", 4, 6);
    schedule(rig);
    CHECK(rig.bound().size() == 6);
}

TEST_CASE("a member that is too late for one group takes no room from another group in the same commit") {
    Rig rig;
    all_but_one_bound(rig);
    std::set<std::string> taken{rig.filter("b-1").node};
    for (const auto& [pod, node] : rig.bound())
        taken.insert(node);
    for (int host = 0; host < 8; ++host) {
        const auto node = fmt::format("b0-r0-h{:02}", host);
        if (!taken.contains(node))
            rig.change_node(node, [](model::Node& full) { full.unschedulable = true; });
    }
    rig.pods("a", 2, 4);
    rig.advance(Time{1000});
    CHECK(rig.record("all")->phase == model::Phase::committed);
    CHECK(rig.record("all")->reason.empty());
    rig.is_late = nullptr;
    schedule(rig);
    CHECK(rig.bound().size() == 4);
    CHECK(rig.record("all")->phase == model::Phase::bound);
    CHECK(rig.record("all")->reason == "Impossible");
}

TEST_CASE("a commit ends when each group was complete once, and members lost later join the next commit") {
    Rig rig;
    all_but_one_bound(rig);
    rig.remove_pod("a-0");
    rig.pod("a-0", "a");
    rig.advance(Time{1000});
    CHECK(rig.record("all")->phase == model::Phase::committed);
    rig.is_late = nullptr;
    schedule(rig);
    CHECK(rig.bound().size() == 3);
    CHECK(rig.record("all")->phase == model::Phase::degraded);
    CHECK(rig.record("all")->reason == "Incomplete");
    rig.pod("a-2", "a");
    schedule(rig);
    CHECK(rig.bound().size() == 5);
    CHECK(rig.record("all")->phase == model::Phase::bound);
}

// A group of the commit has lost every member, and what the other one has lost waits for the next commit.
void neither_can_go_on(Rig& rig) {
    rig.remove_pod("b-1");
    rig.remove_pod("b-0");
    rig.remove_pod("a-0");
    rig.is_late = nullptr;
    rig.pod("a-0", "a");
    rig.pods("b", 0, 2);
    schedule(rig);
}

TEST_CASE("a commit ends when all that it lacks waits for members that came too late, and the next is whole (KP4)") {
    for (const bool restarts : {false, true}) {
        CAPTURE(restarts);
        Rig rig;
        all_but_one_bound(rig);
        neither_can_go_on(rig);
        CHECK(rig.bound().size() == 1);
        CHECK(rig.record("all")->phase == model::Phase::degraded);
        CHECK(rig.record("all")->reason == "Incomplete");
        if (restarts)
            rig.restart();
        schedule(rig);
        CHECK(rig.bound().size() == 1);
        rig.pod("a-2", "a");
        schedule(rig);
        CHECK(rig.bound().size() == 5);
        CHECK(rig.record("all")->phase == model::Phase::bound);
        CHECK(rig.record("all")->reason.empty());
    }
}

TEST_CASE("a commit whose rest came too late still binds the replacement in a group where bound members count (KP4)") {
    Rig rig;
    all_but_one_bound(rig);
    rig.gang({"c", 2, ""});
    rig.change_gang("c",
                    [&](model::Group& group) { group.parent = model::GroupKey{"compositepodgroup", "default/all"}; });
    rig.change_gang("all", [](model::Group& root) { root.minimum = 3; });
    rig.pods("c", 0, 2);
    schedule(rig);
    REQUIRE(rig.bound().size() == 5);
    rig.remove_pod("c-0");
    rig.pod("c-0", "c");
    neither_can_go_on(rig);
    CHECK(rig.bound().size() == 3);
    CHECK(rig.bound().contains("c-0"));
    CHECK(rig.record("all")->phase == model::Phase::degraded);
    rig.pod("a-2", "a");
    schedule(rig);
    CHECK(rig.bound().size() == 7);
}

TEST_CASE("a commit goes on though all it has bound so far have ended, also after a restart (I6)") {
    for (const bool restarts : {false, true}) {
        CAPTURE(restarts);
        Rig rig;
        gang_of_three(rig);
        rig.change_gang("train", [](model::Group& group) { group.minimum = 2; });
        rig.pods("train", 0, 2);
        rig.synced();
        lose_binding(rig, "train-1");
        rig.schedule_all();
        REQUIRE(rig.bound().size() == 1);
        rig.restart();
        rig.fate = nullptr;
        rig.change_pod("train-0", [](model::Pod& pod) { pod.phase = model::PodPhase::succeeded; });
        rig.advance(Time{1000});
        CHECK(rig.record("train")->phase == model::Phase::committed);
        if (restarts)
            rig.restart();
        schedule(rig);
        CHECK(rig.bound().contains("train-1"));
        CHECK(rig.record("train")->phase == model::Phase::bound);
    }
}

TEST_CASE("a member that another writer binds between record and binding leaves the commit (KP4)") {
    Rig rig;
    rig.fabric(1, 2, 8);
    rig.gang({"train", 2, test::rack_key});
    rig.change_gang("train", [](model::Group& group) { group.policy.counts_only_waiting = true; });
    rig.pods("train", 0, 2);
    rig.synced();
    rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::ReadGroup>(write); };
    rig.schedule_all();
    rig.advance(Time{1000});
    REQUIRE(rig.record("train")->phase == model::Phase::committed);
    const auto taken = rig.record("train")->seats.front().node;
    rig.change_pod("train-0",
                   [&](model::Pod& pod) { pod.node = taken.str().starts_with("b0-r0") ? "b0-r1-h07" : "b0-r0-h07"; });
    rig.is_late = nullptr;
    schedule(rig);
    CHECK(rig.bound().size() == 1);
    CHECK(rig.record("train")->message ==
          "group \"default/train\" has 1 of at least 2 pods waiting (running pods do not count)");
}

TEST_CASE("a commit that a later record shows as ended adds no member, though an older record was found open (I1)") {
    Rig rig;
    gang_of_three(rig);
    rig.pods("train", 0, 3);
    rig.synced();
    model::PlanRecord last;
    rig.fate = [&last](const model::Write& write) -> std::optional<model::Outcome> {
        const auto* record = std::get_if<model::ApplyPlan>(&write);
        if (record == nullptr || record->record.phase == model::Phase::committed)
            return std::nullopt;
        last = record->record;
        return model::Outcome{};  // Written, but a list at this moment shows an older state.
    };
    schedule(rig, 1);
    REQUIRE(rig.bound().size() == 3);
    REQUIRE(last.phase == model::Phase::bound);
    rig.remove_pod("train-0");
    rig.restart();
    rig.step(Observed{model::PlanSeen{last}});
    rig.pod("train-0", "train");
    schedule(rig);
    CHECK(rig.bound().size() == 2);
    CHECK(last.message == "group \"default/train\" has 1 of at least 3 pods waiting (running pods do not count)");
    rig.pods("train", 3, 5);
    schedule(rig);
    CHECK(rig.bound().size() == 5);
}

}  // namespace
}  // namespace echelon::engine
