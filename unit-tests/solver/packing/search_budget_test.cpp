// BD4: a step of the budget costs the same everywhere, so that a budget in steps bounds the work of a solve.

#include "solver/packing/search_budget.hpp"

#include "solver/violations.hpp"
#include "unit-tests/solver/support/hard_gangs.hpp"

#include <variant>

#include <doctest/doctest.h>

namespace echelon::solver {
namespace {

TEST_CASE("BD4: work that the steps so far don't pay for costs further steps") {
    SearchBudget steps(10);
    REQUIRE(steps.spend(2));
    steps.work(2 * SearchBudget::operations_per_step);
    CHECK(steps.used() == 2);
    steps.work(3 * SearchBudget::operations_per_step);
    CHECK(steps.used() == 5);
    CHECK(!steps.is_over());
    steps.work(6 * SearchBudget::operations_per_step);
    CHECK(steps.is_over());
    CHECK(steps.left() == 0);
}

// The final packing may take as many steps again as the search before it.
TEST_CASE("BD4: a hard gang is answered within its budget, soundly") {
    constexpr std::uint64_t budget = 30'000;
    for (const bench::HardGang& hard : bench::hard_gangs()) {
        CAPTURE(hard.name);
        model::Snapshot snapshot = bench::half_full(1'000, 1);
        const model::Gang gang = bench::hard_gang(snapshot, hard, 1);
        const Answer answer = solve(snapshot, gang, {.steps = budget});
        if (const auto* plan = std::get_if<Plan>(&answer)) {
            CHECK(plan->steps <= 2 * budget + 1'000);
            CHECK(violations(snapshot, gang, *plan).empty());
        } else {
            CHECK(std::get<Refusal>(answer).steps <= 2 * budget + 1'000);
        }
    }
}

// Which members make up the minimum is no choice when all are needed: 96 pods of 48 sizes once were 2^47 of them.
TEST_CASE("BD4: a leaf that needs all its unlike members has one choice of them") {
    model::Snapshot snapshot = bench::half_full(64, 1);
    const model::Gang gang = bench::hard_gang(snapshot, {.name = "all", .sizes = 48, .in_racks = true, .load = 60}, 1);
    const Answer answer = solve(snapshot, gang, {.steps = 20'000});
    CHECK(std::holds_alternative<Plan>(answer));
}

}  // namespace
}  // namespace echelon::solver
