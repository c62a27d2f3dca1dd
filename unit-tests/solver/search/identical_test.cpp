#include "solver/search/identical.hpp"

#include "solver/solve.hpp"
#include "unit-tests/solver/support/oracle.hpp"

#include <random>

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

World random_leaf(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto pick = [&](std::int64_t from, std::int64_t to) {
        return from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from + 1));
    };
    std::vector<NodeSpec> nodes;
    const std::int64_t count = pick(3, 14);
    for (std::int64_t i = 0; i < count; ++i) {
        nodes.push_back({.name = "n" + std::to_string(i),
                         .labels = {"b" + std::to_string(pick(0, 2)), "r" + std::to_string(pick(0, 2))},
                         .room = {{gpu, pick(0, 4)}, {"cpu", pick(0, 4000)}, {"pods", pick(2, 5)}}});
    }
    GroupSpec root{.name = "job", .pods = {{.count = pick(1, 8), .needs = {{gpu, 1}, {"cpu", pick(1, 1200)}}}}};
    root.minimum = pick(1, root.pods.front().count);
    const std::vector<std::vector<std::string>> levels{{}, {block}, {rack}, {host}};
    root.required = levels[static_cast<std::size_t>(pick(0, 3))];
    return WorldBuilder({block, rack}, nodes).with(root);
}

TEST_CASE("the scan for identical pods gives the plan that the search gives") {
    int scanned = 0;
    int same = 0;
    int tighter = 0;
    int looser = 0;
    for (std::uint32_t seed = 0; seed < 500; ++seed) {
        CAPTURE(seed);
        World world = random_leaf(seed);
        const std::optional<Plan> plan = place_identical(world.snapshot, world.gang);
        if (!plan) {
            continue;
        }
        ++scanned;
        world.gang.warnings = {"a wish was dropped"};  // Keeps it from the scan.
        REQUIRE(!place_identical(world.snapshot, world.gang));
        const Answer answer = world.solve();
        REQUIRE(std::holds_alternative<Plan>(answer));
        const Best found = best_of(world, std::get<Plan>(answer));
        const Best scan = best_of(world, *plan);
        CHECK(scan.seats == found.seats);
        tighter += found.is_better_than(scan) ? 1 : 0;
        looser += scan.is_better_than(found) ? 1 : 0;
        same += std::get<Plan>(answer).seats == plan->seats ? 1 : 0;
    }
    MESSAGE("of " << scanned << " gangs the search gives " << same << " the same plan, " << tighter << " a better one, "
                  << looser << " a worse one");
    CHECK(scanned > 100);
}

TEST_CASE("a gang that the scan can't seat whole is left to the search") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {2});
    const World world = WorldBuilder({block, rack}, nodes).with({.name = "job", .minimum = 2, .pods = {pods(3, 1)}});
    CHECK(!place_identical(world.snapshot, world.gang));
    CHECK(std::get<Plan>(world.solve()).seats.size() == 2);
}

}  // namespace
}  // namespace echelon::solver::testing
