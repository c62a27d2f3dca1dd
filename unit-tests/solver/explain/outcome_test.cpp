#include "solver/explain/outcome.hpp"

#include "solver/violations.hpp"
#include "unit-tests/solver/support/world.hpp"

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

World two_racks(const GroupSpec& root) {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {2, 2});
    add_rack(nodes, "b0", "r1", "c", {2, 2});
    nodes.push_back({.name = "d0", .labels = {"", "r2"}, .room = {{gpu, 2}}});
    nodes.push_back({.name = "d1", .labels = {"", "r2"}, .room = {{gpu, 2}}});
    return WorldBuilder({block, rack}, nodes).with(root);
}

TEST_CASE("each group has one row, root first, with the narrowest domain that holds it") {
    const World world = two_racks({.name = "job",
                                   .minimum = 2,
                                   .children = {{.name = "x", .minimum = 2, .pods = {pods(2, 1)}},
                                                {.name = "y", .minimum = 2, .pods = {pods(2, 1)}}}});
    // Node numbers go by path: "-/r2" comes before "b0".
    const auto id = [&](const std::string& name) {
        return static_cast<model::NodeId>(std::ranges::find(world.snapshot.node_names, base::Text(name)) -
                                          world.snapshot.node_names.begin());
    };
    const Plan plan{.seats = {{0, id("a0")}, {1, id("a0")}, {2, id("a1")}, {3, id("c0")}}, .message = {}};
    const std::vector<model::RecordedGroup> rows = outcome(world.snapshot, world.gang, plan);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0] == model::RecordedGroup{.group = "job", .placed = 2, .minimum = 2, .domain = "b0"});
    CHECK(rows[1] == model::RecordedGroup{.group = "x", .placed = 2, .minimum = 2, .domain = "b0/r0/a0"});
    CHECK(rows[2] == model::RecordedGroup{.group = "y", .placed = 2, .minimum = 2, .domain = "b0"});
}

TEST_CASE("a missing label stays inside a path as a dash") {
    const World world = two_racks({.name = "x", .minimum = 2, .pods = {pods(2, 2)}});
    REQUIRE(world.snapshot.node_names[0] == "d0");
    const auto rows = outcome(world.snapshot, world.gang, {.seats = {{0, 0}, {1, 1}}, .message = {}});
    CHECK(rows[0].domain == "-/r2");
}

TEST_CASE("an empty plan shows what runs already, and basic counts as one") {
    const World world =
        two_racks({.name = "job",
                   .minimum = 2,
                   .children = {{.name = "x", .minimum = 2, .pods = {{.count = 1, .on = "a0"}, pods(1, 1)}},
                                {.name = "y", .minimum = 0, .pods = {pods(1, 1)}, .basic = true}}});
    const auto rows = outcome(world.snapshot, world.gang, {});
    CHECK(rows[0] == model::RecordedGroup{.group = "job", .placed = 0, .minimum = 2, .domain = "b0/r0/a0"});
    CHECK(rows[1] == model::RecordedGroup{.group = "x", .placed = 1, .minimum = 2, .domain = "b0/r0/a0"});
    CHECK(rows[2] == model::RecordedGroup{.group = "y", .placed = 0, .minimum = 1, .domain = ""});
}

// One runs, `waiting` wait, on hosts with room for three more; only waiting members count toward the minimum of three.
World one_beside(std::int64_t waiting) {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {2, 1});
    World world = WorldBuilder({block, rack}, nodes)
                      .with({.name = "x", .minimum = 4, .pods = {{.count = 1, .on = "a0"}, pods(waiting, 1)}});
    world.gang.groups[0].counts_only_waiting = true;
    world.gang.groups[0].earlier_members = 1;
    return world;
}

TEST_CASE("members that ran before come on top of the minimum, and no report counts them (KP4)") {
    const World world = one_beside(3);
    const Answer answer = world.solve();
    REQUIRE(std::holds_alternative<Plan>(answer));
    const auto& plan = std::get<Plan>(answer);
    CHECK(plan.seats.size() == 3);
    CHECK(violations(world.snapshot, world.gang, plan).empty());
    CHECK(outcome(world.snapshot, world.gang, plan)[0] ==
          model::RecordedGroup{.group = "x", .placed = 3, .minimum = 3, .domain = "b0/r0"});
    CHECK(outcome(world.snapshot, world.gang, {})[0].placed == 0);
    Plan two = plan;
    two.seats.pop_back();
    CHECK_FALSE(violations(world.snapshot, world.gang, two).empty());
    const Answer refused = one_beside(2).solve();
    REQUIRE(std::holds_alternative<Refusal>(refused));
    CHECK(std::get<Refusal>(refused).sentence == "group x has 2 of 3 pods");
}

TEST_CASE("the score of a plan is the mean over preferred levels, each lower the more domains are used") {
    World world = two_racks({.name = "job",
                             .minimum = 2,
                             .children = {{.name = "x", .minimum = 2, .pods = {pods(2, 1)}},
                                          {.name = "y", .minimum = 2, .pods = {pods(2, 1)}}}});
    const auto id = [&](const std::string& name) {
        return static_cast<model::NodeId>(std::ranges::find(world.snapshot.node_names, base::Text(name)) -
                                          world.snapshot.node_names.begin());
    };
    const Plan plan{.seats = {{0, id("a0")}, {1, id("c0")}, {2, id("d0")}, {3, id("d1")}}, .message = {}};
    CHECK(score(world.snapshot, world.gang, plan) == 1000);  // No group prefers a level.
    world.gang.groups[1].preferred = {{0, 1}};
    CHECK(score(world.snapshot, world.gang, plan) == 500);  // Two racks.
    world.gang.groups[2].preferred = {{0, 0}};
    CHECK(score(world.snapshot, world.gang, plan) == 500);  // Two nodes that have no block: each is by itself.
    world.gang.groups[2].preferred = {{0, 1}};
    CHECK(score(world.snapshot, world.gang, plan) == 750);
    CHECK(score(world.snapshot, world.gang, {}) == 1000);
}

}  // namespace
}  // namespace echelon::solver::testing
