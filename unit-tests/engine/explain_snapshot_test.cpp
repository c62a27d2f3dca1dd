// The explain snapshot: the engine's facts as they are for one gang. Taking it changes nothing.

#include "engine/publish/explain_snapshot.hpp"

#include "solver/explain/explain_tree.hpp"
#include "unit-tests/engine/support/passing_gangs.hpp"

#include <algorithm>

#include <doctest/doctest.h>

namespace echelon::engine::test {

namespace {

model::GroupKey key_of(const std::string& gang) {
    return {"podgroup", "default/" + gang};
}

}  // namespace

TEST_CASE("the explain snapshot of a refused gang names the gang that holds the room, and so does the tree") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.synced();
    rig.gang({.name = "first", .minimum = 3, .required = rack_key, .priority = 5});
    rig.pods("first", 0, 3);
    rig.advance(Time{1000});
    rig.gang({.name = "second", .minimum = 2, .required = rack_key});
    rig.pods("second", 0, 2);
    rig.advance(Time{1000});
    const auto before = rig.log.size();
    const auto evidence = rig.engine.explain_snapshot(key_of("second"));
    REQUIRE(evidence);
    CHECK(evidence->refused == model::Reason::no_room);
    CHECK(evidence->record.root == key_of("second"));
    CHECK(!evidence->record.message.empty());
    CHECK(evidence->context.nodes.size() == 4);
    const auto tree = solver::explain_tree(evidence->snapshot, evidence->gang, *evidence->refused, evidence->context);
    REQUIRE(tree.groups.size() == 1);
    CHECK(tree.groups[0].at_once == 1);
    const auto& blockers = tree.groups[0].domains.at(0).blockers;
    REQUIRE(blockers.size() == 1);
    CHECK(blockers[0].kind == model::Blocker::Kind::held);
    CHECK(blockers[0].owner == "default/first");
    CHECK(blockers[0].count == 3);
    CHECK(blockers[0].room == 3);
    rig.advance(Time{0});
    CHECK(rig.log.size() == before);
}

TEST_CASE("a reserved domain blocks other gangs under the name of the gang that has it") {
    Rig rig(test::reserving_soon());
    rig.fabric(1, 1, 8);
    rig.synced();
    rig.gang({.name = "old", .minimum = 4, .required = rack_key});
    rig.pods("old", 0, 4);
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.gang({.name = "large", .minimum = 8, .required = rack_key, .priority = 3, .created = 10});
    rig.pods("large", 0, 8);
    rig.advance(Time{70'000});
    REQUIRE(rig.record("large")->message.ends_with("is reserved for it"));
    rig.gang({.name = "small", .minimum = 2, .required = rack_key, .created = 20});
    rig.pods("small", 0, 2);
    rig.advance(Time{1000});
    const auto evidence = rig.engine.explain_snapshot(key_of("small"));
    REQUIRE(evidence);
    CHECK(evidence->refused == model::Reason::no_room);
    const auto tree = solver::explain_tree(evidence->snapshot, evidence->gang, *evidence->refused, evidence->context);
    REQUIRE(tree.groups.size() == 1);
    CHECK(tree.groups[0].at_once == 0);
    const auto& blockers = tree.groups[0].domains.at(0).blockers;
    const auto claimed = std::ranges::find(blockers, model::Blocker::Kind::claimed, &model::Blocker::kind);
    REQUIRE(claimed != blockers.end());
    CHECK(claimed->owner == "default/large");
    CHECK(claimed->count == 4);  // Nodes: not those that "old" fills.
    CHECK(claimed->room == 4);
    CHECK(claimed->priority == 3);
    // The reservation doesn't block the gang that has it, nor a more important one (Q15).
    rig.gang({.name = "important", .minimum = 8, .required = rack_key, .priority = 4, .created = 30});
    rig.pods("important", 0, 8);
    rig.advance(Time{1000});
    for (const std::string name : {"large", "important"}) {
        CAPTURE(name);
        const auto other = rig.engine.explain_snapshot(key_of(name));
        REQUIRE(other);
        CHECK(other->refused == model::Reason::no_room);
        CHECK(std::ranges::none_of(other->context.occupants, [](const solver::Occupant& occupant) {
            return occupant.kind == solver::Occupant::Kind::claimed;
        }));
    }
}

TEST_CASE("a reserved domain doesn't block a gang that is bound in part (B6)") {
    Rig rig(test::reserving_soon());
    rig.fabric(1, 1, 3);
    rig.synced();
    rig.gang({.name = "part", .minimum = 3, .required = rack_key, .created = 5});
    rig.pods("part", 0, 3);
    rig.live(2);
    REQUIRE(rig.bound().contains("part-2"));
    rig.gang({.name = "large", .minimum = 3, .required = rack_key, .priority = 3, .created = 10});
    rig.pods("large", 0, 3);
    rig.advance(Time{70'000});
    REQUIRE(rig.record("large")->message.ends_with("is reserved for it"));
    // Two members are created anew, and the room of one is taken.
    const auto taken = rig.bound().at("part-1");
    for (const std::string pod : {"part-1", "part-2"})
        rig.remove_pod(pod);
    rig.pod("plain", "", false);
    rig.change_pod("plain", [&](model::Pod& pod) { pod.node = taken; });
    rig.pods("part", 1, 3);
    rig.advance(Time{2000});
    REQUIRE(rig.record("part")->reason == "NoRoom");
    const auto evidence = rig.engine.explain_snapshot(key_of("part"));
    REQUIRE(evidence);
    CHECK(std::ranges::none_of(evidence->context.occupants, [](const solver::Occupant& occupant) {
        return occupant.kind == solver::Occupant::Kind::claimed;
    }));
}

TEST_CASE("seats that a gang holds itself are members in its explain snapshot, not blockers") {
    Rig rig;
    rig.fabric(1, 1, 4);
    rig.synced();
    rig.gang({.name = "first", .minimum = 3, .required = rack_key});
    rig.pods("first", 0, 3);
    rig.advance(Time{1000});
    const auto evidence = rig.engine.explain_snapshot(key_of("first"));
    REQUIRE(evidence);
    CHECK(!evidence->refused);
    CHECK(std::ranges::all_of(evidence->gang.members, [](const model::Member& member) {
        return member.state == model::Member::State::bound && member.node != model::nowhere;
    }));
    CHECK(evidence->context.occupants.empty());
}

TEST_CASE("running pods are in the explain snapshot, with their gang if they have one") {
    Rig rig;
    rig.fabric(1, 1, 2);
    rig.synced();
    rig.gang({.name = "first", .minimum = 1, .required = rack_key});
    rig.pods("first", 0, 1, false);
    rig.pod("web", "", false);
    rig.advance(Time{1000});
    rig.schedule_all();
    rig.settle();
    REQUIRE(rig.bound().contains("first-0"));
    rig.gang({.name = "second", .minimum = 2, .required = rack_key});
    rig.pods("second", 0, 2);
    rig.advance(Time{1000});
    const auto evidence = rig.engine.explain_snapshot(key_of("second"));
    REQUIRE(evidence);
    const auto& occupants = evidence->context.occupants;
    const auto running = std::ranges::find(occupants, "default/first-0", &solver::Occupant::pod);
    REQUIRE(running != occupants.end());
    CHECK(running->gang == "default/first");
    CHECK(running->kind == solver::Occupant::Kind::running);
}

TEST_CASE("there is no explain snapshot of an unknown gang") {
    const Rig rig;
    CHECK(!rig.engine.explain_snapshot(key_of("nobody")));
}

}  // namespace echelon::engine::test
