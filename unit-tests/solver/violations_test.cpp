#include "solver/violations.hpp"

#include "unit-tests/solver/support/world.hpp"

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

// Two racks of two hosts in one block, a lone host without a rack, and a gang of two groups that each want one rack.
World small_world() {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {2, 2});
    add_rack(nodes, "b0", "r1", "c", {2, 2});
    nodes.push_back({.name = "lone", .labels = {"b1", ""}, .room = {{gpu, 8}}});
    nodes.push_back({.name = "off", .labels = {"b1", "r9"}, .room = {{gpu, 8}}, .usable = false});
    const GroupSpec root{.name = "job",
                         .minimum = 1,
                         .children = {{.name = "x", .minimum = 2, .pods = {pods(3, 1)}, .required = {rack}},
                                      {.name = "y", .minimum = 1, .pods = {pods(1, 2)}, .required = {rack}}},
                         .required = {block}};
    return WorldBuilder({block, rack}, nodes).with(root);
}

struct At {
    std::uint32_t member;
    std::string node;
};

std::vector<Violation> judge(const World& world, const std::vector<At>& seats) {
    Plan plan;
    for (const At& seat : seats) {
        const auto at =
            std::ranges::find(world.snapshot.node_names, base::Text(seat.node)) - world.snapshot.node_names.begin();
        plan.seats.push_back({.member = seat.member, .node = static_cast<model::NodeId>(at)});
    }
    return violations(world.snapshot, world.gang, plan);
}

bool mentions(const std::vector<Violation>& found, const std::string& text) {
    return std::ranges::any_of(found,
                               [&](const Violation& one) { return one.sentence.find(text) != std::string::npos; });
}

TEST_CASE("a sound plan has no violations") {
    CHECK(judge(small_world(), {{0, "a0"}, {1, "a0"}}).empty());
    CHECK(judge(small_world(), {{0, "a0"}, {1, "a0"}, {2, "a1"}, {3, "c0"}}).empty());
}

TEST_CASE("the referee names every broken promise about a seat") {
    const World world = small_world();
    CHECK(mentions(judge(world, {{0, "a0"}, {0, "a1"}}), "sits twice"));
    CHECK(mentions(judge(world, {{1, "a0"}, {0, "a0"}}), "member order"));
    CHECK(mentions(judge(world, {{0, "off"}, {1, "off"}}), "isn't usable"));
    CHECK(mentions(violations(world.snapshot, world.gang, {.seats = {{.member = 9, .node = 0}}, .message = {}}),
                   "member 9"));
    CHECK(mentions(violations(world.snapshot, world.gang, {.seats = {{.member = 0, .node = 99}}, .message = {}}),
                   "node 99"));
}

TEST_CASE("a seat for a member that is bound already is a violation") {
    World world = small_world();
    world.gang.members[0].state = model::Member::State::bound;
    world.gang.members[0].node = 0;
    CHECK(mentions(judge(world, {{0, "a0"}, {1, "a0"}}), "isn't waiting"));
}

TEST_CASE("a node that is not eligible for the pod class is a violation") {
    World world = small_world();
    world.snapshot.eligible[world.gang.members[0].pod_class][0] = 0;
    CHECK(mentions(judge(world, {{0, world.snapshot.node_names[0]}, {1, "a1"}}), "isn't eligible"));
}

TEST_CASE("an overcommitted node is a violation that names the resource") {
    CHECK(mentions(judge(small_world(), {{0, "a0"}, {1, "a0"}, {2, "a0"}}), "3 of nvidia.com/gpu where 2 is left"));
}

TEST_CASE("seats outside one domain of the required level are a violation") {
    CHECK(mentions(judge(small_world(), {{0, "a0"}, {1, "c0"}}), "outside its domain of example.com/rack"));
    // D6: a node without the label is in no domain.
    CHECK(mentions(judge(small_world(), {{0, "lone"}, {1, "lone"}}), "outside its domain of example.com/rack"));
}

TEST_CASE("bound members count for the required level") {
    World world = small_world();
    world.gang.members[0].state = model::Member::State::bound;
    world.gang.members[0].node = 2;  // c0
    REQUIRE(world.snapshot.node_names[2] == "c0");
    CHECK(mentions(judge(world, {{1, "a0"}}), "outside its domain"));
    CHECK(judge(world, {{1, "c1"}}).empty());
}

TEST_CASE("a plan without the root's minimum is a violation (N3)") {
    CHECK(mentions(judge(small_world(), {}), "the minimum isn't met"));
}

TEST_CASE("a seat in a group that is not satisfied is a violation (N4)") {
    CHECK(mentions(judge(small_world(), {{0, "a0"}, {3, "c0"}}), "group x has seats but isn't satisfied"));
}

TEST_CASE("a floor that is not reached leaves the root unsatisfied") {
    World world = small_world();
    world.gang.groups[0].floor = 3;
    CHECK(mentions(judge(world, {{0, "a0"}, {1, "a0"}}), "the minimum isn't met"));
    CHECK(judge(world, {{0, "a0"}, {1, "a0"}, {2, "a1"}}).empty());
}

TEST_CASE("a number of seats that is no multiple is a violation (D13)") {
    World world = small_world();
    world.gang.groups[1].multiples = {{model::LevelRef{0, 2}, 2}};
    CHECK(mentions(judge(world, {{0, "a0"}, {1, "a1"}}), "aren't a multiple of 2"));
    CHECK(judge(world, {{0, "a0"}, {1, "a0"}}).empty());
    world.gang.members[0].state = model::Member::State::bound;
    world.gang.members[0].node = *world.snapshot.node("a0");
    CHECK(mentions(judge(world, {{1, "a1"}}), "aren't a multiple of 2"));
    CHECK_FALSE(mentions(judge(world, {{1, "a0"}}), "aren't a multiple of 2"));
}

TEST_CASE("finished members count to the minimum and pin nothing") {
    World world = small_world();
    world.gang.members[0].state = model::Member::State::finished;
    CHECK(judge(world, {{1, "c0"}}).empty());
}

TEST_CASE("seats whose needs sum up beyond int64 don't fit by wrapping around (BD1)") {
    const std::int64_t absurd = std::int64_t{1} << 60;
    World world = WorldBuilder({}, {{.name = "n", .room = {{gpu, 8}}}})
                      .with({.name = "g", .minimum = 16, .pods = {pods(16, absurd)}});
    std::vector<At> seats;
    for (std::uint32_t member = 0; member < 16; ++member) {
        seats.push_back({member, "n"});
    }
    CHECK(mentions(judge(world, seats), "node n is overcommitted"));
}

}  // namespace
}  // namespace echelon::solver::testing
