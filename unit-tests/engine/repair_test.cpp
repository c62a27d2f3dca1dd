// What does a gang do if something changes after its plan? One test for each row of the table in docs/rules.md
// (repair). Rows that have tests elsewhere: an unknown outcome ("I4"), a planned node that isn't offered ("R3"), a
// changed group ("X2", "X4").

#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::count_of;
using test::Rig;
using Kind = model::Outcome::Kind;

std::string member(int i) {
    return fmt::format("train-{}", i);
}

// Whole-host pods, `minimum` of `size`, rack required, on 2 x 2 racks of 16; planned and released.
void held_gang(Rig& rig, int minimum, int size) {
    rig.fabric(2, 2, 16);
    rig.gang({"train", minimum, test::rack_key});
    rig.pods("train", 0, size);
    rig.synced();
    rig.advance(Time{1000});
}

void bring_all(Rig& rig) {
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
}

void bound_gang(Rig& rig, int minimum, int size) {
    held_gang(rig, minimum, size);
    bring_all(rig);
    REQUIRE(rig.bound().size() == static_cast<std::size_t>(size));
}

TEST_CASE("a binding refused after the commit undoes no other one, and the member is tried again on its node (B3)") {
    Rig rig;
    held_gang(rig, 8, 8);
    const auto seat = rig.filter(member(3)).node;
    rig.fate = [](const model::Write& write) -> std::optional<model::Outcome> {
        const auto* bind = std::get_if<model::BindPod>(&write);
        if (bind == nullptr || bind->pod.name != member(3))
            return std::nullopt;
        return model::Outcome{Kind::rejected, "a policy says no", "", ""};
    };
    rig.schedule_all();
    rig.advance(Time{1000});
    REQUIRE(rig.bound().size() == 7);
    const auto others = rig.bound();
    rig.fate = nullptr;
    bring_all(rig);
    CHECK(rig.bound().size() == 8);
    CHECK(rig.bound().at(member(3)) == seat);
    for (const auto& [pod, node] : others)
        CHECK(rig.bound().at(pod) == node);
}

TEST_CASE(
    "\"already assigned\" to its seat is success, and to another node a fact that the rest is planned around (I4)") {
    for (const bool is_elsewhere : {false, true}) {
        CAPTURE(is_elsewhere);
        Rig rig;
        held_gang(rig, 8, 8);
        const auto seat = rig.filter(member(3)).node;
        // Another node of the same rack, where the gang has no seat.
        const auto other = seat.substr(0, 5) + "-h15";
        const auto target = is_elsewhere ? other : seat;
        rig.fate = [&](const model::Write& write) -> std::optional<model::Outcome> {
            const auto* bind = std::get_if<model::BindPod>(&write);
            if (bind == nullptr || bind->pod.name != member(3) || !rig.pod_of(member(3)).node.empty())
                return std::nullopt;
            rig.change_pod(member(3), [&](model::Pod& pod) { pod.node = target; });
            return model::Outcome{Kind::conflict, "already assigned", "", ""};
        };
        rig.schedule_all();
        bring_all(rig);
        CHECK(rig.bound().size() == 8);
        CHECK(rig.bound().at(member(3)) == target);
        CHECK(count_of(rig.writes, "bind train-3") == 1);
        CHECK(rig.record("train")->phase == model::Phase::bound);
    }
}

TEST_CASE("a member deleted before the commit changes nothing for the others while every minimum still holds") {
    Rig rig;
    held_gang(rig, 4, 6);
    std::map<std::string, std::string> seats;
    for (int i = 0; i < 6; ++i)
        seats[member(i)] = rig.filter(member(i)).node;
    const auto call = rig.bind(member(0), seats.at(member(0)));
    rig.remove_pod(member(5));
    rig.advance(Time{1000});
    CHECK(rig.answer(call) == nullptr);
    for (int i = 0; i < 5; ++i)
        CHECK(rig.filter(member(i)).node == seats.at(member(i)));
    CHECK(rig.engine.published()->stats.held_seats == 5);
}

TEST_CASE("a planned node that shrinks is replaced in the same rack, and members at the barrier stay (B5)") {
    Rig rig;
    held_gang(rig, 8, 8);
    const auto seat = rig.filter(member(7)).node;
    const auto calls = rig.arrive("train", 0, 7);
    rig.settle();
    rig.change_node(seat,
                    [](model::Node& node) { node.allocatable = {{"cpu", 64'000}, {"pods", 110}, {test::gpu, 4}}; });
    rig.advance(Time{1000});
    for (const auto call : calls)
        CHECK(rig.answer(call) == nullptr);
    const auto next = rig.filter(member(7)).node;
    CHECK(next != seat);
    CHECK(next.substr(0, 5) == seat.substr(0, 5));
    rig.arrive("train", 7, 8);
    rig.advance(Time{1000});
    CHECK(rig.bound().size() == 8);
    CHECK(rig.racks_of("train").size() == 1);
}

TEST_CASE("when k nodes of a running gang fail, k members are replaced in its rack and all others stay") {
    for (const int k : {1, 3}) {
        CAPTURE(k);
        Rig rig;
        bound_gang(rig, 8, 8);
        const auto racks = rig.racks_of("train");
        auto before = rig.bound();
        for (int i = 0; i < k; ++i) {
            rig.remove_node(before.at(member(i)));
            rig.remove_pod(member(i));
        }
        rig.advance(Time{1000});
        CHECK(rig.record("train")->phase == model::Phase::degraded);
        rig.pods("train", 0, k);
        bring_all(rig);
        const auto after = rig.bound();
        CHECK(after.size() == 8);
        CHECK(rig.racks_of("train") == racks);
        for (int i = k; i < 8; ++i)
            CHECK(after.at(member(i)) == before.at(member(i)));
        CHECK(rig.record("train")->phase == model::Phase::bound);
    }
}

TEST_CASE("replacements that don't fit into the gang's rack wait, and no member is moved for them (B7)") {
    Rig rig;
    rig.fabric(1, 2, 4);
    rig.gang({"train", 4, test::rack_key});
    rig.pods("train", 0, 4);
    rig.synced();
    bring_all(rig);
    const auto before = rig.bound();
    REQUIRE(before.size() == 4);
    rig.remove_node(before.at(member(0)));
    rig.remove_pod(member(0));
    rig.pods("train", 0, 1);
    bring_all(rig);
    CHECK(rig.bound().size() == 3);
    CHECK(rig.record("train")->phase == model::Phase::degraded);
    CHECK(rig.record("train")->reason == "NoRoom");
    rig.node(before.at(member(0)), "b0", before.at(member(0)).substr(3, 2));
    bring_all(rig);
    CHECK(rig.bound().size() == 4);
    CHECK(rig.racks_of("train").size() == 1);
}

TEST_CASE("a member that is created again gets its old seat first, and another one in its rack if that is taken") {
    for (const bool is_taken : {false, true}) {
        CAPTURE(is_taken);
        Rig rig;
        bound_gang(rig, 6, 6);
        const auto before = rig.bound();
        for (const int i : {1, 4})
            rig.remove_pod(member(i));
        rig.advance(Time{1000});
        if (is_taken) {
            rig.pod("plain", "", false);
            rig.filter("plain");
            rig.bind("plain", before.at(member(4)));
            rig.settle();
        }
        rig.pods("train", 4, 5);
        rig.pods("train", 1, 2);
        bring_all(rig);
        const auto after = rig.bound();
        REQUIRE(after.contains(member(4)));
        CHECK(after.at(member(1)) == before.at(member(1)));
        CHECK((after.at(member(4)) == before.at(member(4))) == !is_taken);
        CHECK(rig.racks_of("train").size() == 1);
    }
}

TEST_CASE("a deleted group gives its hold back, and bound pods stay") {
    Rig rig;
    bound_gang(rig, 4, 4);
    rig.pods("train", 4, 6);
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->stats.held_seats == 2);
    rig.remove_gang("train");
    rig.advance(Time{1000});
    CHECK(rig.engine.published()->stats.held_seats + rig.engine.published()->stats.committed_seats == 0);
    CHECK(rig.bound().size() == 4);
}

TEST_CASE("a gang that relabelling split over two racks keeps its bound members, and gets no more (D8)") {
    Rig rig;
    bound_gang(rig, 4, 4);
    const auto before = rig.bound();
    rig.change_node(before.at(member(0)), [](model::Node& node) { node.labels[test::rack_key] = "r9"; });
    rig.pods("train", 4, 5);
    bring_all(rig);
    CHECK(rig.bound() == before);
    REQUIRE(rig.record("train") != nullptr);
    CHECK(rig.record("train")->reason == "NoRoom");
    rig.change_node(before.at(member(0)),
                    [&](model::Node& node) { node.labels[test::rack_key] = before.at(member(0)).substr(3, 2); });
    bring_all(rig);
    CHECK(rig.bound().size() == 5);
    CHECK(rig.racks_of("train").size() == 1);
}

TEST_CASE("a gang that has lost all members is planned anew, and not on the nodes that it had (O3)") {
    Rig rig;
    rig.fabric(1, 3, 4);
    const auto block = [&rig](const std::string& node) {
        rig.pod("plain-" + node, "", false);
        rig.change_pod("plain-" + node, [&](model::Pod& pod) { pod.node = node; });
    };
    for (const char* node : {"b0-r0-h00", "b0-r0-h01", "b0-r1-h00", "b0-r1-h01"})
        block(node);
    for (int host = 0; host < 4; ++host)
        block(fmt::format("b0-r2-h0{}", host));
    rig.gang({"train", 4});
    rig.change_gang("train", [](model::Group& group) { group.preferred = {test::rack_key}; });
    rig.pods("train", 0, 4);
    rig.synced();
    rig.live(3);
    REQUIRE(rig.racks_of("train").size() == 2);
    for (int host = 0; host < 4; ++host)
        rig.remove_pod(fmt::format("plain-b0-r2-h0{}", host));
    for (int i = 0; i < 4; ++i)
        rig.remove_pod(fmt::format("train-{}", i));
    rig.advance(Time{5000});
    rig.pods("train", 0, 4);
    rig.live(5);
    CHECK(rig.racks_of("train") == std::set<std::string>{"b0-r2"});
}

}  // namespace
}  // namespace echelon::engine
