// Failures that the simulator found, each reduced to its shortest form and named by the broken rule.

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::count_of;
using test::Rig;

using Kind = model::Outcome::Kind;

// A gang of `count` members, held on one rack; no bind call has come yet.
void held(Rig& rig, int count, bool gated = true) {
    rig.fabric(1, 2, 4);
    rig.gang({"train", count, test::rack_key});
    rig.pods("train", 0, count, gated);
    rig.synced();
    rig.settle();
}

template <typename What>
std::uint64_t last_write(const std::vector<Action>& actions) {
    std::uint64_t write = 0;
    for (const auto& action : actions) {
        const auto* start = std::get_if<StartWrite>(&action);
        if (start != nullptr && std::holds_alternative<What>(start->what))
            write = start->write;
    }
    return write;
}

bool binds(const std::vector<Action>& actions) {
    return std::ranges::any_of(actions, [](const Action& action) {
        const auto* start = std::get_if<StartWrite>(&action);
        return start != nullptr && std::holds_alternative<model::BindPod>(start->what);
    });
}

// Writes under way: the commit record, and the question for the group beside it (X2).
struct Recording {
    std::uint64_t record = 0;
    std::uint64_t look = 0;
};

// Both members come to the barrier.
Recording recording(Rig& rig, std::uint64_t& last_call) {
    rig.holds_back_writes = true;
    Recording found;
    for (const auto* name : {"train-0", "train-1"}) {
        const auto& pod = rig.pod_of(name);
        last_call += 100;
        const auto actions =
            rig.engine.step(BindCalled{last_call, {pod.ns, pod.name, pod.uid}, rig.filter(name).node}, rig.now);
        found = {last_write<model::ApplyPlan>(actions), last_write<model::ReadGroup>(actions)};
    }
    return found;
}

TEST_CASE("a caller that hangs up at the moment of the commit is withdrawn, and no member is bound (I6)") {
    Rig rig;
    held(rig, 2);
    std::uint64_t call = 0;
    const auto record = recording(rig, call).record;
    REQUIRE(record != 0);
    const std::vector<Input> together{Written{record, {}}, CallerGone{call}};
    CHECK(!binds(rig.engine.step(together, rig.now)));
}

TEST_CASE("the answer to a write of an earlier gang of that name is no commit record (I1)") {
    Rig rig;
    held(rig, 2);
    std::uint64_t call = 0;
    const auto earlier = recording(rig, call).record;
    REQUIRE(earlier != 0);
    rig.remove_gang("train");
    for (const auto* name : {"train-0", "train-1"})
        rig.remove_pod(name);
    rig.gang({"train", 2, test::rack_key});
    rig.pods("train", 0, 2, false);
    for (Time end = rig.now + Time{80}; rig.now < end; rig.now += Time{10})
        rig.step(Ticked{});
    const auto [record, look] = recording(rig, call);
    REQUIRE(record != 0);
    REQUIRE(look != 0);
    const model::Outcome seen{.sentence = "", .node = "", .uid = "group-train"};
    CHECK(!binds(rig.engine.step(Written{look, seen}, rig.now)));
    CHECK(!binds(rig.engine.step(Written{earlier, {}}, rig.now)));
    CHECK(binds(rig.engine.step(Written{record, {}}, rig.now)));
}

TEST_CASE("a gang whose group isn't there is neither bound nor a reason to commit") {
    Rig rig;
    rig.fabric(1, 1, 2);
    rig.pods("train", 0, 2);
    rig.synced();
    rig.advance(Time{2000});
    REQUIRE(rig.record("train") != nullptr);
    CHECK(rig.record("train")->phase == model::Phase::pending);
    CHECK(rig.record("train")->reason == "Incomplete");
}

TEST_CASE("without the lead nothing is written, and nothing is posted again (I9)") {
    Rig rig;
    held(rig, 2);
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (std::holds_alternative<model::BindPod>(write))
            return model::Outcome{Kind::unknown, "connection lost", "", ""};
        return std::nullopt;
    };
    rig.schedule_all();
    const auto posted = count_of(rig.writes, "bind");
    REQUIRE(posted >= 2);
    rig.step(LeadChanged{false});
    rig.fate = nullptr;
    const auto before = rig.writes.size();
    rig.advance(Time{60'000});
    for (auto at = before; at < rig.writes.size(); ++at)
        CHECK(rig.writes[at].starts_with("read"));
    rig.step(LeadChanged{true});
    for (int i = 0; i < 3; ++i) {
        rig.schedule_all();
        rig.advance(Time{10'000});
    }
    rig.schedule_all();
    CHECK(rig.bound().size() == 2);
}

TEST_CASE("a GangPlan that a late write of another run overwrote is written again") {
    Rig rig;
    held(rig, 2);
    auto late = *rig.record("train");
    REQUIRE(late.phase == model::Phase::held);
    rig.schedule_all();
    rig.advance(Time{2000});
    REQUIRE(rig.record("train")->phase == model::Phase::bound);
    const auto before = count_of(rig.writes, "record train Bound");
    rig.step(Observed{model::PlanSeen{late}});
    rig.advance(Time{5000});
    CHECK(count_of(rig.writes, "record train Bound") == before + 1);
    rig.advance(Time{60'000});
    CHECK(count_of(rig.writes, "record train Bound") == before + 1);
}

TEST_CASE("a GangPlan that appears after its gang went is deleted, once there was time for the gang to appear") {
    Rig rig;
    held(rig, 2);
    auto late = *rig.record("train");
    rig.remove_gang("train");
    for (const auto* name : {"train-0", "train-1"})
        rig.remove_pod(name);
    rig.advance(Time{1000});
    REQUIRE(rig.record("train") == nullptr);
    const auto before = count_of(rig.writes, "forget");
    rig.step(Observed{model::PlanSeen{late}});
    rig.advance(Time{5000});
    CHECK(count_of(rig.writes, "forget") == before);
    rig.advance(Time{10'000});
    CHECK(count_of(rig.writes, "forget") == before + 1);
}

TEST_CASE("a committed gang that lost members gives up a seat whose node was cordoned (B5)") {
    Rig rig;
    held(rig, 3);
    rig.fate = [n = 0](const model::Write& write) mutable -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::BindPod>(write) || n++ == 0)
            return std::nullopt;
        return model::Outcome{Kind::rejected, "webhook", "", ""};
    };
    rig.schedule_all();
    REQUIRE(rig.bound().size() == 1);
    const auto first = rig.bound().begin()->first;
    const std::string second = first == "train-0" ? "train-1" : "train-0";
    const std::string third = first == "train-2" ? "train-1" : "train-2";
    const auto node = rig.filter(second).node;
    REQUIRE(!node.empty());
    rig.remove_pod(third);
    rig.change_node(node, [](model::Node& changed) { changed.unschedulable = true; });
    rig.advance(Time{1000});
    CHECK(rig.filter(second).node != node);
}

TEST_CASE("without nominations, a planned node is planned around when each call offers one other node alone (R3)") {
    auto options = Rig::default_options();
    options.profiles["default-scheduler"].nominate = false;
    Rig rig(options);
    rig.fabric(1, 1, 2);
    rig.gang({"train", 1, test::rack_key});
    rig.pods("train", 0, 1, false);
    rig.synced();
    rig.advance(Time{100});
    const auto seat = rig.filter("train-0").node;
    REQUIRE(!seat.empty());
    const std::string other = seat == "b0-r0-h00" ? "b0-r0-h01" : "b0-r0-h00";
    for (int i = 0; i < 3; ++i) {
        rig.filter("train-0", {other});
        rig.advance(Time{100});
    }
    rig.advance(Time{1000});
    CHECK(rig.filter("train-0", {other}).node == other);
}

TEST_CASE("a member behind our gate that lost its seat loses its nomination, which keeps others out") {
    Rig rig;
    rig.fabric(1, 1, 2);
    rig.gang({"train", 2, test::rack_key});
    rig.pods("train", 0, 2);
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (std::holds_alternative<model::UngatePod>(write))
            return model::Outcome{Kind::rejected, "forbidden", "", ""};
        return std::nullopt;
    };
    rig.synced();
    rig.advance(Time{1000});
    REQUIRE(!rig.pod_of("train-0").nominated_node.empty());
    rig.remove_node("b0-r0-h01");
    rig.advance(Time{1000});
    CHECK(rig.pod_of("train-0").nominated_node.empty());
    CHECK(rig.pod_of("train-1").nominated_node.empty());
}

TEST_CASE(
    "a group that lost a member keeps no seats that can't satisfy it, and the referee never sees such a plan (N4)") {
    Rig rig;
    rig.fabric(1, 2, 4);
    model::Group root;
    root.key = {"compositepodgroup", "default/all"};
    root.kind = model::GroupKind::composite;
    root.minimum = 1;
    root.uid = "root";
    rig.add_group("all", root);
    for (const auto* name : {"a", "b"}) {
        model::Group leaf;
        leaf.key = {"podgroup", std::string("default/") + name};
        leaf.minimum = 2;
        leaf.parent = root.key;
        leaf.uid = name;
        rig.add_group(name, leaf);
        rig.pods(name, 0, 2);
    }
    rig.synced();
    rig.advance(Time{200});
    REQUIRE(!rig.filter("b-0").node.empty());
    rig.remove_pod("b-1");
    rig.advance(Time{500});
    CHECK(rig.engine.published()->stats.plans_rejected_by_referee == 0);
    CHECK(rig.filter("b-0").node.empty());
    CHECK(!rig.filter("a-0").node.empty());
}

}  // namespace
}  // namespace echelon::engine
