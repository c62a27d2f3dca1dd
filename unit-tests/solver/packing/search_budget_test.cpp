// BD4: a step of the budget costs the same everywhere, so that a budget in steps bounds the work of a solve.

#include "solver/packing/search_budget.hpp"

#include "solver/violations.hpp"
#include "unit-tests/solver/support/hard_gangs.hpp"

#include <cstdint>
#include <utility>
#include <variant>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::solver {
namespace {

TEST_CASE("work that the steps so far don't pay for costs further steps (BD4)") {
    SearchBudget steps(10);
    REQUIRE(steps.spend(2));
    steps.charge(2 * SearchBudget::operations_per_step);
    CHECK(steps.used() == 2);
    steps.charge(3 * SearchBudget::operations_per_step);
    CHECK(steps.used() == 5);
    CHECK(!steps.is_over());
    steps.charge(6 * SearchBudget::operations_per_step);
    CHECK(steps.is_over());
    CHECK(steps.left() == 0);
}

// The final packing may take as many steps again as the search before it.
TEST_CASE("a hard gang is answered within its budget, soundly (BD4)") {
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

// A root over leaves of one pod each; the pods are of as many kinds.
model::Gang gang_of(std::uint32_t leaves, std::uint32_t kinds) {
    model::Gang gang;
    gang.root = {"label-gang", "ns/big"};
    auto& root = gang.groups.emplace_back();
    root.key = gang.root;
    root.is_leaf = false;
    root.minimum = leaves;
    for (std::uint32_t i = 0; i < leaves; ++i) {
        gang.groups.front().children.push_back(i + 1);
        auto& leaf = gang.groups.emplace_back();
        leaf.key = {"label-group", fmt::format("ns/big/{}", i)};
        leaf.parent = 0;
        leaf.minimum = 1;
        leaf.first_member = i;
        leaf.last_member = i + 1;
        gang.members.push_back({.uid = {}, .pod = fmt::format("ns/pod-{}", i), .pod_class = i % kinds});
    }
    return gang;
}

TEST_CASE("a gang of more kinds of pods, in more groups, than a search can hold is refused before it (BD4)") {
    const model::Snapshot snapshot = bench::half_full(64, 1);
    for (const auto& [leaves, kinds] : {std::pair{2'000U, 2'000U}, std::pair{6'000U, 1U}}) {
        const Answer answer = solve(snapshot, gang_of(leaves, kinds), {.steps = 10'000});
        const auto& refusal = std::get<Refusal>(answer);
        CHECK(refusal.reason == model::Reason::out_of_budget);
        CHECK((refusal.steps > 10'000) == (kinds > 1));
        CHECK(refusal.sentence ==
              "group ns/big may or may not fit: its pods are of more kinds, in more groups, than a "
              "search can hold");
    }
}

// Which members make up the minimum is no choice when all are needed: 96 pods of 48 sizes once were 2^47 of them.
TEST_CASE("a leaf that needs all its unlike members has one choice of them (BD4)") {
    model::Snapshot snapshot = bench::half_full(64, 1);
    const model::Gang gang = bench::hard_gang(snapshot, {.name = "all", .sizes = 48, .in_racks = true, .load = 60}, 1);
    const Answer answer = solve(snapshot, gang, {.steps = 20'000});
    CHECK(std::holds_alternative<Plan>(answer));
}

}  // namespace
}  // namespace echelon::solver
