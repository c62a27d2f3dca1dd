// Which gang gets scarce room? Minimums and extras of gangs of several priorities (rules Q11 to Q13).

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::Rig;

// A rack of three hosts; two members of "runs" are bound, as many as it needs.
void two_run(Rig& rig, std::int64_t priority) {
    rig.fabric(1, 1, 3);
    rig.synced();
    rig.gang({"runs", 2, {}, priority, 1});
    rig.pods("runs", 0, 2);
    rig.live(3);
    REQUIRE(rig.bound().size() == 2);
}

// A plain pod on the third host.
void fill(Rig& rig) {
    rig.gang({"filler", 1, {}, 1000, 1});
    rig.pods("filler", 0, 1);
    rig.live(3);
    REQUIRE(rig.bound().contains("filler-0"));
}

TEST_CASE("room that becomes free goes to an important gang's minimum before the extras of a gang that runs (Q11)") {
    Rig rig;
    two_run(rig, 1);
    fill(rig);
    rig.gang({"important", 1, {}, 100, 2});
    rig.pods("important", 0, 1);
    rig.live(2);
    rig.pods("runs", 2, 3);
    rig.live(2);
    rig.remove_pod("filler-0");
    rig.live(5);
    CHECK(rig.bound().contains("important-0"));
    CHECK(!rig.bound().contains("runs-2"));
}

TEST_CASE("an extra gives up a seat that is not bound yet for an important gang's minimum (Q11)") {
    Rig rig;
    two_run(rig, 1);
    rig.pods("runs", 2, 3);
    rig.advance(Time{1000});
    REQUIRE(!rig.filter("runs-2").node.empty());
    rig.gang({"important", 1, {}, 100, 2});
    rig.pods("important", 0, 1);
    rig.advance(Time{1000});
    CHECK(!rig.filter("important-0").node.empty());
    CHECK(rig.filter("runs-2").node.empty());
    rig.live(3);
    CHECK(rig.bound().contains("important-0"));
    CHECK(!rig.bound().contains("runs-2"));
}

TEST_CASE("extras in pairs give up their seats together, and come back in proportion (Q11, D17)") {
    Rig rig;
    rig.fabric(1, 2, 2);
    rig.synced();
    model::Group root;
    root.key = {"compositepodgroup", "default/pairs"};
    root.kind = model::GroupKind::composite;
    root.minimum = 2;
    root.paired = test::rack_key;
    root.priority = 1;
    rig.add_group("pairs", root);
    for (const auto* role : {"decode", "prefill"}) {
        model::Group leaf;
        leaf.key = {"podgroup", fmt::format("default/{}", role)};
        leaf.parent = root.key;
        leaf.minimum = 1;
        rig.add_group(role, leaf);
        rig.pods(role, 0, 1);
    }
    rig.live(3);
    REQUIRE(rig.bound().size() == 2);
    for (const auto* role : {"decode", "prefill"})
        rig.pods(role, 1, 2);
    rig.advance(Time{1000});
    REQUIRE(!rig.filter("decode-1").node.empty());
    REQUIRE(!rig.filter("prefill-1").node.empty());
    rig.gang({"important", 1, {}, 100, 2});
    rig.pods("important", 0, 1);
    rig.advance(Time{1000});
    CHECK(!rig.filter("important-0").node.empty());
    CHECK(rig.filter("decode-1").node.empty());
    CHECK(rig.filter("prefill-1").node.empty());
    rig.live(3);
    REQUIRE(rig.bound().contains("important-0"));
    rig.remove_pod("important-0");
    rig.live(5);
    CHECK(rig.bound().size() == 4);
}

TEST_CASE("an extra keeps its seat where that would not place the important gang (Q11)") {
    Rig rig;
    two_run(rig, 1);
    rig.pods("runs", 2, 3);
    rig.advance(Time{1000});
    rig.gang({"important", 2, {}, 100, 2});
    rig.pods("important", 0, 2);
    rig.live(5);
    CHECK(rig.bound().contains("runs-2"));
    CHECK(!rig.bound().contains("important-0"));
}

TEST_CASE("at equal priority a seat once given stays (Q2)") {
    Rig rig;
    two_run(rig, 1);
    rig.pods("runs", 2, 3);
    rig.advance(Time{1000});
    rig.gang({"other", 1, {}, 1, 0});
    rig.pods("other", 0, 1);
    rig.live(5);
    CHECK(rig.bound().contains("runs-2"));
    CHECK(!rig.bound().contains("other-0"));
}

TEST_CASE("an extra goes before the minimum of a less important gang (Q12)") {
    Rig rig;
    two_run(rig, 5);
    fill(rig);
    rig.gang({"less", 1, {}, 4, 0});
    rig.pods("less", 0, 1);
    rig.live(2);
    rig.pods("runs", 2, 3);
    rig.live(2);
    rig.remove_pod("filler-0");
    rig.live(5);
    CHECK(rig.bound().contains("runs-2"));
    CHECK(!rig.bound().contains("less-0"));
}

TEST_CASE("a gang that was refused often is not woken later than one behind it (Q13)") {
    Rig rig;
    two_run(rig, 1);
    fill(rig);
    rig.gang({"important", 1, {}, 100, 2});
    rig.pods("important", 0, 1);
    for (int round = 0; round < 8; ++round) {  // Room comes where it is of no use.
        rig.node("small-" + std::to_string(round), "b9", "r9", 1);
        rig.advance(Time{2000});
    }
    rig.gang({"new", 1, {}, 50, 3});
    rig.pods("new", 0, 1);
    rig.advance(Time{2000});
    rig.remove_pod("filler-0");
    rig.live(5);
    CHECK(rig.bound().contains("important-0"));
    CHECK(!rig.bound().contains("new-0"));
}

// 600 gangs of one pod wait for the third host, older ones first. The last needs 8 GPUs, the others `gpus`.
void let_many_wait(Rig& rig, std::int64_t gpus) {
    two_run(rig, 2000);
    fill(rig);
    for (int number = 0; number < 600; ++number) {
        const auto name = fmt::format("waits-{}", number);
        rig.gang({name, 1, {}, 1, 10 + number});
        rig.pod(name + "-0", name, true, number == 599 ? 8 : gpus);
    }
    rig.advance(Time{5000});
}

TEST_CASE("freed room is offered to the first gangs at once, however many wait") {
    Rig rig;
    let_many_wait(rig, 8);
    rig.remove_pod("filler-0");
    rig.advance(Time{100});
    CHECK(!rig.filter("waits-0-0").node.empty());
}

TEST_CASE("freed room that the first gangs can't use is offered to all others") {
    Rig rig;
    let_many_wait(rig, 9);
    rig.remove_pod("filler-0");
    rig.advance(Time{1500});
    CHECK(!rig.filter("waits-599-0").node.empty());
}

TEST_CASE("the first gangs are not tried later than the others, although they rest (Q13)") {
    Rig rig;
    let_many_wait(rig, 8);
    const auto add_useless_node = [&](const std::string& name) { rig.node(name, "b9", "r9", 1); };
    add_useless_node("a");  // The others are tried after 1200 ms.
    rig.advance(Time{1000});
    add_useless_node("b");  // The first ones are tried, and rest for 512 ms.
    rig.advance(Time{190});
    rig.remove_pod("filler-0");
    rig.advance(Time{5000});
    CHECK(!rig.filter("waits-0-0").node.empty());
}

TEST_CASE("extras of a gang that has begun take their turn, after a minimum of higher priority (Q11, Q12)") {
    Rig rig;
    two_run(rig, 1);
    rig.remove_pod("runs-1");
    rig.advance(Time{1000});
    rig.gang({"important", 1, {}, 100, 2});
    rig.pods("important", 0, 1);
    rig.pods("runs", 1, 3);
    rig.advance(Time{1000});
    CHECK(!rig.filter("runs-1").node.empty());
    CHECK(!rig.filter("important-0").node.empty());
    CHECK(rig.filter("runs-2").node.empty());
    CHECK(rig.record("runs")->message == "1 pod beyond the minimum waits until it is bound");
    rig.live(5);
    CHECK(rig.bound().contains("runs-1"));
    CHECK(rig.bound().contains("important-0"));
    CHECK(!rig.bound().contains("runs-2"));
    rig.node("more", "b0", "r0", 8);
    rig.live(5);
    CHECK(rig.bound().contains("runs-2"));
}

TEST_CASE(
    "extras of a gang that has begun get seats once its minimum is bound, and less important gangs what is left "
    "(Q11)") {
    for (const bool has_room : {false, true}) {
        CAPTURE(has_room);
        Rig rig;
        two_run(rig, 5);
        if (has_room)
            rig.node("more", "b0", "r0", 8);
        rig.remove_pod("runs-1");
        rig.advance(Time{1000});
        rig.pods("runs", 1, 3);
        rig.advance(Time{1000});
        CHECK(rig.filter("runs-2").node.empty());
        rig.live(5);
        CHECK(rig.bound().contains("runs-1"));
        CHECK(rig.bound().contains("runs-2"));
        rig.gang({"less", 1, {}, 4, 0});
        rig.pods("less", 0, 1);
        rig.live(3);
        CHECK(rig.bound().contains("less-0") == has_room);
    }
}

// "runs-1" has a seat and never comes; "runs-2" comes whenever it may.
void only_the_extra_comes(Rig& rig) {
    CHECK(!rig.filter("runs-1").node.empty());
    CHECK(rig.filter("runs-2").node.empty());
    for (int second = 0; second < 600 && !rig.bound().contains("runs-2"); ++second) {
        static_cast<void>(rig.arrive("runs", 2, 3));
        rig.advance(Time{1000});
    }
    CHECK(rig.bound().contains("runs-2"));
    CHECK(!rig.bound().contains("runs-1"));
    CHECK(rig.record("runs")->phase == model::Phase::bound);
}

TEST_CASE("an extra does instead of a needed member that never comes, in a gang that has begun (Q11, B8)") {
    Rig degraded;
    two_run(degraded, 1);
    degraded.remove_pod("runs-1");
    degraded.advance(Time{1000});
    degraded.pods("runs", 1, 3);
    degraded.advance(Time{1000});
    only_the_extra_comes(degraded);

    Rig committed;
    committed.fabric(1, 1, 3);
    committed.synced();
    committed.gang({"runs", 2, {}, 1, 1});
    committed.pods("runs", 0, 2);
    committed.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        const auto* bind = std::get_if<model::BindPod>(&write);
        if (bind == nullptr || bind->pod.name != "runs-1")
            return std::nullopt;
        model::Outcome outcome;
        outcome.kind = model::Outcome::Kind::rejected;
        return outcome;
    };
    committed.advance(Time{1000});
    static_cast<void>(committed.arrive("runs", 0, 2));
    committed.advance(Time{100});
    REQUIRE(committed.bound().size() == 1);
    committed.pods("runs", 2, 3);
    committed.advance(Time{1000});
    only_the_extra_comes(committed);
}

TEST_CASE("a gang of groups that has begun gets the groups that it needs first, the others in their turn (Q11)") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.synced();
    model::Group root;
    root.key = {"compositepodgroup", "default/begun"};
    root.kind = model::GroupKind::composite;
    root.minimum = 2;
    root.priority = 1;
    rig.add_group("begun", root);
    for (const std::string name : {"a", "b", "c"}) {
        rig.gang({name, 1, {}, 1});
        rig.change_gang(name, [&](model::Group& group) { group.parent = root.key; });
    }
    rig.pods("a", 0, 1);
    rig.change_pod("a-0", [](model::Pod& pod) {
        pod.gates.clear();
        pod.node = "b0-r0-h00";
    });
    rig.gang({"important", 2, {}, 100, 2});
    rig.pods("important", 0, 2);
    for (const char* name : {"b", "c"})
        rig.pods(name, 0, 1);
    rig.advance(Time{1000});
    rig.live(5);
    CHECK(rig.bound().contains("b-0"));
    CHECK(!rig.bound().contains("c-0"));
    CHECK(rig.bound().contains("important-0"));
    CHECK(rig.bound().contains("important-1"));
}

}  // namespace
}  // namespace echelon::engine
