// Rules about minimums, levels and the objective that need more than one gang or one state of it to be seen.
#include "unit-tests/solver/support/gangs.hpp"
#include "unit-tests/solver/support/oracle.hpp"

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

// Two racks in block b0 and one in block b1, with these numbers of hosts with one GPU each.
std::vector<NodeSpec> racks(std::size_t first, std::size_t second, std::size_t third) {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", std::vector<std::int64_t>(first, 1));
    add_rack(nodes, "b0", "r1", "c", std::vector<std::int64_t>(second, 1));
    add_rack(nodes, "b1", "r2", "d", std::vector<std::int64_t>(third, 1));
    return nodes;
}

// What is left of a world once a gang is placed in it.
std::vector<NodeSpec> after(std::vector<NodeSpec> nodes, const World& world, const Plan& plan) {
    for (const Seat& seat : plan.seats) {
        for (NodeSpec& node : nodes) {
            node.room[gpu] -= node.name == world.snapshot.node_names[seat.node] ? 1 : 0;
        }
    }
    return nodes;
}

PodSpec running(std::int64_t count, const std::string& node) {
    return {.count = count, .needs = {{gpu, 1}}, .on = node};
}

TEST_CASE("a composite whose minimum is the number of children needs every one (N7)") {
    const std::vector<GroupSpec> children{leaf("x", 1, {pods(1, 1)}), leaf("y", 2, {pods(2, 1)})};
    CHECK(placed(world_of(hosts({3}), all_of(children))).seats.size() == 3);
    CHECK(refused(world_of(hosts({2}), all_of(children))).is_proved());
}

TEST_CASE("the number of complete replicas has one meaning for replicas of one pod and of more (N9)") {
    for (const std::int64_t size : {1, 3}) {
        std::vector<GroupSpec> replicas;
        for (int i = 0; i < 3; ++i) {
            replicas.push_back(leaf("r" + std::to_string(i), size, {pods(size, 1)}));
        }
        CHECK(placed(world_of(hosts({2 * size}), some_of(2, replicas))).seats.size() ==
              static_cast<std::size_t>(2 * size));
        CHECK(refused(world_of(hosts({2 * size - 1}), some_of(2, replicas))).is_proved());
    }
}

TEST_CASE("a lower minimum may unblock a gang, a higher one evicts no pod (N10, S17)") {
    CHECK(refused(world_of(hosts({2}), leaf("job", 3, {pods(4, 1)}))).is_proved());
    CHECK(placed(world_of(hosts({2}), leaf("job", 2, {pods(4, 1)}))).seats.size() == 2);
    const World raised = world_of(hosts({1}), leaf("job", 4, {running(2, "a0"), pods(2, 1)}));
    CHECK(refused(raised).is_proved());
    CHECK(raised.gang.members.front().state == model::Member::State::bound);
}

TEST_CASE("all members of a group are in one domain of the required level (D1)") {
    const GroupSpec job = leaf("job", 3, {pods(3, 1)}, {rack});
    CHECK(refused(world_of(racks(2, 2, 2), job)).level == rack);
    const World world = world_of(racks(2, 3, 2), job);
    CHECK(world.node_of(placed(world), "job-0").starts_with("c"));
}

TEST_CASE("constraints nest, a child without one inherits, siblings may share a domain or not (D2, S20, S22)") {
    const GroupSpec root = all_of(
        {leaf("x", 2, {pods(2, 1)}, {rack}), leaf("y", 2, {pods(2, 1)}, {rack}), leaf("z", 1, {pods(1, 1)})}, {block});
    CHECK(refused(world_of(racks(2, 1, 4), root)).is_proved());
    const World apart = world_of(racks(3, 2, 2), root);
    const Plan plan = placed(apart);
    CHECK(apart.node_of(plan, "x-0").substr(0, 1) != apart.node_of(plan, "y-0").substr(0, 1));
    CHECK(!apart.node_of(plan, "z-0").starts_with("d"));
    CHECK(placed(world_of(racks(0, 0, 5), root)).seats.size() == 5);
}

TEST_CASE("a rack that straddles two blocks is two domains (D5)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {1, 1});
    add_rack(nodes, "b1", "r0", "c", {1, 1});
    CHECK(refused(world_of(nodes, leaf("job", 3, {pods(3, 1)}, {rack}))).is_proved());
    CHECK(placed(world_of(nodes, leaf("job", 2, {pods(2, 1)}, {rack}))).seats.size() == 2);
}

TEST_CASE("a key of another tree cuts the domain of the parent (D12)") {
    std::vector<NodeSpec> nodes = racks(2, 2, 0);
    for (NodeSpec& node : nodes) {
        node.other_labels = {node.name.ends_with("0") ? "z0" : "z1"};
    }
    const std::string zone = "example.com/zone";
    const auto answer = [&](std::int64_t members) {
        return WorldBuilder({block, rack}, nodes, {zone})
            .with(all_of({leaf("x", members, {pods(members, 1)}, {zone})}, {block}));
    };
    CHECK(placed(answer(2)).seats.size() == 2);
    CHECK(refused(answer(3)).is_proved());
}

TEST_CASE("among racks for the minimum the one that also holds the extras is chosen, the tightest of those (D15)") {
    const World world = world_of(racks(2, 5, 4), leaf("job", 2, {pods(4, 1)}, {rack}));
    CHECK(world.node_of(placed(world), "job-0").starts_with("d"));
}

TEST_CASE("an extra of one group never costs the minimum of another (O1, S14)") {
    const World world =
        world_of(hosts({4}), all_of({leaf("x", 1, {pods(4, 1)}), leaf("y", 3, {pods(3, 1)}, {}), leaf("z", 0, {})}));
    CHECK(world.seats_of(placed(world), "y") == 3);
}

TEST_CASE("extra children count only when they are complete (O2)") {
    const World world = world_of(hosts({7}), some_of(1, {leaf("x", 4, {pods(4, 1)}), leaf("y", 4, {pods(4, 1)})}));
    CHECK(placed(world).seats.size() == 4);
}

TEST_CASE("a preferred level costs no extra (O2 before O3)") {
    GroupSpec job = leaf("job", 2, {pods(4, 1)});
    job.preferred = rack;
    CHECK(placed(world_of(racks(3, 1, 2), job)).seats.size() == 4);
}

TEST_CASE("the fewest racks are used when one is not enough, also when another block is needed for that (O3)") {
    GroupSpec job = leaf("job", 6, {pods(6, 1)});
    job.preferred = rack;
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {1, 1});
    add_rack(nodes, "b0", "r1", "c", {1, 1});
    add_rack(nodes, "b0", "r2", "d", {1, 1});
    add_rack(nodes, "b1", "r3", "e", {1, 1, 1, 1});
    add_rack(nodes, "b1", "r4", "f", {1, 1, 1, 1});
    const World world = world_of(nodes, job);
    CHECK(best_of(world, placed(world)).spread[0] == 1);
    CHECK(best_of(world, placed(world)).spread[1] == 2);
}

TEST_CASE("running members count to the domains that are used (O3)") {
    GroupSpec job = leaf("job", 4, {running(2, "d0"), pods(2, 1)});
    job.preferred = rack;
    const World world = world_of(racks(2, 4, 3), job);
    CHECK(world.node_of(placed(world), "job-2").starts_with("d"));
    CHECK(world.node_of(placed(world), "job-3").starts_with("d"));
}

TEST_CASE("a host without the label is no rack (O3)") {
    GroupSpec job = leaf("job", 2, {pods(2, 1)});
    job.preferred = rack;
    std::vector<NodeSpec> nodes = racks(2, 3, 0);
    nodes.push_back({.name = "lone", .labels = {"b0", ""}, .room = {{gpu, 2}}});
    const World world = world_of(nodes, job);
    CHECK(world.node_of(placed(world), "job-0").starts_with("a"));
}

TEST_CASE("large nodes stay whole, whatever the sizes of the pods (O4)") {
    const World world = world_of(hosts({8, 3, 2}), all_of({leaf("x", 1, {pods(1, 2)}), leaf("y", 1, {pods(1, 3)})}));
    const Plan plan = placed(world);
    CHECK(world.node_of(plan, "x-0") == "a2");
    CHECK(world.node_of(plan, "y-0") == "a1");
}

TEST_CASE("members that run count with those that are placed now, inside their domain (S9, S15)") {
    const World world = world_of(racks(2, 3, 3), leaf("job", 3, {running(1, "a0"), pods(3, 1)}, {rack}));
    const Plan plan = placed(world);
    CHECK(plan.seats.size() == 2);
    for (const Seat& seat : plan.seats) {
        CHECK(world.snapshot.node_names[seat.node].str().starts_with("a"));
    }
}

TEST_CASE("children of different kinds count alike, and one that stays out has no pod (S10, S12, S13)") {
    const World world =
        world_of(hosts({5}), some_of(2, {leaf("x", 3, {pods(3, 1)}),
                                         leaf("y", 4, {pods(4, 1)}),
                                         {.name = "z", .minimum = 1, .children = {leaf("z0", 2, {pods(2, 1)})}}}));
    const Plan plan = placed(world);
    CHECK(plan.seats.size() == 5);
    CHECK(world.seats_of(plan, "y") == 0);
}

TEST_CASE("a gang that lost members keeps its place, and gets replacements there (S18)") {
    const World world = world_of(racks(1, 4, 4), leaf("job", 3, {running(2, "a0"), pods(1, 1)}, {rack}));
    CHECK(world.node_of(placed(world), "job-2").starts_with("a"));
    CHECK(refused(world_of(racks(1, 4, 4), leaf("job", 4, {running(2, "a0"), pods(2, 1)}, {rack}))).is_proved());
}

TEST_CASE("a running pod pins the domain of every constrained group above it (S23)") {
    const GroupSpec root = all_of({{.name = "role",
                                    .minimum = 2,
                                    .children = {leaf("x", 1, {running(1, "d0")}), leaf("y", 1, {pods(1, 1)})},
                                    .required = {rack}},
                                   leaf("z", 1, {pods(1, 1)})},
                                  {block});
    const World world = world_of(racks(4, 4, 3), root);
    const Plan plan = placed(world);
    CHECK(world.node_of(plan, "y-0").starts_with("d"));
    CHECK(world.node_of(plan, "z-0").starts_with("d"));
}

TEST_CASE("nodes without the label serve only groups that don't ask for it (S24)") {
    std::vector<NodeSpec> nodes = racks(1, 0, 0);
    nodes.push_back({.name = "lone", .labels = {"b0", ""}, .room = {{gpu, 2}}});
    const World world = world_of(nodes, all_of({leaf("x", 1, {pods(1, 1)}, {rack}), leaf("y", 2, {pods(2, 1)})}));
    const Plan plan = placed(world);
    CHECK(world.node_of(plan, "x-0") == "a0");
    CHECK(world.node_of(plan, "y-0") == "lone");
}

TEST_CASE("of two racks for the minimum the one that holds more members, then the tighter one (S25)") {
    const GroupSpec job = leaf("job", 1, {pods(3, 1)}, {rack});
    const World world = world_of(racks(2, 4, 3), job);
    const Plan plan = placed(world);
    CHECK(plan.seats.size() == 3);
    CHECK(world.node_of(plan, "job-0").starts_with("d"));
}

TEST_CASE("of two deployments with room for one exactly one is placed whole (T2.5)") {
    const GroupSpec job = all_of({leaf("p", 2, {pods(2, 1)}), leaf("d", 1, {pods(1, 1)})});
    const std::vector<NodeSpec> nodes = racks(3, 2, 0);
    const World first = world_of(nodes, job);
    const Plan plan = placed(first);
    CHECK(plan.seats.size() == 3);
    const Refusal second = refused(world_of(after(nodes, first, plan), job));
    CHECK(second.is_proved());
}

TEST_CASE("the role that comes first, is larger and may grow doesn't take the other's minimum (T3.2)") {
    const World world =
        world_of(hosts({2}), all_of({leaf("prefill", 1, {pods(9, 1)}), leaf("decode", 1, {pods(2, 1)})}));
    const Plan plan = placed(world);
    CHECK(world.seats_of(plan, "prefill") == 1);
    CHECK(world.seats_of(plan, "decode") == 1);
}

TEST_CASE("what another gang holds is no room for extras (T3.5)") {
    const std::vector<NodeSpec> nodes = hosts({4});
    const World held = world_of(nodes, leaf("other", 3, {pods(3, 1)}));
    CHECK(placed(world_of(after(nodes, held, placed(held)), leaf("job", 1, {pods(4, 1)}))).seats.size() == 1);
}

}  // namespace
}  // namespace echelon::solver::testing
