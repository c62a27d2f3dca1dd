// The engine's own time for the whole life of one gang at growing sizes, and for its longest step while thousands of
// gangs wait.
//
// The reference is another size of the gang: the cost of a member should not depend on the size of the gang. The floors
// are what the model and the texts of a plan cost alone.

#include "bench/gang_life.hpp"
#include "engine/gang/seat_state.hpp"
#include "engine/publish/outbox.hpp"
#include "engine/publish/verdicts.hpp"
#include "engine/reserve/ledger.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace {

// The service has several threads, so each count of a shared value is an atomic one. Without this the C++ library would
// count as in a process of one thread.
const bool has_had_threads = (std::thread([] {}).join(), true);

using namespace echelon;         // NOLINT(google-build-using-namespace)
using namespace echelon::bench;  // NOLINT(google-build-using-namespace)

// What happens to the engine in the whole life of one gang.
std::vector<Recorded> life_of(int members, int nodes) {
    std::vector<Recorded> inputs;
    GangWorld world(nodes, engine::service_step_work);
    world.see(model::Synced{"all"});
    world.record = &inputs;
    static_cast<void>(live(world, members, members > nodes ? gpus_of_host * nodes / members : gpus_of_host));
    return inputs;
}

// A gang of `range(0)` members on `range(1)` nodes.
void one_gang(benchmark::State& state) {
    const auto members = static_cast<int>(state.range(0));
    const auto nodes = static_cast<int>(state.range(1));
    const auto inputs = life_of(members, nodes);
    double planning = 0;
    double total = 0;
    for (auto _ : state) {
        GangWorld world(nodes, engine::service_step_work);
        world.see(model::Synced{"all"});
        const auto begin = processor_seconds();
        planning += repeat(world, inputs);
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

// A whole decision: the step that plans a gang of `range(0)` on `range(1)` nodes, up to 64 in a rack and more anywhere.
// The gang is built, placed, checked and recorded, and goes before the next one comes. Another gang of equal pods holds
// a seat throughout. `first_us` is the first decision of all.
void decision(benchmark::State& state) {
    const auto members = static_cast<int>(state.range(0));
    GangWorld world(static_cast<int>(state.range(1)), engine::service_step_work);
    world.measures_steps = true;
    const auto plan = [&world](const model::Group& group, int pods) {
        world.see(model::GroupSeen{group});
        for (int number = 0; number < pods; ++number)
            world.see(model::PodSeen{pod_of(group, number, gpus_of_host)});
        const auto held = world.engine.published()->stats.held_seats;
        world.longest = 0;
        while (world.engine.published()->stats.held_seats == held) {
            world.now = std::max(world.now, world.engine.wakes_at().value());
            world.take(engine::Ticked{});
        }
        world.todo.clear();  // Nothing is written, so the gang stays held.
        return world.longest;
    };
    world.see(model::Synced{"all"});
    const double first = plan(group_named("stays", 1), 1);
    int number = 0;
    for (auto _ : state) {
        auto group = group_named(fmt::format("train-{}", ++number), members);
        if (members <= 64)
            group.required = {"rack"};
        state.SetIterationTime(plan(group, members));
        for (int member = 0; member < members; ++member)
            world.see(model::PodGone{pod_of(group, member, gpus_of_host).uid.str()});
        world.see(model::GroupGone{group.key, group.uid});
        world.todo.clear();
        world.now += engine::Time{1000};
    }
    state.counters["first_us"] = first * 1e6;
}

BENCHMARK(decision)
    ->ArgsProduct({{32, 512}, {5'000, 100'000}})
    ->Iterations(40)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

// The same life if other programs have used the caches between any two inputs, as on a busy machine. `us/member` is of
// the engine's steps alone.
void one_gang_among_others(benchmark::State& state) {
    const auto members = static_cast<int>(state.range(0));
    constexpr std::size_t cache_line = 64;
    std::vector<char> others(std::size_t{64} << 20);
    double in_steps = 0;
    for (auto _ : state) {
        GangWorld world(members, engine::service_step_work);
        world.see(model::Synced{"all"});
        world.before_step = [&others] {
            for (std::size_t at = 0; at < others.size(); at += cache_line)
                ++others[at];
            benchmark::DoNotOptimize(others.data());
        };
        static_cast<void>(live(world, members, gpus_of_host));
        in_steps += world.in_steps;
    }
    state.counters["us/member"] = in_steps * 1e6 / static_cast<double>(state.iterations()) / members;
}

BENCHMARK(one_gang_among_others)->Arg(64)->Iterations(3)->Unit(benchmark::kMillisecond);

// What no engine with this model can do without: four events of each member go into the model, and nothing else
// happens. The bare cost of a life (`one_gang`).
void events_alone(benchmark::State& state) {
    const auto members = static_cast<int>(state.range(0));
    const auto nodes = static_cast<int>(state.range(1));
    const auto group = group_named("train", members);
    const auto gpus = members > nodes ? gpus_of_host * nodes / members : gpus_of_host;
    std::vector<model::Event> events;
    for (int step = 0; step < 4; ++step) {
        for (int number = 0; number < members; ++number) {
            auto pod = pod_of(group, number, gpus);
            const auto node = host_number(number % nodes).name;
            pod.nominated_node = step > 0 ? node : "";
            if (step > 1)
                pod.gates.clear();
            pod.node = step > 2 ? node : "";
            events.emplace_back(model::PodSeen{pod});
        }
    }
    model::Profiles profiles;
    profiles["default-scheduler"] = {};
    double total = 0;
    for (auto _ : state) {
        model::Cluster cluster(profiles);
        for (int number = 0; number < nodes; ++number)
            static_cast<void>(cluster.apply(model::NodeSeen{host_number(number)}));
        static_cast<void>(cluster.apply(model::GroupSeen{group}));
        const auto begin = processor_seconds();
        for (const auto& event : events)
            static_cast<void>(cluster.apply(event));
        const auto took = processor_seconds() - begin;
        total += took;
        state.SetIterationTime(took);
    }
    state.counters["us/member"] = total * 1e6 / static_cast<double>(state.iterations()) / members;
}

BENCHMARK(events_alone)
    ->Args({64, 64})
    ->Args({1'000, 1'000})
    ->Args({10'000, 5'000})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// What a plan leaves behind for each of `range(0)` members: a seat, a hold, a verdict, a nomination and a line of the
// record. Here the texts are only copied, one member after the other; nothing is looked up, ordered or decided.
void texts_alone(benchmark::State& state) {
    const auto members = static_cast<int>(state.range(0));
    const auto group = group_named("train", members);
    std::vector<std::unique_ptr<model::Pod>> pods;
    std::vector<std::string> nodes;
    for (int number = 0; number < members; ++number) {
        pods.push_back(std::make_unique<model::Pod>(pod_of(group, number, gpus_of_host)));
        nodes.push_back(host_number(number).name);
    }
    for (auto _ : state) {
        std::map<std::string, engine::SeatState> seats;
        std::unordered_map<std::string, engine::Hold> holds;
        std::unordered_map<std::string, engine::Verdict> verdicts;
        std::vector<engine::Action> actions;
        std::vector<engine::WriteTarget> targets;
        std::vector<model::RecordedSeat> record;
        const auto begin = processor_seconds();
        for (std::size_t at = 0; at < pods.size(); ++at) {
            const auto& pod = *pods[at];
            engine::SeatState seat;
            seat.pod = {pod.ns, pod.name, pod.uid};
            seat.node = nodes[at];
            actions.emplace_back(engine::StartWrite{at, model::NominatePod{seat.pod, seat.node}});
            targets.push_back({engine::WriteTarget::Purpose::nominate, group.key, pod.uid});
            holds.emplace(pod.uid, engine::Hold{nodes[at], pod.pod_class.requests, group.key});
            verdicts.emplace(pod.uid, engine::Verdict{engine::Verdict::Kind::pinned, 0, nodes[at], "", group.key.name});
            record.push_back({pod.full_name(), pod.uid, nodes[at]});
            seats.try_emplace(seats.end(), pod.uid, std::move(seat));
        }
        state.SetIterationTime(processor_seconds() - begin);
        benchmark::DoNotOptimize(seats);
    }
}

BENCHMARK(texts_alone)->Arg(1'000)->Arg(10'000)->UseManualTime()->Unit(benchmark::kMillisecond);

// The longest step with `range(0)` gangs without room on `range(1)` nodes. Every 100 ms one pod goes and another one
// comes.
void pending_gangs(benchmark::State& state) {
    const auto nodes = static_cast<int>(state.range(1));
    double longest = 0;
    double total = 0;
    std::size_t steps = 0;
    for (auto _ : state) {
        GangWorld world(nodes, engine::service_step_work);
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
            pod.uid = pod.uid + "-again";
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
