// BD4: pods that find nodes beside all others are not packed anew: a gang of many small groups costs little.

#include "solver/packing/known_packing.hpp"

#include "solver/solve.hpp"
#include "solver/violations.hpp"
#include "unit-tests/solver/support/gangs.hpp"
#include "unit-tests/solver/support/hard_gangs.hpp"

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

// Steps for placing as many groups of one pod in a cluster with plenty of room.
std::uint64_t steps_for(std::uint32_t groups, bool in_block) {
    model::Snapshot snapshot = bench::half_full(2'000, 1);
    const model::Gang gang = bench::hard_gang(
        snapshot,
        {.name = "many", .leaves = groups, .pods = groups, .sizes = 24, .in_block = in_block, .load = 50, .hosts = 64},
        1);
    const Answer answer = solve(snapshot, gang);
    const Plan* plan = std::get_if<Plan>(&answer);
    REQUIRE(plan != nullptr);
    CHECK(plan->seats.size() == groups);
    CHECK(violations(snapshot, gang, *plan).empty());
    return plan->steps;
}

TEST_CASE("many groups of one pod in several sizes are placed in a cluster with plenty of room (BD4)") {
    const std::uint64_t steps = steps_for(300, true);
    CHECK(steps < 10'000);
    CHECK(steps_for(1'200, true) < 8 * steps);
}

// The final packing would take more steps than it may: 2,000 nodes for each of 1,200 groups.
TEST_CASE("groups that are too many to be packed anew at the end keep the nodes that are known (BD4)") {
    CHECK(steps_for(1'200, false) < 100'000);
}

TEST_CASE("a known packing takes pods back only where their room is still free (BD4)") {
    const World world = world_of(hosts({8, 4}), leaf("a", 3, {pods(1, 8), pods(2, 4)}));
    const Demand demand = demand_of(world.snapshot, world.gang);
    const Scopes scopes(world.snapshot, world.gang, demand);
    KnownPacking known(world.snapshot, world.snapshot.room, demand, scopes);
    std::vector<std::int64_t> large(2, 0);
    std::vector<std::int64_t> small(2, 0);
    large[demand.class_of[0]] = 1;
    small[demand.class_of[1]] = 1;

    std::vector<PodsOnNode> nodes;
    REQUIRE(known.add(everywhere, large, nodes));
    std::vector<PodsOnNode> others;
    REQUIRE(known.add(everywhere, small, others));
    CHECK(!known.add(everywhere, small, others));
    CHECK(others.size() == 1);

    known.remove(nodes);
    REQUIRE(known.add(everywhere, small, others));
    CHECK(!known.put_back(nodes));
    known.remove(std::span(others).last(1));
    CHECK(known.put_back(nodes));
}

}  // namespace
}  // namespace echelon::solver::testing
