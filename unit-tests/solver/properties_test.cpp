// What must hold whatever the world looks like, on worlds too large for the oracle.
#include "solver/solve.hpp"
#include "solver/violations.hpp"
#include "unit-tests/solver/support/sentences.hpp"
#include "unit-tests/solver/support/world.hpp"

#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::solver::testing {
namespace {

struct Generated {
    std::vector<NodeSpec> nodes;
    GroupSpec root;
};

// Partly used hosts; groups of pods of 1, 2, 4 and 8 GPUs, each in one rack, the whole in one block or anywhere.
Generated generate(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto pick = [&](std::int64_t from, std::int64_t to) {
        return from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from + 1));
    };
    Generated world;
    for (std::int64_t r = 0; r < pick(3, 6); ++r) {
        for (std::int64_t h = 0; h < pick(2, 5); ++h) {
            world.nodes.push_back({.name = fmt::format("n{}-{}", r, h),
                                   .labels = {fmt::format("b{}", r % 2), fmt::format("r{}", r)},
                                   .room = {{gpu, pick(0, 8)}}});
        }
    }
    const std::int64_t groups = pick(2, 5);
    world.root = {.name = "job", .minimum = pick(1, groups)};
    for (std::int64_t g = 0; g < groups; ++g) {
        GroupSpec leaf{.name = fmt::format("g{}", g), .pods = {pods(pick(1, 4), std::int64_t{1} << pick(0, 3))}};
        leaf.minimum = pick(1, leaf.pods.front().count);
        leaf.required = {rack};
        world.root.children.push_back(leaf);
    }
    if (pick(0, 1) == 1) {
        world.root.required = {block};
    }
    return world;
}

World build(const Generated& world) {
    return WorldBuilder({block, rack}, world.nodes).with(world.root);
}

std::map<std::string, std::string> by_name(const World& world, const Plan& plan) {
    std::map<std::string, std::string> seats;
    for (const Seat& seat : plan.seats) {
        seats[world.gang.members[seat.member].pod] = world.snapshot.node_names[seat.node];
    }
    return seats;
}

TEST_CASE("every plan of a mixed gang passes the referee, and no search of this size ends at its budget") {
    int placed = 0;
    for (std::uint32_t seed = 0; seed < 400; ++seed) {
        CAPTURE(seed);
        const World world = build(generate(seed));
        const Answer answer = world.solve();
        if (const Plan* plan = std::get_if<Plan>(&answer)) {
            ++placed;
            CHECK(sentences(violations(world.snapshot, world.gang, *plan)) == std::vector<std::string>{});
        } else {
            CHECK(std::get<Refusal>(answer).is_proved());
            CHECK(std::get<Refusal>(answer).sentence.size() <= 300);
        }
    }
    CHECK(placed > 100);
    CHECK(placed < 400);
}

TEST_CASE("one node more never makes a placed gang refused") {
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        Generated world = generate(seed);
        if (!std::holds_alternative<Plan>(build(world).solve())) {
            continue;
        }
        world.nodes.push_back({.name = "more", .labels = {"b0", "r0"}, .room = {{gpu, seed % 9}}});
        CHECK(std::holds_alternative<Plan>(build(world).solve()));
    }
}

TEST_CASE("the order of nodes and of groups makes no difference to what is placed (T2.4)") {
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        Generated world = generate(seed);
        const World before = build(world);
        std::mt19937 random(seed);
        std::shuffle(world.nodes.begin(), world.nodes.end(), random);
        const World after = build(world);
        const Answer first = before.solve();
        const Answer second = after.solve();
        REQUIRE(first.index() == second.index());
        if (const Plan* plan = std::get_if<Plan>(&first)) {
            CHECK(by_name(before, *plan) == by_name(after, std::get<Plan>(second)));
        } else {
            CHECK(std::get<Refusal>(first).sentence == std::get<Refusal>(second).sentence);
        }
        std::ranges::reverse(world.root.children);
        const Answer reversed = build(world).solve();
        REQUIRE(reversed.index() == first.index());
        if (const Plan* plan = std::get_if<Plan>(&first)) {
            CHECK(std::get<Plan>(reversed).seats.size() == plan->seats.size());
        }
    }
}

TEST_CASE("equal input gives an equal answer, steps included") {
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        const World world = build(generate(seed));
        const Answer first = world.solve();
        const Answer second = world.solve();
        REQUIRE(first.index() == second.index());
        if (const Plan* plan = std::get_if<Plan>(&first)) {
            CHECK(plan->seats == std::get<Plan>(second).seats);
            CHECK(plan->steps == std::get<Plan>(second).steps);
        }
    }
}

TEST_CASE("a small budget may cost quality or the proof, never soundness") {
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        const World world = build(generate(seed));
        const bool fits = std::holds_alternative<Plan>(world.solve());
        for (const std::uint64_t steps : {0U, 3U, 20U, 100U, 400U}) {
            const Answer answer = world.solve({.steps = steps});
            if (const Plan* plan = std::get_if<Plan>(&answer)) {
                CHECK(violations(world.snapshot, world.gang, *plan).empty());
            } else if (fits) {
                CHECK(!std::get<Refusal>(answer).is_proved());
            }
        }
    }
}

}  // namespace
}  // namespace echelon::solver::testing
