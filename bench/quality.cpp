// How many gangs that could be placed are missed? Writes docs/placement-quality.md to standard output.
//
//     build/release/bench/quality [GANGS-PER-ROW] [SEED]
//
// Tries thousands of random feasible gangs per family. An exhaustive search judges small ones; large ones are placed
// before the cluster is filled. The table compares echelon with projects that place siblings one after another. The
// same arguments give the same document.

#include "solver/violations.hpp"
#include "unit-tests/solver/support/greedy.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace {

using namespace echelon::solver;           // NOLINT(google-build-using-namespace)
using namespace echelon::solver::testing;  // NOLINT(google-build-using-namespace)

constexpr std::int64_t bands = 7;  // Of load: 30-40 % ... 90-100 %.
constexpr std::uint64_t long_search = 10;

struct Missed {
    std::array<std::size_t, bands> in_band{};

    [[nodiscard]] std::size_t all() const {
        std::size_t sum = 0;
        for (const std::size_t missed : in_band)
            sum += missed;
        return sum;
    }
};

struct Row {
    std::array<std::size_t, bands> feasible{};
    Missed echelon;
    std::array<Missed, 4> greedy;  // KAI, Kueue; the same, largest first.
    bool can_ask_kueue = true;
    std::vector<std::uint64_t> steps;
    std::size_t refused = 0;
    std::size_t unproved = 0;
    std::size_t wrong = 0;  // Plans that the referee refuses, plans of infeasible gangs, proved refusals of others.

    [[nodiscard]] std::size_t gangs() const {
        std::size_t sum = 0;
        for (const std::size_t count : feasible)
            sum += count;
        return sum;
    }
};

// The quantile of the steps, in thousandths.
std::uint64_t steps_at(std::vector<std::uint64_t>& steps, std::size_t thousandth) {
    if (steps.empty())
        return 0;
    std::ranges::sort(steps);
    return steps[std::min(steps.size() - 1, steps.size() * thousandth / 1000)];
}

void judge(const Case& made, std::size_t band, Row& row) {
    const World world = world_of(made);
    const Answer answer = world.solve();
    const auto* plan = std::get_if<Plan>(&answer);
    if (plan != nullptr && !violations(world.snapshot, world.gang, *plan).empty())
        ++row.wrong;
    if (!Judge(made).is_feasible()) {
        ++row.refused;
        row.wrong += plan != nullptr ? 1U : 0U;
        row.unproved += plan == nullptr && !std::get<Refusal>(answer).is_proved() ? 1U : 0U;
        return;
    }
    ++row.feasible[band];
    row.echelon.in_band[band] += plan == nullptr ? 1U : 0U;
    row.steps.push_back(plan != nullptr ? plan->steps : std::get<Refusal>(answer).steps);
    std::size_t rule = 0;
    for (const bool largest_first : {false, true}) {
        for (const Rule which : {Rule::kai, Rule::kueue}) {
            Greedy greedy(made, which, largest_first);
            row.can_ask_kueue = row.can_ask_kueue && greedy.can_ask();
            row.greedy[rule++].in_band[band] += greedy.can_ask() && greedy.places() ? 0U : 1U;
        }
    }
}

Row run(const Family& family, std::size_t wanted, std::uint64_t seed) {
    Row row;
    CaseMaker maker(family, seed);
    for (std::size_t band = 0; band < bands; ++band) {
        const std::int64_t load = 30 + 10 * static_cast<std::int64_t>(band);
        const std::size_t share = wanted / bands + (band < wanted % bands ? 1U : 0U);
        for (std::size_t tries = 0; row.feasible[band] < share && tries < 400 * share; ++tries) {
            if (const auto made = maker.make(load, load + 10))
                judge(*made, band, row);
        }
    }
    return row;
}

std::string percent(std::size_t part, std::size_t whole) {
    if (part == 0 || whole == 0)
        return "0";
    return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

// All loads, and the highest one.
std::string cell(const Missed& missed, const Row& row) {
    if (missed.all() == 0)
        return "0";
    return fmt::format("{} ({})", percent(missed.all(), row.gangs()),
                       percent(missed.in_band[bands - 1], row.feasible[bands - 1]));
}

void print_families(std::size_t wanted, std::uint64_t seed) {
    fmt::print(
        "| family | gangs | echelon | KAI rule | Kueue rule | the same, largest group first (KAI / Kueue) |\n"
        "|---|---|---|---|---|---|\n");
    std::string budget;
    for (const Family& family : families()) {
        Row row = run(family, wanted, seed);
        const auto kueue = [&](std::size_t rule) {
            return row.can_ask_kueue ? cell(row.greedy[rule], row) : std::string("cannot be asked");
        };
        fmt::print("| {} | {} | **{}** | {} | {} | {} / {} |\n", family.name, row.gangs(), cell(row.echelon, row),
                   cell(row.greedy[0], row), kueue(1), cell(row.greedy[2], row), kueue(3));
        budget += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", family.name, steps_at(row.steps, 500),
                              steps_at(row.steps, 990), steps_at(row.steps, 1000), row.refused,
                              row.refused == 0 ? "-" : percent(row.refused - row.unproved, row.refused), row.wrong);
        std::fflush(stdout);
    }
    fmt::print(
        "\n## Budget and proofs\n\n"
        "Steps of the budget of {} that a feasible gang took; gangs of the same draw that don't fit, how many of "
        "their\nrefusals are proved, and plans that are wrong (refused by the referee, or of a gang that doesn't "
        "fit).\n\n"
        "| family | median | 99 % | most | don't fit | proved | wrong |\n|---|---|---|---|---|---|---|\n{}",
        SolveOptions{}.steps, budget);
}

struct LargeRow {
    Row rest;
    Missed hard;  // Missed by the long search, too.
};

void judge_large(const Case& made, std::size_t band, LargeRow& row) {
    const World world = world_of(made);
    const Answer answer = world.solve();
    const auto* plan = std::get_if<Plan>(&answer);
    ++row.rest.feasible[band];
    row.rest.steps.push_back(plan != nullptr ? plan->steps : std::get<Refusal>(answer).steps);
    row.rest.greedy[0].in_band[band] += Greedy(made, Rule::kai, false).places() ? 0U : 1U;
    if (plan != nullptr) {
        row.rest.wrong += violations(world.snapshot, world.gang, *plan).empty() ? 0U : 1U;
        return;
    }
    ++row.rest.echelon.in_band[band];
    row.rest.wrong += std::get<Refusal>(answer).is_proved() ? 1U : 0U;
    const Answer longer = world.solve({.steps = long_search * SolveOptions{}.steps});
    row.hard.in_band[band] += std::holds_alternative<Refusal>(longer) ? 1U : 0U;
}

LargeRow run_large(const Family& family, std::size_t wanted, std::uint64_t seed) {
    LargeRow row;
    CaseMaker maker(family, seed);
    for (std::size_t band = 0; band < bands; ++band) {
        const std::int64_t load = 30 + 10 * static_cast<std::int64_t>(band);
        const std::size_t share = wanted / bands + (band < wanted % bands ? 1U : 0U);
        for (std::size_t tries = 0; row.rest.feasible[band] < share && tries < 400 * share; ++tries) {
            if (const auto made = maker.make_fitting(8, load, load + 10))
                judge_large(*made, band, row);
        }
    }
    return row;
}

void print_large(std::size_t wanted, std::uint64_t seed) {
    const std::vector<Family> large = {
        {.name = "up to 16 groups, 4 blocks of 8 racks of 8 hosts, the whole gang in one block",
         .blocks = 4,
         .racks = 8,
         .hosts = 8,
         .groups = 16,
         .sizes = {1, 2, 4, 8},
         .in_one_block = true},
        {.name = "up to 32 groups, 4 blocks of 8 racks of 8 hosts, anywhere",
         .blocks = 4,
         .racks = 8,
         .hosts = 8,
         .groups = 32,
         .sizes = {1, 2, 4, 8}},
        {.name = "the same in 4 groups of up to 8 groups, which need no domain of their own",
         .blocks = 4,
         .racks = 8,
         .hosts = 8,
         .groups = 32,
         .sizes = {1, 2, 4, 8},
         .bundles = 4},
    };
    fmt::print(
        "\n## Beyond the exhaustive search\n\n"
        "Gangs that were placed first, on hosts that were full but for them, and room added at random until the load "
        "was the one\nwanted: they fit. *long search*: of what echelon misses, what the same solver with {} times the "
        "budget misses, too.\n*wrong*: plans that the referee refuses, and refusals that call themselves proved.\n\n"
        "| family | gangs | echelon | long search | KAI rule | steps: median, 99 %, most | wrong |\n"
        "|---|---|---|---|---|---|---|\n",
        long_search);
    for (const Family& family : large) {
        LargeRow row = run_large(family, wanted, seed);
        fmt::print("| {} | {} | **{}** | {} | {} | {}, {}, {} | {} |\n", family.name, row.rest.gangs(),
                   cell(row.rest.echelon, row.rest), cell(row.hard, row.rest), cell(row.rest.greedy[0], row.rest),
                   steps_at(row.rest.steps, 500), steps_at(row.rest.steps, 990), steps_at(row.rest.steps, 1000),
                   row.rest.wrong);
        std::fflush(stdout);
    }
}

}  // namespace

int main(int count, char** arguments) {
    const std::size_t wanted = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 4000;
    const std::uint64_t seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
    if (wanted < bands) {
        fmt::print(stderr, "quality: the number of gangs per row must be at least {}\n", bands);
        return 2;
    }
    fmt::print(
        "# Placement quality\n\n"
        "How many random gangs are missed although they fit. Written by `./dev quality {}` with seed {}; don't "
        "edit.\n\n"
        "## Missed, of those that fit\n\n"
        "Every group needs one rack; partly used hosts of 8 GPUs; load (need to what is free where the gang must fit) "
        "from 30 to\n100 % in equal shares. What fits is judged by an exhaustive search that shares nothing with the "
        "solver. In parentheses: at a\nload of 90 to 100 %.\n\n"
        "The rules restate what the projects do with siblings; they are not runs of their programs. *KAI*: groups one "
        "after another,\na domain judged by slots for the largest pod in it, the tightest first, pod by pod on the "
        "fullest host. *Kueue*: groups one after\nanother, the rack with the fewest slots, hosts with the most room "
        "first; it cannot ask for a common block. Neither returns to an\nearlier group.\n\n",
        wanted, seed);
    print_families(wanted, seed);
    print_large(wanted, seed);
    return 0;
}
