// Several gangs and plain pods at once: which come first, which are refused, and which are never held up.

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::count_of;
using test::gang_of_16;
using test::GangSpec;
using test::Rig;

TEST_CASE("a gang too large for any rack is refused whole, and others pass it by") {
    Rig rig;
    rig.fabric(1, 2, 16);
    rig.gang({"large", 17, test::rack_key});
    rig.pods("large", 0, 16);
    rig.pod("large-16", "large", false);
    rig.gang({"small", 4, test::rack_key, {}, 10});
    rig.pods("small", 0, 4);
    rig.pod("plain", "", false);
    rig.synced();
    const auto told = rig.filter("large-16");
    CHECK(told.text.starts_with("echelon: gang default/large: "));
    CHECK(rig.gated("large") == 16);
    REQUIRE(rig.record("large") != nullptr);
    CHECK(rig.record("large")->reason == "Impossible");
    CHECK(rig.record("large")->phase == model::Phase::pending);
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.racks_of("small").size() == 1);
    CHECK(rig.filter("plain").passed);
    rig.bind("plain", "b0-r1-h15");
    rig.settle();
    CHECK(rig.bound().contains("plain"));
    CHECK(rig.filter("large-16").text == told.text);  // R15: constant while the verdict is the same.
}

TEST_CASE("two gangs for one room: one whole, and the other when it has gone") {
    Rig rig;
    rig.fabric(1, 1, 16);
    rig.gang({"a", 16, test::rack_key, {}, 1});
    rig.gang({"b", 16, test::rack_key, {}, 2});
    rig.pods("b", 0, 16);
    rig.pods("a", 0, 16);
    rig.synced();
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 16);
    CHECK(rig.racks_of("a").size() == 1);
    CHECK(rig.gated("b") == 16);
    CHECK(rig.record("b")->reason == "NoRoom");
    for (int i = 0; i < 16; ++i)
        rig.remove_pod(fmt::format("a-{}", i));
    rig.remove_gang("a");
    rig.advance(Time{3000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 16);
    CHECK(rig.racks_of("b").size() == 1);
}

TEST_CASE("priority decides the order, not arrival (Q1)") {
    Rig rig;
    rig.fabric(1, 1, 16);
    rig.synced();
    rig.gang({"low", 16, test::rack_key, 1, 1});
    rig.pods("low", 0, 16);
    rig.gang({"high", 16, test::rack_key, 100, 2});
    rig.pods("high", 0, 16);
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 16);
    CHECK(rig.racks_of("high").size() == 1);
}

TEST_CASE("plain pods are bound once filter was asked, and only then") {
    Rig rig;
    rig.fabric(1, 1, 2);
    rig.pod("plain", "", false);
    rig.synced();
    const auto early = rig.bind("plain", "b0-r0-h00");
    REQUIRE(rig.answer(early) != nullptr);
    CHECK(rig.answer(early)->error.starts_with("echelon: "));
    CHECK(rig.filter("plain").passed);
    const auto unknown_node = rig.bind("plain", "nowhere");
    CHECK(!rig.answer(unknown_node)->error.empty());
    const auto call = rig.bind("plain", "b0-r0-h00");
    rig.settle();
    REQUIRE(rig.answer(call) != nullptr);
    CHECK(rig.answer(call)->error.empty());
    CHECK(rig.bound().at("plain") == "b0-r0-h00");
    const auto again = rig.bind("plain", "b0-r0-h00");
    CHECK(rig.answer(again)->error.empty());
    CHECK(count_of(rig.writes, "bind ") == 1);
}

TEST_CASE("before the caches are synced nothing is bound") {
    Rig rig;
    gang_of_16(rig);
    const auto call = rig.bind("train-0", "b0-r0-h00");
    REQUIRE(rig.answer(call) != nullptr);
    CHECK(rig.answer(call)->error == "echelon: cache not synced: nodes, pods");
}

TEST_CASE("a hold whose members never come is given back (I5)") {
    Rig rig;
    rig.fabric(1, 1, 16);
    rig.gang({"a", 16, test::rack_key, {}, 1});
    rig.gang({"b", 16, test::rack_key, {}, 2});
    rig.pods("a", 0, 16);
    rig.pods("b", 0, 16);
    rig.synced();
    CHECK(rig.record("a")->phase == model::Phase::held);
    rig.advance(Time{125'000});
    CHECK(rig.record("b")->phase == model::Phase::held);
}

TEST_CASE("the same inputs give the same actions (I14)") {
    const auto run = [] {
        Rig rig;
        rig.fabric(2, 2, 16);
        for (int g = 0; g < 6; ++g) {
            rig.gang({fmt::format("g{}", g), 12, test::rack_key, {}, g % 3});
            rig.pods(fmt::format("g{}", g), 0, 12, g % 2 == 0);
        }
        rig.synced();
        for (int i = 0; i < 3; ++i) {
            rig.schedule_all();
            rig.advance(Time{2000});
        }
        return rig.log;
    };
    CHECK(run() == run());
}

TEST_CASE("ten gangs of 16 for eight racks: eight whole, two not at all, nothing retried hot") {
    Rig rig;
    rig.fabric(2, 4, 16);
    for (int g = 0; g < 10; ++g) {
        rig.gang({fmt::format("g{}", g), 16, test::rack_key, {}, g});
        rig.pods(fmt::format("g{}", g), 0, 16);
    }
    rig.synced();
    for (int i = 0; i < 3; ++i) {
        rig.schedule_all();
        rig.advance(Time{2000});
    }
    CHECK(rig.bound().size() == 8 * 16);
    for (int g = 0; g < 8; ++g)
        CHECK(rig.racks_of(fmt::format("g{}", g)).size() == 1);
    CHECK(rig.gated("g8") == 16);
    CHECK(rig.gated("g9") == 16);
    const auto quiet = rig.writes.size();
    rig.advance(Time{60'000});
    CHECK(rig.writes.size() == quiet);
}

TEST_CASE("freed room goes to the gang that has begun, before a more important one that has not (Q11, B6)") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.gang({"begun", 4, test::rack_key, 5, 100});
    rig.pods("begun", 0, 4);
    rig.synced();
    rig.live(3);
    REQUIRE(rig.bound().size() == 4);
    const auto put = [&rig](const std::string& name, const std::string& node, std::int64_t gpus) {
        rig.pod(name, "", false, gpus);
        rig.change_pod(name, [&](model::Pod& pod) { pod.node = node; });
    };
    const auto lost = rig.bound().at("begun-3");
    rig.remove_pod("begun-3");
    put("plain", lost, 8);
    rig.pod("begun-3", "begun");
    rig.advance(Time{3000});
    put("tiny", lost, 0);
    rig.advance(Time{3000});
    rig.remove_pod("tiny");  // Room that doesn't help: the gang backs off.
    rig.advance(Time{3000});
    rig.gang({"fresh", 1, test::rack_key, 9, 200});
    rig.pods("fresh", 0, 1);
    rig.advance(Time{3000});
    rig.remove_pod("plain");
    rig.live(5);
    CHECK(rig.bound().contains("begun-3"));
    CHECK(!rig.bound().contains("fresh-0"));
}

TEST_CASE("gangs of equal priority and age are planned by name, whatever their kind (Q1)") {
    Rig rig;
    rig.fabric(1, 1, 1);
    rig.synced();
    rig.gang({"filler", 1, {}, 1000, 1});
    rig.pods("filler", 0, 1);
    rig.live(5);
    rig.gang({"a", 1, {}, 5, 10});  // A PodGroup.
    rig.pods("a", 0, 1);
    model::Group root;
    root.key = {"compositepodgroup", "default/b"};
    root.kind = model::GroupKind::composite;
    root.minimum = 1;
    root.priority = 5;
    root.created = 10;
    rig.add_group("b", root);
    model::Group leaf;
    leaf.key = {"podgroup", "default/b-leaf"};
    leaf.parent = root.key;
    leaf.minimum = 1;
    rig.add_group("b-leaf", leaf);
    rig.pods("b-leaf", 0, 1);
    rig.live(5);
    rig.remove_pod("filler-0");
    rig.live(5);
    CHECK(rig.bound().contains("a-0"));
    CHECK(!rig.bound().contains("b-leaf-0"));
}

}  // namespace
}  // namespace echelon::engine
