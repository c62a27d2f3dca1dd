// Do groups with multiples per domain get them, and is a partly bound multiple completed? (D13)
#include "unit-tests/solver/support/gangs.hpp"

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

TEST_CASE("each domain of the level receives a multiple (D13)") {
    GroupSpec root = leaf("job", 4, {pods(6, 1)});
    root.multiples = {{rack, 2}};
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {3});
    add_rack(nodes, "b0", "r1", "c", {3});
    CHECK(placed(world_of(nodes, root)).seats.size() == 4);
    nodes.pop_back();
    CHECK(refused(world_of(nodes, root)).is_proved());
}

TEST_CASE("the members of a composite fill each domain in multiples (D13)") {
    GroupSpec root = all_of({leaf("x", 1, {pods(1, 1)}), leaf("y", 2, {pods(2, 1)})});
    root.multiples = {{rack, 2}};
    const Refusal odd = refused(world_of(hosts({4}), root));
    CHECK(odd.reason == model::Reason::impossible);
    root.children[1].pods = {pods(3, 1)};
    CHECK(placed(world_of(hosts({4}), root)).seats.size() == 4);
    std::vector<NodeSpec> nodes = hosts({3});
    add_rack(nodes, "b0", "r1", "c", {3});
    const World world = world_of(nodes, root);
    const Plan plan = placed(world);
    CHECK(plan.seats.size() == 4);
    CHECK(std::ranges::count_if(plan.seats, [](const Seat& seat) { return seat.node == 0; }) == 2);
}

TEST_CASE("members of unlike sizes, several multiples and running members obey them too (D13)") {
    GroupSpec root = leaf("job", 4, {pods(2, 2), pods(4, 1)});
    root.multiples = {{rack, 2}, {block, 4}};
    std::vector<NodeSpec> nodes = hosts({3, 2});
    add_rack(nodes, "b0", "r1", "c", {1, 1, 1});
    CHECK(placed(world_of(nodes, root)).seats.size() == 4);
    root.pods.push_back({.count = 1, .needs = {{gpu, 1}}, .on = "a0"});  // Its seat is no new one.
    CHECK(placed(world_of(nodes, root)).seats.size() == 4);
    CHECK(placed(world_of(hosts({3}), root)).seats.size() == 3);  // With the one that runs a whole multiple.
    CHECK(refused(world_of(hosts({2}), root)).is_proved());
}

TEST_CASE("a partly bound multiple is completed in its domain, and nowhere else (D13)") {
    GroupSpec root = leaf("job", 8, {pods(1, 1), {.count = 4, .needs = {{gpu, 1}}, .on = "c0"}});
    root.pods.push_back({.count = 3, .needs = {{gpu, 1}}, .on = "a0"});
    root.multiples = {{rack, 4}};
    std::vector<NodeSpec> nodes = hosts({0, 1});
    add_rack(nodes, "b0", "r1", "c", {5, 8});
    const World world = world_of(nodes, root);
    const Plan plan = placed(world);
    REQUIRE(plan.seats.size() == 1);
    CHECK(world.snapshot.node_names[plan.seats[0].node] == "a1");
    nodes[1].room[gpu] = 0;
    CHECK(refused(world_of(nodes, root)).reason == model::Reason::no_room);
}

TEST_CASE("a large group of two roles fills its racks in multiples (D13)") {
    std::vector<NodeSpec> nodes;
    for (int r = 0; r < 24; ++r) {
        add_rack(nodes, "b" + std::to_string(r / 8), "r" + std::to_string(r), "n" + std::to_string(r) + "-",
                 {8, 7, 8, 5});
    }
    GroupSpec root = all_of({leaf("prefill", 96, {pods(96, 1)}), leaf("decode", 32, {pods(32, 2)})});
    root.multiples = {{rack, 8}};
    CHECK(placed(world_of(nodes, root)).seats.size() == 128);
}

}  // namespace
}  // namespace echelon::solver::testing
