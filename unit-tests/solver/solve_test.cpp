// The placement facts that the solver owns, each under its own name.
#include "solver/solve.hpp"

#include "unit-tests/solver/support/gangs.hpp"

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

TEST_CASE("groups of 3, 3 and 5 go into racks of five and six, in every order (C1)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {1, 1, 1, 1, 1});
    add_rack(nodes, "b0", "r1", "c", {1, 1, 1, 1, 1, 1});
    std::vector<std::int64_t> sizes{3, 3, 5};
    do {
        const World world = world_of(nodes, all_of({leaf("g0", sizes[0], {pods(sizes[0], 1)}, {rack}),
                                                    leaf("g1", sizes[1], {pods(sizes[1], 1)}, {rack}),
                                                    leaf("g2", sizes[2], {pods(sizes[2], 1)}, {rack})},
                                                   {block}));
        CHECK(placed(world).seats.size() == 11);
    } while (std::ranges::next_permutation(sizes).found);
}

TEST_CASE("the small group leaves the only large host alone (C2)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {8});
    add_rack(nodes, "b0", "r1", "c", {1, 1, 1, 1, 1, 1, 1, 1, 1});
    const World world =
        world_of(nodes, all_of({leaf("s", 3, {pods(3, 1)}, {rack}), leaf("l", 1, {pods(1, 8)}, {rack})}));
    const Plan plan = placed(world);
    CHECK(world.node_of(plan, "l-0") == "a0");
    CHECK(plan.seats.size() == 4);
}

TEST_CASE("a domain is not judged by the largest pod alone (C3)") {
    const World world =
        world_of(hosts({8, 8}), all_of({leaf("leader", 1, {pods(1, 8)}), leaf("workers", 8, {pods(8, 1)})}, {block}));
    CHECK(placed(world).seats.size() == 9);
}

TEST_CASE("pods of 3, 3, 5 and 5 share two hosts of 8 (C4)") {
    const World world = world_of(hosts({8, 8}), all_of({leaf("g0", 1, {pods(1, 3)}), leaf("g1", 1, {pods(1, 3)}),
                                                        leaf("g2", 1, {pods(1, 5)}), leaf("g3", 1, {pods(1, 5)})}));
    CHECK(placed(world).seats.size() == 4);
}

TEST_CASE("decode takes the large host and prefill the two small ones (C5)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {8});
    add_rack(nodes, "b0", "r1", "c", {4, 4});
    const World world = world_of(
        nodes, all_of({leaf("prefill", 2, {pods(2, 4)}, {rack}), leaf("decode", 1, {pods(1, 8)}, {rack})}, {block}));
    CHECK(world.node_of(placed(world), "decode-0") == "a0");
}

TEST_CASE("a single pod of 3 takes the host of 3, the pair of 2 the host of 4 (C6)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {4});
    add_rack(nodes, "b0", "r1", "c", {3});
    const World world =
        world_of(nodes, all_of({leaf("one", 1, {pods(1, 3)}, {rack}), leaf("two", 2, {pods(2, 2)}, {rack})}));
    CHECK(world.node_of(placed(world), "one-0") == "c0");
}

GroupSpec replicas(std::int64_t minimum, std::int64_t count, std::int64_t size) {
    std::vector<GroupSpec> children;
    for (std::int64_t i = 0; i < count; ++i) {
        children.push_back(leaf("r" + std::to_string(i), size, {pods(size, 1)}));
    }
    return some_of(minimum, std::move(children));
}

TEST_CASE("with room for two of three replicas exactly two are placed whole (T1.1)") {
    CHECK(placed(world_of(hosts({1, 1, 1, 1}), replicas(2, 3, 2))).seats.size() == 4);
}

TEST_CASE("with one slot too few nothing is placed (T1.2)") {
    const Refusal refusal = refused(world_of(hosts({1, 1, 1}), replicas(2, 3, 2)));
    CHECK(refusal.reason == model::Reason::impossible);
    CHECK(refusal.is_proved());
}

TEST_CASE("replicas of one pod follow the same rule as larger ones (T1.3)") {
    CHECK(placed(world_of(hosts({1, 1}), replicas(2, 3, 1))).seats.size() == 2);
    CHECK(refused(world_of(hosts({1}), replicas(2, 3, 1))).is_proved());
}

TEST_CASE("further room binds further whole replicas, never a part of one (T1.4)") {
    CHECK(placed(world_of(hosts({8}), replicas(1, 4, 3))).seats.size() == 6);
}

TEST_CASE("one role without room keeps the other from being placed (T2.1, T2.2)") {
    std::vector<NodeSpec> nodes = hosts({10});
    GroupSpec decode = leaf("decode", 1, {pods(1, 11)});
    GroupSpec prefill = leaf("prefill", 1, {pods(10, 1)});
    CHECK(refused(world_of(nodes, all_of({prefill, decode}))).group == "decode");
    CHECK(refused(world_of(nodes, all_of({decode, prefill}))).group == "decode");
}

TEST_CASE("one whole worker of each role or nothing (T2.3)") {
    const auto role = [](const std::string& name) {
        return GroupSpec{.name = name,
                         .minimum = 1,
                         .children = {leaf(name + "0", 2, {pods(2, 1)}), leaf(name + "1", 2, {pods(2, 1)})}};
    };
    CHECK(refused(world_of(hosts({3}), all_of({role("p"), role("d")}))).is_proved());
    CHECK(placed(world_of(hosts({5}), all_of({role("p"), role("d")}))).seats.size() == 4);
    CHECK(placed(world_of(hosts({6}), all_of({role("p"), role("d")}))).seats.size() == 6);
}

TEST_CASE("minimums of both roles come before the extras of either (T3.1 to T3.3)") {
    const GroupSpec root = all_of({leaf("prefill", 1, {pods(4, 1)}), leaf("decode", 1, {pods(2, 1)})});
    struct Row {
        std::vector<std::int64_t> room;
        std::size_t seats;
    };
    for (const Row& row : {Row{{2}, 2}, Row{{3}, 3}, Row{{6}, 6}}) {
        const World world = world_of(hosts(row.room), root);
        const Plan plan = placed(world);
        CHECK(plan.seats.size() == row.seats);
        CHECK(world.seats_of(plan, "decode") >= 1);
        CHECK(world.seats_of(plan, "prefill") >= 1);
    }
}

TEST_CASE("unequal groups and unequal pods fit in every order (T3.4)") {
    std::vector<NodeSpec> racks;
    add_rack(racks, "b0", "r0", "a", {1, 1, 1, 1, 1});
    add_rack(racks, "b0", "r1", "c", {1, 1, 1, 1});
    std::vector<std::int64_t> sizes{2, 3, 4};
    do {
        const World world = world_of(racks, all_of({leaf("x", sizes[0], {pods(sizes[0], 1)}, {rack}),
                                                    leaf("y", sizes[1], {pods(sizes[1], 1)}, {rack}),
                                                    leaf("z", sizes[2], {pods(sizes[2], 1)}, {rack})}));
        CHECK(placed(world).seats.size() == 9);
    } while (std::ranges::next_permutation(sizes).found);
    CHECK(placed(world_of(hosts({8, 8}), leaf("job", 5, {pods(4, 2), pods(1, 8)}))).seats.size() == 5);
    CHECK(placed(world_of(hosts({8, 8}), leaf("job", 5, {pods(1, 8), pods(4, 2)}))).seats.size() == 5);
}

TEST_CASE("the level of the whole and the level of a group hold together (T4.1)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {1, 1});
    add_rack(nodes, "b0", "r1", "c", {1, 1, 1});
    add_rack(nodes, "b1", "r2", "d", {1, 1, 1, 1});
    const World world =
        world_of(nodes, all_of({leaf("prefill", 3, {pods(3, 1)}, {rack}), leaf("decode", 2, {pods(2, 1)})}, {block}));
    const Plan plan = placed(world);
    CHECK(plan.seats.size() == 5);
    CHECK(world.node_of(plan, "prefill-0") == "c0");
}

TEST_CASE("a preferred level is met when it can be had and never a reason to refuse (T4.2)") {
    GroupSpec root = all_of({leaf("prefill", 2, {pods(2, 1)}), leaf("decode", 2, {pods(2, 1)})});
    root.preferred = rack;
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {1, 1, 1});
    add_rack(nodes, "b0", "r1", "c", {1, 1, 1});
    CHECK(placed(world_of(nodes, root)).seats.size() == 4);
    add_rack(nodes, "b1", "r2", "d", {1, 1, 1, 1, 1});
    const World world = world_of(nodes, root);
    const Plan plan = placed(world);
    for (const Seat& seat : plan.seats) {
        CHECK(world.snapshot.node_names[seat.node].str().starts_with("d"));
    }
}

TEST_CASE("prefill near decode comes before prefill near prefill (T4.3)") {
    // One block holds both roles over two racks; the other has a rack for prefill alone.
    GroupSpec root = all_of({leaf("prefill", 2, {pods(2, 1)}), leaf("decode", 2, {pods(2, 1)})});
    root.preferred = block;
    root.children[0].preferred = rack;
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {1});
    add_rack(nodes, "b0", "r1", "c", {1});
    add_rack(nodes, "b0", "r2", "d", {1});
    add_rack(nodes, "b0", "r3", "e", {1});
    add_rack(nodes, "b1", "r4", "f", {1, 1});
    const World world = world_of(nodes, root);
    const Plan plan = placed(world);
    for (const Seat& seat : plan.seats) {
        CHECK(!world.snapshot.node_names[seat.node].str().starts_with("f"));
    }
}

TEST_CASE("bound and finished members count to the minimum of a leaf (N1)") {
    const World world = world_of(hosts({0, 1}), leaf("job", 3,
                                                     {{.count = 1, .needs = {{gpu, 1}}, .on = "a0"},
                                                      {.count = 1, .needs = {{gpu, 1}}, .finished = true},
                                                      pods(1, 1)}));
    CHECK(placed(world).seats.size() == 1);
}

TEST_CASE("a composite needs its floor of pods too (N2)") {
    GroupSpec root = some_of(1, {leaf("x", 1, {pods(3, 1)}), leaf("y", 1, {pods(2, 1)})});
    root.floor = 4;
    CHECK(placed(world_of(hosts({4}), root)).seats.size() == 4);
    CHECK(refused(world_of(hosts({3}), root)).is_proved());
}

TEST_CASE("what an unsatisfied child tried is given back (N4)") {
    const World world =
        world_of(hosts({4}), some_of(1, {leaf("big", 5, {pods(5, 1)}), leaf("small", 4, {pods(4, 1)})}));
    const Plan plan = placed(world);
    CHECK(world.seats_of(plan, "big") == 0);
    CHECK(world.seats_of(plan, "small") == 4);
}

TEST_CASE("a further replica that lacks pods is named with how many it has, and doesn't wait for room (Z37)") {
    GroupSpec root =
        GroupSpec{.name = "job", .minimum = 1, .children = {leaf("r0", 2, {pods(2, 1)}), leaf("r1", 2, {pods(1, 1)})}};
    CHECK(placed(world_of(hosts({8}), root)).message == "group r1 has 1 of 2 pods");
    root.children[0] = leaf("r0", 2, {pods(3, 1)});
    CHECK(placed(world_of(hosts({2}), root)).message ==
          "1 pod beyond the minimum waits for room; group r1 has 1 of 2 pods");
}

TEST_CASE("everything above one is extra in a basic group (N5)") {
    const World world =
        world_of(hosts({1}), GroupSpec{.name = "job", .minimum = 0, .pods = {pods(3, 1)}, .basic = true});
    const Plan plan = placed(world);
    CHECK(plan.seats.size() == 1);
    CHECK(plan.message == "2 pods beyond the minimum wait for room");
}

TEST_CASE("a minimum of zero is always satisfied (N6)") {
    CHECK(placed(world_of(hosts({0}), leaf("job", 0, {pods(2, 1)}))).seats.empty());
    CHECK(placed(world_of(hosts({2}), leaf("job", 0, {pods(2, 1)}, {rack}))).seats.size() == 2);
}

TEST_CASE("the children that fit are chosen, not the first ones (N8)") {
    const World world = world_of(
        hosts({4}), some_of(2, {leaf("a", 1, {pods(1, 9)}), leaf("b", 2, {pods(2, 1)}), leaf("c", 2, {pods(2, 1)})}));
    CHECK(placed(world).seats.size() == 4);
}

TEST_CASE("room for the minimum is enough for an elastic gang (N11)") {
    CHECK(placed(world_of(hosts({2}), leaf("job", 2, {pods(9, 1)}, {rack}))).seats.size() == 2);
}

TEST_CASE("a wider level of a child is implied (D3)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {1, 1});
    CHECK(placed(world_of(nodes, all_of({leaf("x", 2, {pods(2, 1)}, {block})}, {rack}))).seats.size() == 2);
}

TEST_CASE("racks of equal name in two blocks are two domains (D4)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r1", "a", {1, 1});
    add_rack(nodes, "b1", "r1", "c", {1, 1});
    const Refusal refusal = refused(world_of(nodes, leaf("job", 4, {pods(4, 1)}, {rack})));
    CHECK(refusal.reason == model::Reason::impossible);
    CHECK(refusal.level == rack);
}

TEST_CASE("a node without the label takes no pod of the group and is counted in the sentence (D6)") {
    std::vector<NodeSpec> nodes = hosts({1});
    nodes.push_back({.name = "lone", .labels = {"b0", ""}, .room = {{gpu, 8}}});
    const Refusal refusal = refused(world_of(nodes, leaf("job", 2, {pods(2, 1)}, {rack})));
    CHECK(refusal.sentence ==
          "group job needs 2 seats in one example.com/rack; the best, b0/r0, has room for 1 when empty: 1 missing "
          "(nvidia.com/gpu); 1 node without example.com/rack");
}

TEST_CASE("bound members pin the domain of every constrained ancestor (D7)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {4, 4});
    add_rack(nodes, "b1", "r1", "c", {1, 1});
    const World world = world_of(
        nodes,
        all_of({leaf("x", 1, {{.count = 1, .needs = {{gpu, 1}}, .on = "c0"}}), leaf("y", 1, {pods(1, 1)})}, {block}));
    CHECK(world.node_of(placed(world), "y-0").starts_with("c"));
}

TEST_CASE("members that run in two domains of the required level are held, and both are named (D8)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {4});
    add_rack(nodes, "b0", "r1", "c", {4});
    const PodSpec one{.count = 1, .needs = {{gpu, 1}}, .on = "a0"};
    const PodSpec other{.count = 1, .needs = {{gpu, 1}}, .on = "c0"};
    const Refusal refusal = refused(world_of(nodes, leaf("job", 3, {one, other, pods(1, 1)}, {rack})));
    CHECK(refusal.reason == model::Reason::no_room);
    CHECK(refusal.sentence == "group job must stay in one example.com/rack, but runs in b0/r0 and b0/r1");
}

TEST_CASE("the ladder of a preferred level climbs to the next wider one (D9)") {
    GroupSpec root = leaf("job", 4, {pods(4, 1)});
    root.preferred = rack;
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {1, 1, 1});
    add_rack(nodes, "b1", "r1", "c", {1, 1});
    add_rack(nodes, "b1", "r2", "d", {1, 1});
    const World world = world_of(nodes, root);
    const Plan plan = placed(world);
    for (const Seat& seat : plan.seats) {
        CHECK(!world.snapshot.node_names[seat.node].str().starts_with("a"));
    }
}

TEST_CASE("required and preferred levels stand together (D10)") {
    GroupSpec root = leaf("job", 2, {pods(2, 1)}, {block});
    root.preferred = rack;
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {1});
    add_rack(nodes, "b0", "r1", "c", {1, 1, 1});
    const World world = world_of(nodes, root);
    CHECK(world.node_of(placed(world), "job-0").starts_with("c"));
}

TEST_CASE("the domain that holds the extras too is chosen (D15)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {2});
    add_rack(nodes, "b0", "r1", "c", {5});
    CHECK(placed(world_of(nodes, leaf("job", 2, {pods(4, 1)}, {rack}))).seats.size() == 4);
}

TEST_CASE("the tightest domain that suffices is taken, the largest stays whole (O4)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {8});
    add_rack(nodes, "b0", "r1", "c", {3});
    add_rack(nodes, "b0", "r2", "d", {2});
    const World world = world_of(nodes, leaf("job", 3, {pods(3, 1)}, {rack}));
    CHECK(world.node_of(placed(world), "job-0") == "c0");
}

TEST_CASE("ranks follow the order of paths, and 10 comes after 2 (O5)") {
    const World world = world_of(hosts({6, 6}), leaf("job", 12, {pods(12, 1)}));
    const Plan plan = placed(world);
    CHECK(world.node_of(plan, "job-2") == "a0");
    CHECK(world.node_of(plan, "job-5") == "a0");
    CHECK(world.node_of(plan, "job-6") == "a1");
    CHECK(world.node_of(plan, "job-10") == "a1");
}

TEST_CASE("an infeasible mix is refused by counting every size, with the resource that is missing (W3)") {
    std::vector<NodeSpec> nodes = hosts({8, 4, 4, 4});
    const Refusal refusal = refused(world_of(nodes, all_of({leaf("l", 2, {pods(2, 8)}), leaf("s", 1, {pods(1, 1)})})));
    CHECK(refusal.group == "l");
    CHECK(refusal.sentence ==
          "group l needs 2 seats; the cluster has room for 1 when empty: 1 missing (nvidia.com/gpu)");
    CHECK(refusal.steps < 200);
}

TEST_CASE("a gang that doesn't even fit into the empty cluster is Impossible, else NoRoom") {
    std::vector<NodeSpec> nodes = hosts({1});
    nodes[0].taken = {{gpu, 1}};
    CHECK(refused(world_of(nodes, leaf("job", 2, {pods(2, 1)}))).reason == model::Reason::no_room);
    CHECK(refused(world_of(nodes, leaf("job", 3, {pods(3, 1)}))).reason == model::Reason::impossible);
}

TEST_CASE("several resources are respected at once, the number of pods included") {
    std::vector<NodeSpec> nodes;
    nodes.push_back({.name = "n0", .labels = {"b0", "r0"}, .room = {{gpu, 8}, {"cpu", 1000}, {"pods", 9}}});
    nodes.push_back({.name = "n1", .labels = {"b0", "r0"}, .room = {{gpu, 8}, {"cpu", 9000}, {"pods", 1}}});
    const PodSpec pod{.count = 3, .needs = {{gpu, 1}, {"cpu", 1000}}};
    const Plan plan = placed(world_of(nodes, leaf("job", 1, {pod})));
    CHECK(plan.seats.size() == 2);
}

TEST_CASE("a gang whose minimum runs already is placed with whatever more fits") {
    const PodSpec running{.count = 2, .needs = {{gpu, 1}}, .on = "a0"};
    CHECK(placed(world_of(hosts({0}), leaf("job", 2, {running, pods(3, 1)}))).seats.empty());
    CHECK(placed(world_of(hosts({1}), leaf("job", 2, {running, pods(3, 1)}))).seats.size() == 1);
}

TEST_CASE("a problem found before the search is the answer") {
    World world = world_of(hosts({1}), leaf("job", 1, {pods(1, 1)}));
    world.gang.problem = model::Problem{.reason = model::Reason::invalid, .sentence = "a cycle"};
    const Refusal refusal = refused(world);
    CHECK(refusal.reason == model::Reason::invalid);
    CHECK(refusal.sentence == "a cycle");
}

TEST_CASE("a search that its budget ends says that nothing is proved") {
    std::vector<GroupSpec> children;
    for (int i = 0; i < 12; ++i) {
        children.push_back(leaf("g" + std::to_string(i), 1, {{.count = 1, .needs = {{gpu, 30 + i * 7 % 11}}}}));
    }
    const World world = world_of(hosts({101, 103, 107, 109}), all_of(std::move(children)));
    const Answer answer = world.solve({.steps = 5});
    REQUIRE(std::holds_alternative<Refusal>(answer));
    CHECK(std::get<Refusal>(answer).reason == model::Reason::out_of_budget);
    CHECK(!std::get<Refusal>(answer).is_proved());
}

}  // namespace
}  // namespace echelon::solver::testing
