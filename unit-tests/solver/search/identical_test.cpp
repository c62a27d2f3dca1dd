#include "solver/search/identical.hpp"

#include "solver/solve.hpp"
#include "unit-tests/solver/support/gangs.hpp"
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

TEST_CASE("the scan for identical pods seats as many as the search") {
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
        CHECK((!is_simple(world.gang) || !found.is_better_than(scan)));
        tighter += found.is_better_than(scan) ? 1 : 0;
        looser += scan.is_better_than(found) ? 1 : 0;
        same += std::get<Plan>(answer).seats == plan->seats ? 1 : 0;
    }
    MESSAGE("of " << scanned << " gangs the search gives " << same << " the same plan, " << tighter << " a better one, "
                  << looser << " a worse one");
    CHECK(scanned > 100);
}

// Racks of block b0, each with hosts of one GPU: how many hosts, and how many of them are taken.
World racks_of(const std::vector<std::pair<int, int>>& sizes, const GroupSpec& root) {
    std::vector<NodeSpec> nodes;
    for (std::size_t r = 0; r < sizes.size(); ++r) {
        for (int h = 0; h < sizes[r].first; ++h) {
            const std::int64_t taken = h < sizes[r].second ? 1 : 0;
            nodes.push_back({.name = std::string(1, static_cast<char>('a' + r)) + std::to_string(h),
                             .labels = {"b0", "r" + std::to_string(r)},
                             .room = {{gpu, 1 - taken}},
                             .taken = {{gpu, taken}}});
        }
    }
    return WorldBuilder({block, rack}, nodes).with(root);
}

// The seats by rack: "aaab" for three in the first rack and one in the second.
std::string racks_in(const World& world) {
    const Plan plan = std::get<Plan>(world.solve());
    std::string racks;
    for (const Seat& seat : plan.seats) {
        racks += world.snapshot.node_names[seat.node].str().front();
    }
    std::ranges::sort(racks);
    return racks;
}

TEST_CASE("of racks with equally much free, the one with fewer hosts is taken (O6)") {
    const GroupSpec root = leaf("job", 2, {pods(2, 1)}, {rack});
    CHECK(racks_in(racks_of({{4, 1}, {3, 0}}, root)) == "bb");
    CHECK(racks_in(racks_of({{4, 2}, {3, 0}}, root)) == "aa");
}

TEST_CASE("a rack of hosts whose free amounts exceed 64 bits in sum takes its pods") {
    std::vector<NodeSpec> nodes;
    for (int h = 0; h < 8; ++h)
        nodes.push_back(
            {.name = "a" + std::to_string(h), .labels = {"b0", "r0"}, .room = {{gpu, std::int64_t{1} << 60}}});
    const World world =
        WorldBuilder({block, rack}, nodes).with(leaf("job", 8, {pods(8, std::int64_t{1} << 60)}, {rack}));
    const auto plan = place_identical(world.snapshot, world.gang);
    REQUIRE(plan);
    CHECK(plan->seats.size() == 8);
}

TEST_CASE("a tighter rack that lacks another resource is passed over") {
    const auto host = [](const std::string& name, const std::string& where, std::int64_t cpu) {
        return NodeSpec{.name = name, .labels = {"b0", where}, .room = {{gpu, 2}, {"cpu", cpu}}};
    };
    std::vector<NodeSpec> nodes = {host("a0", "r0", 9), host("a1", "r0", 9), host("a2", "r0", 9),
                                   host("b0", "r1", 1), host("b1", "r1", 1), host("c0", "r2", 9)};
    const GroupSpec root = {
        .name = "job", .minimum = 4, .pods = {{.count = 4, .needs = {{gpu, 1}, {"cpu", 2}}}}, .required = {rack}};
    CHECK(racks_in(WorldBuilder({block, rack}, nodes).with(root)) == "aaaa");
}

TEST_CASE("a gang that needs several racks fills the smaller ones, and takes the largest whole (O6)") {
    // The last rack has one host taken: its other three stay, since two whole racks of four suffice.
    CHECK(racks_in(racks_of({{4, 1}, {4, 0}, {4, 0}}, leaf("job", 8, {pods(8, 1)}, {block}))) == "bbbbcccc");
    CHECK(racks_in(racks_of({{4, 0}, {4, 0}, {3, 0}, {2, 1}}, leaf("job", 8, {pods(8, 1)}, {block}))) == "aaaacccd");
    // One rack suffices, and the tightest is taken.
    CHECK(racks_in(racks_of({{4, 0}, {3, 0}, {2, 1}}, leaf("job", 3, {pods(3, 1)}, {block}))) == "bbb");
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
