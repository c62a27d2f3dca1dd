// Relations between the answers for two slightly different inputs, on small random worlds of every style.
#include "solver/violations.hpp"
#include "unit-tests/solver/support/oracle.hpp"
#include "unit-tests/solver/support/random_world.hpp"

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

const Style styles[] = {
    {},
    {.mixed = true},
    {.mixed = true, .bound = true, .preferred = true},
    {.bound = true, .two_trees = true},
    {.preferred = true},
    {.mixed = true, .preferred = true, .most_pods = 9},
    {.bound = true, .floors = true},
    {.preferred = true, .multiples = true},
    {.bound = true, .preferred = true, .limits = true},
    {.bound = true, .pairs = true},
};

template <typename Check>
void each_world(std::uint32_t seeds, const Check& check) {
    for (std::size_t style = 0; style < std::size(styles); ++style) {
        for (std::uint32_t seed = 0; seed < seeds; ++seed) {
            const RandomWorld random = random_world(seed, styles[style]);
            CAPTURE(style);
            CAPTURE(seed);
            CAPTURE(draw(random));
            check(seed, random);
        }
    }
}

TEST_CASE("a node more never makes a gang refused, nor costs a seat") {
    int placed = 0;
    each_world(300, [&](std::uint32_t seed, RandomWorld random) {
        const Answer before = build(random).solve();
        const Plan* plan = std::get_if<Plan>(&before);
        if (plan == nullptr) {
            return;
        }
        ++placed;
        NodeSpec more{.name = "more",
                      .labels = {fmt::format("b{}", seed % 3), fmt::format("r{}", seed % 2)},
                      .room = {{gpu, seed % 5}}};
        if (!random.nodes.front().other_labels.empty()) {
            more.other_labels = {"z0"};
        }
        random.nodes.push_back(more);
        const Answer after = build(random).solve();
        REQUIRE(std::holds_alternative<Plan>(after));
        CHECK(std::get<Plan>(after).seats.size() >= plan->seats.size());
    });
    CHECK(placed > 500);
}

TEST_CASE("neither the order of nodes nor that of groups changes what a plan is worth (T2.4)") {
    int placed = 0;
    each_world(300, [&](std::uint32_t seed, RandomWorld random) {
        const World world = build(random);
        const Answer before = world.solve();
        std::mt19937 order(seed);
        std::shuffle(random.nodes.begin(), random.nodes.end(), order);
        std::ranges::reverse(random.root.children);
        const World shuffled = build(random);
        const Answer after = shuffled.solve();
        REQUIRE(before.index() == after.index());
        if (const Plan* plan = std::get_if<Plan>(&before)) {
            ++placed;
            const Best one = best_of(world, *plan);
            const Best other = best_of(shuffled, std::get<Plan>(after));
            CHECK(one.seats == other.seats);
            CHECK(one.spread == other.spread);
        } else {
            CHECK(std::get<Refusal>(before).reason == std::get<Refusal>(after).reason);
        }
    });
    CHECK(placed > 500);
}

TEST_CASE("more budget never gives a worse plan, and a proof is never wrong") {
    int placed = 0;
    each_world(120, [&](std::uint32_t, const RandomWorld& random) {
        const World world = build(random);
        std::optional<Best> best;
        const bool fits = std::holds_alternative<Plan>(world.solve());
        for (const std::uint64_t steps : {0U, 3U, 10U, 30U, 100U, 300U, 1'000U, 3'000U, 10'000U, 200'000U, 800'000U}) {
            CAPTURE(steps);
            const Answer answer = world.solve({.steps = steps});
            const Plan* plan = std::get_if<Plan>(&answer);
            if (plan == nullptr) {
                CHECK(!best);
                CHECK((!fits || !std::get<Refusal>(answer).is_proved()));
                continue;
            }
            ++placed;
            CHECK(violations(world.snapshot, world.gang, *plan).empty());
            Best found = best_of(world, *plan);
            CHECK((!best || !best->is_better_than(found)));
            best = std::move(found);
        }
    });
    CHECK(placed > 2'000);
}

}  // namespace
}  // namespace echelon::solver::testing
