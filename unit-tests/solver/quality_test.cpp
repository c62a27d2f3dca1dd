// No feasible gang is missed, on a small sample of what `./dev quality` runs by the thousand.
#include "solver/violations.hpp"
#include "unit-tests/solver/support/greedy.hpp"

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

TEST_CASE("a gang that fits is placed, and one that doesn't is refused with a proof") {
    constexpr int wanted = 300;
    for (const Family& family : families()) {
        CAPTURE(family.name);
        CaseMaker maker(family, 7);
        int feasible = 0;
        int infeasible = 0;
        int greedy_missed = 0;
        for (int attempt = 0; feasible < wanted && attempt < 50 * wanted; ++attempt) {
            const std::int64_t from = 30 + 10 * (attempt % 7);
            const std::optional<Case> made = maker.make(from, from + 10);
            if (!made)
                continue;
            CAPTURE(attempt);
            const World world = world_of(*made);
            const Answer answer = world.solve();
            if (const Refusal* refusal = std::get_if<Refusal>(&answer)) {
                REQUIRE_FALSE(Judge(*made).is_feasible());
                CHECK(refusal->is_proved());
                ++infeasible;
                continue;
            }
            REQUIRE(violations(world.snapshot, world.gang, std::get<Plan>(answer)).empty());
            REQUIRE(Judge(*made).is_feasible());
            ++feasible;
            greedy_missed += Greedy(*made, Rule::kai, false).places() ? 0 : 1;
        }
        CHECK(feasible == wanted);
        CHECK(infeasible > 0);
        CHECK(greedy_missed > 0);
    }
}

TEST_CASE("a gang that was placed before the cluster was filled is found again") {
    const Family large{.name = "large",
                       .blocks = 4,
                       .racks = 8,
                       .hosts = 8,
                       .groups = 16,
                       .sizes = {1, 2, 4, 8},
                       .in_one_block = true};
    CaseMaker maker(large, 11);
    int found = 0;
    for (int attempt = 0; found < 42 && attempt < 4'000; ++attempt) {
        const std::int64_t load = 30 + 10 * (found % 7);
        const std::optional<Case> made = maker.make_fitting(8, load, load + 10);
        if (!made)
            continue;
        ++found;
        CAPTURE(attempt);
        const World world = world_of(*made);
        const Answer answer = world.solve();
        REQUIRE(std::holds_alternative<Plan>(answer));
        CHECK(violations(world.snapshot, world.gang, std::get<Plan>(answer)).empty());
    }
    CHECK(found == 42);
}

// Gangs that fit into 93 to 99 % of what is free, each with three budgets.
void find_all(const Family& family, std::uint64_t seed, int wanted) {
    CaseMaker maker(family, seed);
    int found = 0;
    int found_late = 0;
    for (int attempt = 0; found < wanted && attempt < 4'000; ++attempt) {
        const std::optional<Case> made = maker.make_fitting(8, 93, 99);
        if (!made)
            continue;
        ++found;
        CAPTURE(attempt);
        const World world = world_of(*made);
        std::size_t seats = 0;
        for (const std::uint64_t steps : {12'000U, 60'000U, 200'000U}) {
            const Answer answer = world.solve({.steps = steps});
            const Plan* plan = std::get_if<Plan>(&answer);
            CHECK((plan == nullptr ? 0 : plan->seats.size()) >= seats);
            found_late += plan != nullptr && seats == 0 && steps > 12'000U ? 1 : 0;
            seats = plan == nullptr ? 0 : plan->seats.size();
            if (plan == nullptr) {
                CHECK_FALSE(std::get<Refusal>(answer).is_proved());
            } else {
                CHECK(violations(world.snapshot, world.gang, *plan).empty());
            }
        }
        CHECK(seats == world.gang.members.size());
    }
    CHECK(found == wanted);
    CHECK(found_late > 0);  // Not all are easy.
}

TEST_CASE("groups that nearly fill many racks are moved about until all fit, and more budget never undoes that") {
    Family anywhere{.name = "anywhere", .blocks = 4, .racks = 8, .hosts = 8, .groups = 32, .sizes = {1, 2, 4, 8}};
    find_all(anywhere, 5, 60);
    SUBCASE("across the groups that they belong to") {
        anywhere.bundles = 4;
        find_all(anywhere, 6, 30);
    }
}

TEST_CASE("greedy rules place what is easy and miss what needs a second look") {
    Family family{.name = "C1", .racks = 2, .hosts = 6};
    // A rack of five and one of six hosts; groups of 3, 3 and 5 pods.
    const Case c1{.family = family,
                  .racks = {{1, 1, 1, 1, 1, 0}, {1, 1, 1, 1, 1, 1}},
                  .groups = {{.size = 1, .pods = {3}}, {.size = 1, .pods = {3}}, {.size = 1, .pods = {5}}}};
    CHECK(Judge(c1).is_feasible());
    CHECK_FALSE(Greedy(c1, Rule::kai, false).places());
    CHECK_FALSE(Greedy(c1, Rule::kueue, false).places());
    CHECK(Greedy(c1, Rule::kai, true).places());
    CHECK(Greedy(c1, Rule::kueue, true).places());
    family.needed = 1;
    CHECK(Greedy({.family = family, .racks = c1.racks, .groups = c1.groups}, Rule::kai, false).places());
    family.needed = 3;
    Case full = c1;
    full.racks[0][0] = 0;
    CHECK_FALSE(Judge(full).is_feasible());
}

}  // namespace
}  // namespace echelon::solver::testing
