// How long does a decision take? The goals of the solver's contract, each beside a plain scan over the same arrays.
//
// Argument of every benchmark: the number of nodes.

#include "unit-tests/solver/support/solver_cases.hpp"

#include <cstdint>
#include <variant>

#include <benchmark/benchmark.h>

namespace {

using namespace echelon;         // NOLINT(google-build-using-namespace)
using namespace echelon::bench;  // NOLINT(google-build-using-namespace)

// A gang with more pods than a rack holds that prefers one rack: the plan uses as few racks as possible.
model::Gang preferring_racks(model::Snapshot& s, std::int64_t pods) {
    model::Gang gang = identical(s, pods, block);
    gang.groups.front().preferred = {rack};
    return gang;
}

// Eight groups that each prefer one rack, and together prefer one block.
model::Gang preferring_groups(model::Snapshot& s) {
    const model::PodClassId pod_classes[] = {add_pod_class(s, {8'000, 64, 1}), add_pod_class(s, {16'000, 128, 2})};
    model::Gang gang;
    const std::uint32_t root = add_group(gang, model::nowhere, {});
    gang.groups[root].preferred = {block};
    for (int g = 0; g < 8; ++g) {
        const std::uint32_t leaf = add_group(gang, root, {});
        gang.groups[leaf].preferred = {rack};
        add_members(gang, leaf, pod_classes[g % 2], 24);
    }
    return gang;
}

void expect(benchmark::State& state, const solver::Answer& answer, bool is_placed) {
    if (std::holds_alternative<solver::Plan>(answer) != is_placed) {
        state.SkipWithError("the answer is not what is measured");
    }
    const bool is_proved = is_placed || std::get<solver::Refusal>(answer).is_proved();
    if (!is_proved) {
        state.SkipWithError("the refusal is not proved");
    }
    const std::uint64_t steps =
        is_placed ? std::get<solver::Plan>(answer).steps : std::get<solver::Refusal>(answer).steps;
    state.counters["steps"] = static_cast<double>(steps);
}

void measure(benchmark::State& state, const model::Snapshot& snapshot, const model::Gang& gang, bool is_placed) {
    solver::Answer answer;
    for (auto _ : state) {
        answer = solver::solve(snapshot, gang);
        benchmark::DoNotOptimize(answer);
    }
    expect(state, answer, is_placed);
}

// The reference: makes no plan.
void plain_scan(benchmark::State& state) {
    const model::Snapshot s = cluster(static_cast<std::uint32_t>(state.range(0)), false);
    for (auto _ : state) {
        std::int64_t best = scan(s);
        benchmark::DoNotOptimize(best);
    }
}

void identical_32_in_one_rack(benchmark::State& state) {
    model::Snapshot s = cluster(static_cast<std::uint32_t>(state.range(0)), false);
    const model::Gang gang = identical(s, 32, rack);
    measure(state, s, gang, true);
}

void identical_512_in_one_block(benchmark::State& state) {
    model::Snapshot s = cluster(static_cast<std::uint32_t>(state.range(0)), false);
    const model::Gang gang = identical(s, 512, block);
    measure(state, s, gang, true);
}

void six_groups_1000_pods(benchmark::State& state) {
    model::Snapshot s = cluster(static_cast<std::uint32_t>(state.range(0)), false);
    const model::Gang gang = gang_of_gangs(s);
    measure(state, s, gang, true);
}

void mixed_64_in_8_groups(benchmark::State& state) {
    model::Snapshot s = cluster(static_cast<std::uint32_t>(state.range(0)), false);
    const model::Gang gang = mixed(s);
    measure(state, s, gang, true);
}

void preferring_a_rack_32(benchmark::State& state) {
    model::Snapshot s = cluster(static_cast<std::uint32_t>(state.range(0)), false);
    const model::Gang gang = preferring_racks(s, 32);
    measure(state, s, gang, true);
}

void preferring_racks_256(benchmark::State& state) {
    model::Snapshot s = cluster(static_cast<std::uint32_t>(state.range(0)), false);
    const model::Gang gang = preferring_racks(s, 256);
    measure(state, s, gang, true);
}

void preferring_8_groups(benchmark::State& state) {
    model::Snapshot s = cluster(static_cast<std::uint32_t>(state.range(0)), false);
    const model::Gang gang = preferring_groups(s);
    measure(state, s, gang, true);
}

void refused_identical(benchmark::State& state) {
    model::Snapshot s = cluster(static_cast<std::uint32_t>(state.range(0)), true);
    const model::Gang gang = identical(s, 32, rack);
    measure(state, s, gang, false);
}

void refused_gang_of_gangs(benchmark::State& state) {
    model::Snapshot s = cluster(static_cast<std::uint32_t>(state.range(0)), true);
    const model::Gang gang = gang_of_gangs(s);
    measure(state, s, gang, false);
}

void refused_mixed(benchmark::State& state) {
    model::Snapshot s = cluster(static_cast<std::uint32_t>(state.range(0)), true);
    const model::Gang gang = mixed(s);
    measure(state, s, gang, false);
}

BENCHMARK(plain_scan)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(identical_32_in_one_rack)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(identical_512_in_one_block)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(six_groups_1000_pods)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(mixed_64_in_8_groups)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(preferring_a_rack_32)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(preferring_racks_256)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(preferring_8_groups)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(refused_identical)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(refused_gang_of_gangs)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(refused_mixed)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

}  // namespace
