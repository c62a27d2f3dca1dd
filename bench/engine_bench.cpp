// The engine's own time for the whole life of one gang at growing sizes, and for its longest step while thousands of
// gangs wait.
//
// The reference is another size of the gang: the cost of a member should not depend on the size of the gang.

#include "bench/gang_life.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace {

using namespace echelon;         // NOLINT(google-build-using-namespace)
using namespace echelon::bench;  // NOLINT(google-build-using-namespace)

// A gang of `range(0)` members on `range(1)` nodes.
void one_gang(benchmark::State& state) {
    const auto members = static_cast<int>(state.range(0));
    const auto nodes = static_cast<int>(state.range(1));
    double planning = 0;
    double total = 0;
    for (auto _ : state) {
        GangWorld world(nodes);
        world.see(model::Synced{"all"});
        const auto begin = processor_seconds();
        planning += live(world, members, members > nodes ? gpus_of_host * nodes / members : gpus_of_host);
        const auto took = processor_seconds() - begin;
        state.SetIterationTime(took);
        total += took;
        if (world.engine.published()->stats.members_bound != static_cast<std::uint64_t>(members))
            state.SkipWithError("not every member was bound");
    }
    const auto lives = static_cast<double>(state.iterations());
    state.counters["us/member"] = total * 1e6 / lives / members;
    state.counters["planned_ms"] = planning * 1e3 / lives;
}

BENCHMARK(one_gang)
    ->Args({64, 64})
    ->Args({256, 256})
    ->Args({1'000, 1'000})
    ->Args({4'096, 4'096})
    ->Args({10'000, 5'000})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// The longest step with `range(0)` gangs without room on `range(1)` nodes. Every 100 ms one pod goes and another one
// comes.
void pending_gangs(benchmark::State& state) {
    constexpr std::uint64_t step_work = 25'000;  // As in the service.
    const auto nodes = static_cast<int>(state.range(1));
    double longest = 0;
    double total = 0;
    std::size_t steps = 0;
    for (auto _ : state) {
        GangWorld world(nodes, step_work);
        for (int number = 0; number < nodes; ++number)
            world.come(running_pod(number));
        for (int number = 0; number < state.range(0); ++number) {
            const auto group = group_named(fmt::format("waits-{}", number), 2);
            world.see(model::GroupSeen{group});
            for (int member = 0; member < 2; ++member)
                world.come(pod_of(group, member, gpus_of_host));
        }
        world.see(model::Synced{"all"});
        world.pass(engine::Time{20'000});
        world.measures_steps = true;
        const auto begin = processor_seconds();
        for (int number = 0; number < 50; ++number) {
            auto pod = running_pod(number);
            world.see(model::PodGone{pod.uid});
            world.pass(engine::Time{100});
            pod.uid += "-again";
            world.come(pod);
            world.pass(engine::Time{100});
            ++steps;
        }
        longest = std::max(longest, world.longest);
        const auto took = processor_seconds() - begin;
        total += took;
        state.SetIterationTime(took);
    }
    state.counters["longest_ms"] = longest * 1e3;
    state.counters["ms/pod"] = total * 1e3 / static_cast<double>(steps);
}

BENCHMARK(pending_gangs)
    ->Args({100, 5'000})
    ->Args({10'000, 5'000})
    ->Args({10'000, 100'000})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
