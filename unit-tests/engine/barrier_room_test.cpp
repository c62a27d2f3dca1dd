// A bounded barrier (BD5): a gang that is larger than the barrier is refused, and gangs that fit alone are bound one
// after the other.

#include "engine/gang/quorum.hpp"
#include "unit-tests/engine/support/rig.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

using test::gang_of_16;
using test::Rig;

Options with_room(std::uint64_t room) {
    auto options = Rig::default_options();
    options.barrier_room = room;
    return options;
}

std::size_t bound_of(const Rig& rig, const std::string& gang) {
    return static_cast<std::size_t>(
        std::ranges::count_if(rig.bound(), [&](const auto& pod) { return pod.first.starts_with(gang + "-"); }));
}

std::size_t still_waiting(const Rig& rig, const std::vector<std::uint64_t>& calls) {
    return static_cast<std::size_t>(
        std::ranges::count_if(calls, [&](std::uint64_t call) { return rig.answer(call) == nullptr; }));
}

model::Group part(const std::string& name, const std::string& parent, std::int64_t minimum) {
    model::Group group;
    group.key = {"podgroup", "default/" + name};
    if (!parent.empty())
        group.parent = model::GroupKey{"podgroup", "default/" + parent};
    group.minimum = minimum;
    return group;
}

}  // namespace

TEST_CASE("a gang whose minimum the barrier can't hold is refused, and plain pods are bound meanwhile (BD5)") {
    Rig rig(with_room(15));
    gang_of_16(rig);
    rig.synced();
    rig.advance(Time{1000});
    REQUIRE(rig.record("train") != nullptr);
    CHECK(rig.record("train")->reason == "Invalid");
    CHECK(rig.record("train")->message ==
          "group \"default/train\" needs 16 members at the barrier at once, and it has room for 15 "
          "(barrier.connections)");
    rig.pod("plain", "", false);
    CHECK(rig.filter("plain").passed);
    const auto plain = rig.bind("plain", "b0-r0-h00");
    rig.settle();
    const auto* told = rig.answer(plain);
    CHECK((told == nullptr ? "none" : told->error) == "");
    CHECK(rig.bound().size() == 1);
    // Where one of them runs already, the others fit.
    rig.change_gang("train", [](model::Group& group) { group.minimum = 15; });
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(bound_of(rig, "train") == 16);
}

TEST_CASE("a gang needs at the barrier the smallest number of members that satisfies the tree (BD5)") {
    const auto leaf = [](std::int64_t minimum) {
        model::GangGroup group;
        group.parent = 0;
        group.minimum = minimum;
        return group;
    };
    model::Gang gang;
    gang.groups = {model::GangGroup{}, leaf(7), leaf(2), leaf(5)};
    gang.groups[0].is_leaf = false;
    gang.groups[0].minimum = 2;
    gang.groups[0].children = {1, 2, 3};
    CHECK(Quorum(gang).still_needed({0, 0, 0, 0}) == 7);
    CHECK(Quorum(gang).still_needed({0, 0, 0, 4}) == 3);
    CHECK(Quorum(gang).still_needed({0, 9, 2, 0}) == 0);
    gang.groups[0].floor = 10;
    CHECK(Quorum(gang).still_needed({0, 0, 0, 0}) == 10);
    CHECK(Quorum(gang).still_needed({0, 3, 0, 0}) == 7);
}

TEST_CASE("of two gangs that don't fit together the first in the queue goes first, and then the other (BD5)") {
    Rig rig(with_room(14));
    rig.fabric(2, 2, 16);
    rig.gang({.name = "first", .minimum = 10, .required = test::rack_key, .created = 1});
    rig.gang({.name = "second", .minimum = 10, .required = test::rack_key, .created = 2});
    rig.pods("first", 0, 10);
    rig.pods("second", 0, 10);
    rig.synced();
    rig.advance(Time{1000});
    const auto of_second = rig.arrive("second", 0, 7);
    auto of_first = rig.arrive("first", 0, 7);
    CHECK(still_waiting(rig, of_second) + still_waiting(rig, of_first) == 14);
    // The barrier is full: for the eighth of the first gang the second one leaves.
    const auto more = rig.arrive("first", 7, 10);
    CHECK(still_waiting(rig, of_second) == 0);
    REQUIRE(rig.answer(of_second.front()) != nullptr);
    CHECK(rig.answer(of_second.front())->result == BindResult::overload);
    CHECK(rig.answer(of_second.front())->error ==
          "echelon: gang default/second: aborted, the barrier is full and others go first");
    rig.settle();
    CHECK(bound_of(rig, "first") == 10);
    CHECK(bound_of(rig, "second") == 0);
    rig.schedule_all();
    rig.advance(Time{1000});
    CHECK(bound_of(rig, "second") == 10);
    CHECK(more.size() == 3);
}

TEST_CASE("a later gang waits while the barrier is full, and is bound after the other (BD5)") {
    Rig rig(with_room(12));
    rig.fabric(2, 2, 16);
    rig.gang({.name = "first", .minimum = 12, .required = test::rack_key, .created = 1});
    rig.gang({.name = "second", .minimum = 12, .required = test::rack_key, .created = 2});
    rig.pods("first", 0, 12);
    rig.pods("second", 0, 12);
    rig.synced();
    rig.advance(Time{1000});
    for (int round = 0; round < 3; ++round) {
        rig.schedule_all();
        rig.advance(Time{1000});
    }
    CHECK(bound_of(rig, "first") == 12);
    CHECK(bound_of(rig, "second") == 12);
}

TEST_CASE("members beyond the minimum of their group make room for those of one that lacks some (BD5)") {
    Rig rig(with_room(8));
    rig.fabric(1, 1, 20);
    auto both = part("both", "", 2);
    both.kind = model::GroupKind::composite;
    rig.add_group("both", both);
    rig.add_group("many", part("many", "both", 2));
    rig.add_group("few", part("few", "both", 2));
    rig.pods("many", 0, 12);
    rig.pods("few", 0, 2);
    rig.synced();
    rig.advance(Time{1000});
    const auto extras = rig.arrive("many", 0, 12);
    CHECK(still_waiting(rig, extras) == 8);
    const auto needed = rig.arrive("few", 0, 2);
    rig.settle();
    CHECK(bound_of(rig, "few") == 2);
    CHECK(bound_of(rig, "many") >= 2);
    for (int round = 0; round < 20 && bound_of(rig, "many") < 12; ++round) {
        rig.schedule_all();
        rig.advance(Time{1000});
    }
    CHECK(bound_of(rig, "many") == 12);
    CHECK(needed.size() == 2);
}

}  // namespace echelon::engine
