// Facts and calls that come together, too late, or while a write is under way. Each was a failure of the simulator.

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

using test::composite;
using test::count_of;
using test::Rig;

constexpr std::uint64_t early_call = 77;

model::Pod plain_pod() {
    model::Pod pod;
    pod.uid = "uid-plain";
    pod.ns = "default";
    pod.name = "plain";
    pod.scheduler_name = "default-scheduler";
    pod.pod_class.requests = {{"cpu", 1000}, {"pods", 1}};
    return pod;
}

// kube-scheduler asks and calls before the watch has shown the pod.
void call_early(Rig& rig) {
    rig.node("a", "b0", "r0");
    rig.synced();
    const auto pod = plain_pod();
    rig.step(Filtered{pod.uid, Filtered::Answer::passed, 1, ""});
    rig.step(BindCalled{early_call, {pod.ns, pod.name, pod.uid}, "a"});
    REQUIRE(rig.answer(early_call) == nullptr);
}

// A gang that needs each of these groups, of `size` whole-host pods each.
void groups(Rig& rig, const std::vector<std::string>& names, int size) {
    rig.fabric(1, 1, 8);
    add_parts(rig, composite("both", static_cast<std::int64_t>(names.size())), names, size);
    rig.synced();
    rig.advance(Time{1000});
}

TEST_CASE("a call that came before its pod isn't posted when the same batch shows the pod bound") {
    Rig rig;
    call_early(rig);
    auto bound = plain_pod();
    bound.node = "a";
    const std::vector<Input> batch = {Observed{model::PodSeen{plain_pod()}}, Observed{model::PodSeen{bound}}};
    const auto actions = rig.engine.step(batch, rig.now);
    REQUIRE(actions.size() == 1);
    const auto* answer = std::get_if<AnswerBind>(actions.data());
    REQUIRE(answer != nullptr);
    CHECK(answer->call == early_call);
    CHECK(answer->error.empty());
}

TEST_CASE("a call whose pod is seen after the call's time is over isn't posted") {
    Rig rig;
    call_early(rig);
    rig.now += Time{3'600'000};  // The process was stopped, or its clock jumped.
    rig.step(Observed{model::PodSeen{plain_pod()}});
    rig.step(Ticked{});
    REQUIRE(rig.answer(early_call) != nullptr);
    CHECK(rig.answer(early_call)->result == BindResult::rejected);
    CHECK(count_of(rig.writes, "bind ") == 0);
}

TEST_CASE("a call of a pod of no gang ends when the watch shows it bound, however long the write takes") {
    Rig rig;
    rig.node("a", "b0", "r0");
    rig.pod("plain", "", false);
    rig.synced();
    rig.filter("plain");
    const auto call = rig.bind("plain", "a");
    CHECK(rig.answer(call) == nullptr);
    rig.change_pod("plain", [](model::Pod& pod) { pod.node = "a"; });
    REQUIRE(rig.answer(call) != nullptr);
    CHECK(rig.answer(call)->error.empty());
}

TEST_CASE("a pod of no gang whose binding was carried out isn't bound again while the watch lags (I4)") {
    Rig rig;
    rig.node("a", "b0", "r0");
    rig.node("b", "b0", "r0");
    rig.synced();
    const auto pod = plain_pod();
    rig.step(Observed{model::PodSeen{pod}});
    rig.step(Filtered{pod.uid, Filtered::Answer::passed, 2, ""});
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        return std::holds_alternative<model::BindPod>(write) ? std::optional(model::Outcome{}) : std::nullopt;
    };
    auto call = early_call;
    for (const std::string node : {"a", "a", "b"}) {
        rig.step(BindCalled{++call, {pod.ns, pod.name, pod.uid}, node});
        rig.settle();
        REQUIRE(rig.answer(call) != nullptr);
        CHECK(rig.answer(call)->error.empty() == (node == "a"));
    }
    CHECK(count_of(rig.writes, "bind plain") == 1);
}

TEST_CASE("a member whose group goes and comes back isn't posted again before its first binding is settled (I4)") {
    Rig rig;
    groups(rig, {"decode", "prefill"}, 2);
    bool is_lost = false;
    rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
        const auto* bind = std::get_if<model::BindPod>(&write);
        if (bind == nullptr || bind->pod.name != "decode-1" || std::exchange(is_lost, true))
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::unknown, "503", "", ""};
    };
    rig.schedule_all();
    REQUIRE(is_lost);
    REQUIRE(rig.bound().size() == 3);
    model::Group decode;
    rig.change_gang("decode", [&](model::Group& group) { decode = group; });
    rig.remove_gang("decode");
    rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::ReadPod>(write); };
    rig.advance(Time{20});
    rig.add_group("decode", decode);
    rig.advance(Time{100});
    REQUIRE(!rig.filter("decode-1").node.empty());  // It has a seat again, and comes.
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(count_of(rig.writes, "read decode-1") == 1);
    CHECK(count_of(rig.writes, "bind decode-1") == 1);
    rig.is_late = nullptr;
    rig.settle();
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(count_of(rig.writes, "bind decode-1") == 2);
    CHECK(rig.bound().size() == 4);
}

TEST_CASE(
    "a seat of a broken gang is given back when what is missing doesn't come, and planned again when it does (I7)") {
    Rig rig;
    groups(rig, {"decode", "prefill", "route"}, 1);
    rig.schedule_all();
    rig.advance(Time{1000});
    REQUIRE(rig.bound().size() == 3);
    rig.remove_pod("prefill-0");
    rig.advance(Time{1000});
    rig.pod("prefill-0", "prefill");
    rig.advance(Time{1000});
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::ReadGroup>(write))
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::unknown, "503", "", ""};
    };
    rig.schedule_all();  // At the barrier, recorded, and not checked.
    REQUIRE(rig.engine.published()->stats.committed_seats == 1);
    rig.change_pod("decode-0", [](model::Pod& pod) { pod.phase = model::PodPhase::failed; });
    rig.fate = nullptr;
    rig.advance(Time{60'000});
    CHECK(rig.engine.published()->stats.committed_seats == 1);  // What is missing may come back.
    for (int turn = 0; turn < 10; ++turn) {
        rig.schedule_all();
        rig.advance(Time{15'000});
    }
    CHECK(rig.engine.published()->stats.committed_seats == 0);
    CHECK(!rig.filter("prefill-0").text.empty());

    rig.remove_pod("decode-0");
    rig.pod("decode-0", "decode");
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 3);
    CHECK(rig.record("both")->phase == model::Phase::bound);
}

TEST_CASE("a binding that wasn't carried out isn't posted again once the member's group is gone (B5)") {
    Rig rig;
    groups(rig, {"decode", "prefill"}, 1);
    answer_bindings(rig, "decode-0", model::Outcome::Kind::conflict);
    rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::ReadPod>(write); };
    rig.schedule_all();
    rig.advance(Time{1000});
    REQUIRE(count_of(rig.writes, "bind decode-0") == 1);
    rig.remove_gang("decode");  // Nothing is planned in the moment in which the pod is read as unbound.
    rig.is_late = nullptr;
    rig.settle();
    rig.advance(Time{5000});
    CHECK(count_of(rig.writes, "bind decode-0") == 1);
}

TEST_CASE("a binding whose node has gone isn't posted again: the member gets another seat at once (B5)") {
    Rig rig;
    rig.fabric(1, 1, 3);
    rig.gang({"pair", 2, ""});
    rig.pods("pair", 0, 2);
    rig.synced();
    rig.advance(Time{1000});
    answer_bindings(rig, "pair-0", model::Outcome::Kind::unknown);
    rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::ReadPod>(write); };
    rig.schedule_all();
    rig.advance(Time{1000});
    const auto before = rig.filter("pair-0").node;
    REQUIRE(rig.bound().size() == 1);
    rig.remove_node(before);
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->stats.committed_seats == 1);
    rig.is_late = nullptr;
    rig.fate = nullptr;
    rig.settle();
    rig.advance(Time{500});
    CHECK(count_of(rig.writes, "bind pair-0") == 1);
    const auto after = rig.filter("pair-0").node;
    CHECK(!after.empty());
    CHECK(after != before);
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 2);
}

TEST_CASE("a member that is seen on a node that is gone isn't bound") {
    Rig rig;
    rig.node("n0", "b0", "r0");
    rig.gang({"train", 1, ""});
    rig.pods("train", 0, 1);
    rig.synced();
    rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::BindPod>(write); };
    rig.schedule_all();
    rig.remove_node("n0");
    auto pod = rig.pod_of("train-0");
    pod.node = "n0";
    rig.step(Observed{model::PodSeen{pod}});
    CHECK(rig.engine.published()->stats.members_bound == 0);
    CHECK(std::ranges::none_of(rig.notes, [](const Note& note) { return note.sentence == "every minimum is bound"; }));
}

TEST_CASE("while draining no pod is bound by an outdated plan (I1)") {
    Rig rig;
    rig.fabric(1, 1, 2);
    rig.gang({"pair", 2, ""});
    rig.pods("pair", 0, 2);
    rig.synced();
    rig.advance(Time{1000});
    rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::ApplyPlan>(write); };
    rig.arrive("pair", 0, 2);
    rig.settle();
    rig.step(Draining{});
    rig.change_pod("pair-1", [](model::Pod& pod) { pod.deleting = true; });
    rig.is_late = {};
    rig.advance(Time{1000});
    CHECK(rig.bound().empty());
}

TEST_CASE("a call in the moment in which the hold was released doesn't plan its gang anew at once (B8)") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.gang({"train", 2, ""});
    rig.pods("train", 0, 2);
    rig.synced();
    rig.advance(Time{1000});
    const auto first = rig.filter("train-0").node;
    const auto second = rig.filter("train-1").node;
    REQUIRE(!first.empty());
    rig.bind("train-0", first);
    rig.now += Time{3'600'000};  // The process was stopped, or its clock jumped.
    rig.step(Ticked{});
    CHECK(rig.engine.published()->stats.held_seats == 0);
    const auto late = rig.bind("train-1", second);
    REQUIRE(rig.answer(late) != nullptr);
    CHECK(!rig.answer(late)->error.empty());
    CHECK(rig.engine.published()->stats.held_seats == 0);
    rig.advance(Time{11'000});
    CHECK(rig.engine.published()->stats.held_seats == 2);
}

TEST_CASE("a seat on a lost node ends at once, also while its gang waits after extras were given back (I7)") {
    Rig rig;
    rig.fabric(1, 1, 6);
    rig.gang({"train", 2, ""});
    rig.pods("train", 0, 4);
    rig.synced();
    rig.advance(Time{1000});
    for (const std::string name : {"train-0", "train-1"})
        rig.bind(name, rig.filter(name).node);
    rig.advance(Time{1000});
    REQUIRE(rig.bound().size() == 2);
    const auto node = rig.filter("train-2").node;
    REQUIRE(!node.empty());
    // One extra is being bound when the hold of the other ends.
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        if (!std::holds_alternative<model::BindPod>(write))
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::rejected, "forbidden", "", ""};
    };
    rig.is_late = [](const model::Write& write) { return std::holds_alternative<model::BindPod>(write); };
    rig.bind("train-2", node);
    rig.settle();
    rig.now += 2 * Rig::default_options().hold_lifetime;
    rig.step(Ticked{});
    REQUIRE(rig.filter("train-3").node.empty());
    rig.is_late = nullptr;
    rig.settle();
    REQUIRE(rig.filter("train-2").node == node);
    rig.remove_node(node);
    rig.advance(Time{1000});
    CHECK(rig.filter("train-2").node != node);
}

}  // namespace
}  // namespace echelon::engine
