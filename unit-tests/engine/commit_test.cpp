// No commit without quorum: if a member is lost or a minimum raised before the first binding, no member is bound.

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::composite;
using test::count_of;
using test::GangSpec;
using test::Rig;
using Kind = model::Outcome::Kind;

std::string member(int i) {
    return fmt::format("train-{}", i);
}

// Whole-host pods, all of them the minimum, rack required, on 2 x 2 racks of 16; planned and released.
void held_gang(Rig& rig, int size) {
    rig.fabric(2, 2, 16);
    rig.gang({"train", size, test::rack_key});
    rig.pods("train", 0, size);
    rig.synced();
    rig.advance(Time{1000});
}

// kube-scheduler binds every unbound member, until nothing is left to do.
void bring_all(Rig& rig) {
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
}

// The bindings after the first `done` ones end as `kind`.
auto binds_fail_after(int done, Kind kind) {
    return [n = 0, done, kind](const model::Write& write) mutable -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::BindPod>(write) || n++ < done)
            return std::nullopt;
        return model::Outcome{kind, "the API server is down", "", ""};
    };
}

void check_whole(const Rig& rig, std::size_t size) {
    CHECK(rig.bound().size() == size);
    CHECK(rig.racks_of("train").size() == 1);
}

TEST_CASE("if a member is lost while the commit record is being written, no member is bound (B3)") {
    Rig rig;
    held_gang(rig, 16);
    rig.holds_back_writes = true;
    rig.arrive("train", 0, 16);
    REQUIRE(count_of(rig.writes, "record train Committed") == 1);
    rig.remove_pod("train-3");
    rig.holds_back_writes = false;
    rig.advance(Time{1000});
    CHECK(count_of(rig.writes, "bind ") == 0);
    rig.pod("train-3", "train");
    bring_all(rig);
    check_whole(rig, 16);
}

TEST_CASE("if a member is lost while the commit record is behind an earlier report, no member is bound (B3)") {
    Rig rig;
    held_gang(rig, 16);
    rig.writes.clear();
    rig.holds_back_writes = true;
    rig.change_gang("train", [](model::Group& group) { group.generation = 2; });
    rig.advance(Time{2000});
    REQUIRE(count_of(rig.writes, "record train Held") == 1);
    rig.arrive("train", 0, 16);
    REQUIRE(count_of(rig.writes, "record train Committed") == 1);  // It waits for no answer.
    rig.remove_pod("train-3");
    rig.advance(Time{2000});
    rig.holds_back_writes = false;
    rig.advance(Time{1000});
    CHECK(count_of(rig.writes, "bind ") == 0);
    rig.pod("train-3", "train");
    bring_all(rig);
    check_whole(rig, 16);
}

TEST_CASE("if a minimum is raised while the commit record is being written, no member is bound (B3)") {
    Rig rig;
    held_gang(rig, 8);
    rig.holds_back_writes = true;
    rig.arrive("train", 0, 8);
    REQUIRE(count_of(rig.writes, "record train Committed") == 1);
    rig.change_gang("train", [](model::Group& group) {
        group.minimum = 12;
        group.generation = 2;
    });
    rig.holds_back_writes = false;
    rig.advance(Time{1000});
    CHECK(count_of(rig.writes, "bind ") == 0);
    rig.pods("train", 8, 12);
    bring_all(rig);
    check_whole(rig, 12);
}

TEST_CASE("the commit record of pods that were deleted during a restart binds no pod of the same name (R17)") {
    Rig rig;
    held_gang(rig, 16);
    rig.fate = binds_fail_after(0, Kind::unknown);
    rig.schedule_all();
    REQUIRE(rig.record("train")->phase == model::Phase::committed);
    for (int i = 0; i < 16; ++i)
        rig.forget_silently(member(i));
    rig.fate = nullptr;
    rig.restart();
    rig.pods("train", 0, 16);
    rig.advance(Time{1000});
    REQUIRE(!rig.filter("train-0").node.empty());
    rig.arrive("train", 0, 1);
    rig.advance(Time{100});
    CHECK(rig.bound().empty());
    bring_all(rig);
    check_whole(rig, 16);
}

TEST_CASE("a commit ends with the pods it was made for: their successors wait at the barrier (I6)") {
    Rig rig;
    held_gang(rig, 16);
    rig.fate = binds_fail_after(10, Kind::rejected);
    rig.schedule_all();
    REQUIRE(rig.bound().size() == 10);
    for (int i = 0; i < 16; ++i)
        rig.remove_pod(member(i));
    rig.fate = nullptr;
    rig.advance(Time{1000});
    rig.pods("train", 0, 16);
    rig.advance(Time{1000});
    REQUIRE(!rig.filter("train-0").node.empty());
    rig.arrive("train", 0, 1);
    rig.advance(Time{100});
    CHECK(rig.bound().empty());
    bring_all(rig);
    check_whole(rig, 16);
}

TEST_CASE("a gang that was bound and begins anew is committed anew, and completed to its seats after a restart (I6)") {
    Rig rig;
    held_gang(rig, 16);
    bring_all(rig);
    REQUIRE(rig.bound().size() == 16);
    for (int i = 0; i < 16; ++i)
        rig.remove_pod(member(i));
    rig.advance(Time{1000});
    rig.pods("train", 0, 16);
    rig.advance(Time{1000});
    rig.writes.clear();
    rig.fate = binds_fail_after(5, Kind::unknown);
    rig.schedule_all();
    REQUIRE(rig.bound().size() == 5);
    CHECK(count_of(rig.writes, "record train Committed") == 1);
    const auto planned = rig.record("train")->seats;
    REQUIRE(planned.size() == 16);
    rig.fate = nullptr;
    rig.restart();
    for (int i = 0; i < 3; ++i) {
        rig.schedule_all();
        rig.advance(Time{10'000});
    }
    const auto bound = rig.bound();
    REQUIRE(bound.size() == 16);
    for (const auto& seat : planned)
        CHECK(bound.at(seat.pod.str().substr(8)) == seat.node);
}

TEST_CASE("a late event of a removed gang's commit record binds no pod of the new gang") {
    for (const bool is_before_successor : {true, false}) {
        CAPTURE(is_before_successor);
        Rig rig;
        held_gang(rig, 16);
        rig.fate = binds_fail_after(0, Kind::unknown);
        rig.schedule_all();
        REQUIRE(rig.record("train")->phase == model::Phase::committed);
        const auto old = *rig.record("train");
        rig.fate = nullptr;
        for (int i = 0; i < 16; ++i)
            rig.remove_pod(member(i));
        rig.remove_gang("train");
        rig.settle();
        // The watch of GangPlans lags behind the others.
        if (is_before_successor)
            rig.step(Observed{model::PlanSeen{old}});
        rig.gang({"train", 16, test::rack_key});
        rig.pods("train", 0, 16);
        if (!is_before_successor) {
            rig.step(Observed{model::PlanSeen{old}});
            rig.advance(Time{1000});
        }
        rig.step(Observed{model::PlanGone{"default", "train"}});
        rig.advance(Time{1000});
        REQUIRE(!rig.filter("train-0").node.empty());
        rig.arrive("train", 0, 1);
        rig.advance(Time{100});
        CHECK(rig.bound().empty());
        bring_all(rig);
        check_whole(rig, 16);
    }
}

TEST_CASE("no member of an incomplete group is bound when its gang is committed without it (X4)") {
    Rig rig;
    rig.fabric(2, 2, 16);
    rig.add_group("both", composite("both", 1));
    for (const std::string name : {"decode", "prefill"}) {
        rig.gang({name, 4, test::rack_key});
        rig.change_gang(name, [](model::Group& group) { group.parent = {"compositepodgroup", "default/both"}; });
        rig.pods(name, 0, 4);
    }
    rig.synced();
    rig.advance(Time{1000});
    REQUIRE(!rig.filter("prefill-0").node.empty());
    rig.arrive("prefill", 0, 1);
    rig.arrive("decode", 0, 4);
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 4);
    CHECK(!rig.bound().contains("prefill-0"));
    rig.arrive("prefill", 1, 4);
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 8);
}

TEST_CASE("bindings under way keep their room when their gang becomes a child of another (R10)") {
    Rig rig;
    rig.fabric(1, 1, 16);
    rig.gang({"train", 12, test::rack_key});
    rig.pods("train", 0, 12);
    rig.synced();
    rig.advance(Time{1000});
    // The commit record goes through, and the bindings that it allows hang.
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        rig.holds_back_writes = std::holds_alternative<model::ApplyPlan>(write);
        return std::nullopt;
    };
    rig.arrive("train", 0, 12);
    rig.settle();
    REQUIRE(count_of(rig.writes, "bind ") == 12);
    rig.fate = nullptr;
    const auto both = composite("both", 2);
    rig.add_group("both", both);
    rig.change_gang("train", [&](model::Group& group) { group.parent = both.key; });
    rig.gang({"later", 12, test::rack_key, {}, 9});
    rig.pods("later", 0, 12);
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->stats.held_seats == 0);
    rig.holds_back_writes = false;
    bring_all(rig);
    std::set<std::string> nodes;
    for (const auto& [pod, node] : rig.bound())
        CHECK(nodes.insert(node).second);
    CHECK(nodes.size() == 12);
    CHECK(rig.racks_of("later").empty());
}

}  // namespace
}  // namespace echelon::engine
