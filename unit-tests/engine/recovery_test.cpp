// What happens if something fails between plan and binding: nodes, members, the API server, echelon itself?

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::count_of;
using test::gang_of_16;
using test::GangSpec;
using test::Rig;

TEST_CASE("after a restart in the middle of a commit the gang is completed to its planned seats (R17)") {
    for (int posted = 0; posted <= 16; ++posted) {
        CAPTURE(posted);
        Rig rig;
        gang_of_16(rig);
        rig.synced();
        int binds = 0;
        rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
            if (!std::holds_alternative<model::BindPod>(write))
                return std::nullopt;
            if (binds++ < posted)
                return std::nullopt;
            return model::Outcome{model::Outcome::Kind::unknown, "connection lost", "", ""};
        };
        rig.schedule_all();
        CHECK(rig.bound().size() == static_cast<std::size_t>(posted));
        REQUIRE(rig.record("train") != nullptr);
        const auto planned = rig.record("train")->seats;
        REQUIRE(planned.size() == 16);
        rig.fate = nullptr;
        rig.restart();
        for (int i = 0; i < 3; ++i) {
            rig.schedule_all();
            rig.advance(Time{10'000});
        }
        const auto bound = rig.bound();
        CHECK(bound.size() == 16);
        for (const auto& seat : planned)
            CHECK(bound.at(seat.pod.str().substr(8)) == seat.node);
    }
}

TEST_CASE("after a restart seats are kept by the gang's priority before the gang is planned (PR1)") {
    auto options = Rig::default_options();
    options.step_work = 20'000;
    Rig rig(options);
    rig.fabric(1, 1, 2);
    rig.synced();
    rig.gang({"train", 2, test::rack_key, 10, 1});
    rig.pods("train", 0, 2);
    rig.advance(Time{1000});
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::BindPod>(write))
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::unknown, "connection lost", "", ""};
    };
    rig.schedule_all();
    REQUIRE(rig.record("train")->phase == model::Phase::committed);
    rig.restart_before_sync();
    rig.now += Time{2000};
    for (const char* kind : {"nodes", "pods"})
        rig.step(Observed{model::Synced{kind}});
    const auto published = rig.engine.published();
    for (const std::int64_t priority : {9, 11}) {
        CAPTURE(priority);
        const model::PlainPod plain{.requests = {{test::gpu, 1}}, .priority = priority};
        const auto* promises = published->promises.on("b0-r0-h00");
        REQUIRE(promises != nullptr);
        CHECK(promises->room->keep_out(plain, Protection::promised, rig.now) == (priority < 10));
    }
}

// Gang "serve": one of two replicas is enough, each has two whole-host pods in one rack. All are gated.
void two_replicas(Rig& rig) {
    add_parts(rig, test::composite("serve", 1), {"serve-a", "serve-b"}, 2, test::rack_key);
}

TEST_CASE("after a restart an extra replica that is half bound is completed before others get its hosts (I6)") {
    Rig rig;
    rig.fabric(1, 2, 2);
    two_replicas(rig);
    rig.synced();
    int binds = 0;
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::BindPod>(write) || binds++ < 3)
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::unknown, "connection lost", "", ""};
    };
    rig.schedule_all();
    rig.advance(Time{10'000});
    REQUIRE(rig.bound().size() == 3);
    REQUIRE(rig.record("serve")->phase == model::Phase::bound);
    rig.gang({"other", 1, "", 100});
    rig.pods("other", 0, 1);
    rig.advance(Time{1000});
    rig.fate = nullptr;
    rig.restart();
    rig.live(5);
    CHECK(rig.bound().size() == 4);
    CHECK_FALSE(rig.bound().contains("other-0"));
}

TEST_CASE("a gang without a commit record starts over after a restart") {
    Rig rig;
    gang_of_16(rig);
    rig.synced();
    CHECK(rig.record("train")->phase == model::Phase::held);
    rig.restart();
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 16);
    CHECK(rig.racks_of("train").size() == 1);
}

TEST_CASE("a node cordoned between plan and bind is planned around, whole (B5)") {
    Rig rig;
    gang_of_16(rig);
    rig.synced();
    const auto seat = rig.filter("train-3").node;
    const auto waiting = rig.bind("train-0", rig.filter("train-0").node);
    rig.change_node(seat, [](model::Node& node) { node.unschedulable = true; });
    rig.advance(Time{1000});
    REQUIRE(rig.answer(waiting) != nullptr);  // Its seat is in a rack that no longer holds the gang.
    CHECK(!rig.answer(waiting)->error.empty());
    rig.schedule_all();
    rig.advance(Time{1000});
    const auto bound = rig.bound();
    CHECK(bound.size() == 16);
    CHECK(rig.racks_of("train").size() == 1);
    for (const auto& [pod, node] : bound)
        CHECK(node != seat);
}

TEST_CASE("a lost node between plan and bind is planned around, whole") {
    Rig rig;
    gang_of_16(rig);
    rig.synced();
    const auto seat = rig.filter("train-3").node;
    rig.remove_node(seat);
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 16);
    CHECK(rig.racks_of("train").size() == 1);
}

TEST_CASE("the replacement of a lost member goes to the gang's domain (D7)") {
    Rig rig;
    rig.fabric(2, 2, 16);
    rig.gang({"train", 8, test::rack_key});
    rig.pods("train", 0, 8);
    rig.synced();
    rig.schedule_all();
    rig.advance(Time{1000});
    const auto racks = rig.racks_of("train");
    REQUIRE(racks.size() == 1);
    rig.remove_pod("train-3");
    rig.advance(Time{1000});
    CHECK(rig.record("train")->phase == model::Phase::degraded);
    rig.pod("train-3", "train");
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 8);
    CHECK(rig.racks_of("train") == racks);
    CHECK(rig.record("train")->phase == model::Phase::bound);
}

TEST_CASE("an unknown outcome is settled by reading the pod (I4)") {
    Rig rig;
    gang_of_16(rig);
    rig.synced();
    bool is_lost = false;
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        if (std::holds_alternative<model::BindPod>(write) && !std::exchange(is_lost, true)) {
            return model::Outcome{model::Outcome::Kind::unknown, "time-out", "", ""};
        }
        return std::nullopt;
    };
    rig.schedule_all();
    rig.advance(Time{5000});
    CHECK(count_of(rig.writes, "read ") == 1);
    CHECK(count_of(rig.writes, "bind ") == 17);
    CHECK(rig.bound().size() == 16);
}

TEST_CASE("without a commit record nothing is bound") {
    Rig rig;
    gang_of_16(rig);
    rig.synced();
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::ApplyPlan>(write))
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::rejected, "forbidden", "", ""};
    };
    rig.schedule_all();
    CHECK(count_of(rig.writes, "bind ") == 0);
    rig.fate = nullptr;
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 16);
}

TEST_CASE("where GangPlans aren't served gangs are bound all the same") {
    Rig rig;
    gang_of_16(rig);
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::ApplyPlan>(write))
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::gone, "not served", "", ""};
    };
    rig.synced();
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 16);
}

TEST_CASE("an ungated member that was refused is woken when its seat exists and it isn't nominated") {
    auto options = Rig::default_options();
    options.profiles["default-scheduler"].nominate = false;
    Rig rig(options);
    rig.fabric(2, 2, 16);
    rig.gang({"train", 16, test::rack_key});
    rig.pods("train", 0, 12, false);
    rig.synced();
    for (int i = 0; i < 12; ++i) {
        CHECK(rig.filter(fmt::format("train-{}", i)).text == "echelon: gang default/train: waiting for members");
    }
    rig.pods("train", 12, 16, false);
    rig.advance(Time{1000});
    CHECK(count_of(rig.writes, "nominate") == 0);
    CHECK(count_of(rig.writes, "kick") == 12);
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 16);
}

TEST_CASE("a planned node that kube-scheduler's own filters refuse is planned around (R3)") {
    auto options = Rig::default_options();
    options.profiles["default-scheduler"].nominate = false;
    Rig rig(options);
    gang_of_16(rig, false);
    rig.synced();
    const auto refused = rig.filter("train-0").node;
    std::vector<std::string> others;
    for (int b = 0; b < 2; ++b) {
        for (int r = 0; r < 2; ++r) {
            for (int h = 0; h < 16; ++h) {
                if (auto name = fmt::format("b{}-r{}-h{:02}", b, r, h); name != refused)
                    others.push_back(name);
            }
        }
    }
    for (int i = 0; i < 3; ++i)
        rig.filter("train-0", others);
    rig.advance(Time{1000});
    const auto now = rig.filter("train-0", others).node;
    CHECK(!now.empty());
    CHECK(now != refused);
}

TEST_CASE("draining answers waiting callers and finishes what is committed") {
    Rig rig;
    gang_of_16(rig);
    rig.synced();
    const auto call = rig.bind("train-0", rig.filter("train-0").node);
    CHECK(!rig.engine.is_idle());
    rig.step(Draining{});
    REQUIRE(rig.answer(call) != nullptr);
    CHECK(!rig.answer(call)->error.empty());
    CHECK(rig.engine.is_idle());
}

TEST_CASE("once draining is over nothing is written any more") {
    Rig rig;
    gang_of_16(rig);
    rig.synced();
    rig.schedule_all();
    rig.step(Draining{});
    rig.settle();
    CHECK(rig.bound().size() == 16);
    CHECK(rig.engine.is_idle());
    const auto written = rig.writes.size();
    rig.advance(Time{2000});
    CHECK(rig.writes.size() == written);
}

TEST_CASE("a GangPlan goes with its gang") {
    Rig rig;
    gang_of_16(rig);
    rig.synced();
    REQUIRE(rig.record("train") != nullptr);
    for (int i = 0; i < 16; ++i)
        rig.remove_pod(fmt::format("train-{}", i));
    rig.remove_gang("train");
    rig.advance(Time{1000});
    CHECK(rig.record("train") == nullptr);
    CHECK(rig.engine.published()->stats.held_seats == 0);
}

// Both replicas of two_replicas are planned; "serve-a" is bound, and one pod of "serve-b" waits at the barrier.
std::uint64_t one_waits_behind_a_bound_replica(Rig& rig) {
    rig.fabric(1, 2, 2);
    two_replicas(rig);
    rig.synced();
    rig.advance(Time{1000});
    const auto waiting = rig.arrive("serve-b", 0, 1);
    rig.arrive("serve-a", 0, 2);
    rig.advance(Time{1000});
    REQUIRE(rig.bound().size() == 2);
    REQUIRE(rig.answer(waiting[0]) == nullptr);
    return waiting[0];
}

TEST_CASE("draining fails the call of a member that waits for its replica, and the next run goes on") {
    Rig rig;
    const auto waiting = one_waits_behind_a_bound_replica(rig);
    rig.step(Draining{});
    rig.settle();
    REQUIRE(rig.answer(waiting) != nullptr);
    CHECK(rig.answer(waiting)->result == BindResult::error);
    CHECK(rig.engine.is_idle());
    rig.restart();
    rig.live(3);
    CHECK(rig.bound().size() == 4);
}

TEST_CASE("draining fails the calls of a commit that facts have overtaken, and the next run completes it") {
    Rig rig;
    gang_of_16(rig);
    rig.synced();
    rig.advance(Time{3000});
    rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::ApplyPlan>(write); };
    const auto calls = rig.arrive("train", 0, 16);
    rig.settle();
    rig.step(Draining{});
    rig.pod("train-16", "train");
    rig.is_late = {};
    rig.settle();
    for (const auto call : calls)
        CHECK(rig.answer(call) != nullptr);
    CHECK(rig.engine.is_idle());
    rig.restart();
    rig.live(3);
    CHECK(rig.bound().size() == 16);  // The rack has no room for the extra one.
}

}  // namespace
}  // namespace echelon::engine
