// The engine's own time for the whole life of one gang, from its first pod to its last binding, at growing sizes, and
// for its longest step while thousands of gangs wait.
//
// Every input is a step of its own, behind which the picture is published: the worst case, since the service takes
// together what has come together. The API server and kube-scheduler are played at no cost. The reference is the same
// at another size: what a member costs should not depend on its gang.

#include "engine/engine.hpp"

#include <algorithm>
#include <ctime>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace {

using namespace echelon;  // NOLINT(google-build-using-namespace)

constexpr int gpus = 8;  // Of each node.

double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

model::Node node_number(int number) {
    model::Node node;
    node.name = fmt::format("n{:05}", number);
    node.uid = node.name;
    node.labels = {{"rack", fmt::format("r{}", number / 64)}, {"kubernetes.io/hostname", node.name}};
    node.allocatable = {{"cpu", 64'000}, {"pods", 110}, {"gpu", gpus}};
    return node;
}

model::Group group_named(const std::string& name, int minimum) {
    model::Group group;
    group.key = {"podgroup", "default/" + name};
    group.minimum = minimum;
    group.uid = name;
    group.api_version = "scheduling.k8s.io/v1alpha3";
    group.api_kind = "PodGroup";
    return group;
}

model::Pod pod_of(const model::Group& group, int number, int gpus_each) {
    model::Pod pod;
    pod.uid = fmt::format("uid-{}-{}", group.uid, number);
    pod.ns = "default";
    pod.name = fmt::format("{}-{}", group.uid, number);
    pod.scheduler_name = "default-scheduler";
    pod.shape.requests = {{"cpu", 1000}, {"pods", 1}, {"gpu", gpus_each}};
    pod.gates = {model::gang_gate};
    pod.membership = model::Membership{group.key, {}, number, ""};
    return pod;
}

// Of no gang. It fills its node.
model::Pod running_pod(int number) {
    auto pod = pod_of(group_named("runs", 1), number, gpus);
    pod.membership.reset();
    pod.gates.clear();
    pod.node = node_number(number).name;
    return pod;
}

// `step_work`: as of the service (BD4); 0: all that is due is planned in one step.
struct World {
    explicit World(int nodes, std::uint64_t step_work = 0) : engine(options(step_work)) {
        model::Topology topology;
        topology.name = "fabric";
        topology.source = model::TopologySource::configuration;
        topology.levels = {"rack", "kubernetes.io/hostname"};
        see(model::TopologySeen{topology});
        for (int number = 0; number < nodes; ++number)
            take(engine::Observed{model::NodeSeen{node_number(number)}});
    }

    static engine::Options options(std::uint64_t step_work) {
        engine::Options options;
        options.profiles["default-scheduler"] = {};
        options.wait_for = {"all"};
        options.step_work = step_work;
        return options;
    }

    void see(model::Event event) { take(engine::Observed{std::move(event)}); }
    void take(const engine::Input& input) {
        const auto begin = measures_steps ? processor_seconds() : 0;
        auto actions = engine.step(input, now);
        benchmark::DoNotOptimize(engine.picture());
        if (measures_steps)
            longest = std::max(longest, processor_seconds() - begin);
        for (auto& action : actions)
            todo.push_back(std::move(action));
    }
    void pass(engine::Time time) {
        const auto end = now + time;
        settle();
        for (auto wake = engine.wakes_at(); wake && *wake <= end; wake = engine.wakes_at()) {
            now = std::max(now, *wake);
            take(engine::Ticked{});
            settle();
        }
        now = end;
    }
    void settle() {
        while (!todo.empty()) {
            const auto action = std::move(todo.front());
            todo.pop_front();
            const auto* write = std::get_if<engine::StartWrite>(&action);
            if (write == nullptr)
                continue;
            model::Outcome outcome;
            if (const auto* read = std::get_if<model::ReadGroup>(&write->what))
                outcome.uid = read->name;
            if (const auto* bind = std::get_if<model::BindPod>(&write->what))
                change(bind->pod.uid, [&](model::Pod& pod) { pod.node = bind->node; });
            if (const auto* nominate = std::get_if<model::NominatePod>(&write->what))
                change(nominate->pod.uid, [&](model::Pod& pod) { pod.nominated_node = nominate->node; });
            if (const auto* ungate = std::get_if<model::UngatePod>(&write->what))
                change(ungate->pod.uid, [&](model::Pod& pod) { pod.gates = ungate->remaining; });
            take(engine::Written{write->write, outcome});
        }
    }
    template <typename Change>
    void change(const std::string& uid, const Change& how) {
        auto& pod = pods.at(uid);
        how(pod);
        see(model::PodSeen{pod});
    }
    void come(const model::Pod& pod) {
        pods[pod.uid] = pod;
        see(model::PodSeen{pod});
    }

    engine::Engine engine;
    engine::Time now{1000};
    std::deque<engine::Action> todo;
    std::map<std::string, model::Pod> pods;
    bool measures_steps = false;  // To ask the time for each costs as much as a small one.
    double longest = 0;           // In seconds of the processor.
};

// All members at the barrier, then bound. Returns the seconds of the step that plans them.
double live(World& world, int members, int gpus_each) {
    const auto group = group_named("train", members);
    world.see(model::GroupSeen{group});
    for (int number = 0; number < members; ++number)
        world.come(pod_of(group, number, gpus_each));
    world.measures_steps = true;
    while (world.engine.picture()->stats.held_seats == 0 && world.engine.wakes_at()) {
        world.now = std::max(world.now, *world.engine.wakes_at());
        world.take(engine::Ticked{});
    }
    world.measures_steps = false;
    world.pass(engine::Time{2000});
    std::uint64_t call = 0;
    for (const auto& [uid, pod] : world.pods) {
        world.take(engine::Filtered{uid, engine::Filtered::Answer::pinned, 1, pod.nominated_node});
        world.take(engine::BindCalled{++call, {pod.ns, pod.name, uid}, pod.nominated_node});
    }
    world.pass(engine::Time{2000});
    return world.longest;
}

// Of `range(0)` members on `range(1)` nodes.
void one_gang(benchmark::State& state) {
    const auto members = static_cast<int>(state.range(0));
    const auto nodes = static_cast<int>(state.range(1));
    double planning = 0;
    double total = 0;
    for (auto _ : state) {
        World world(nodes);
        world.see(model::Synced{"all"});
        const auto begin = processor_seconds();
        planning += live(world, members, members > nodes ? gpus * nodes / members : gpus);
        const auto took = processor_seconds() - begin;
        state.SetIterationTime(took);
        total += took;
        if (world.engine.picture()->stats.members_bound != static_cast<std::uint64_t>(members))
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

// `range(0)` gangs that no room is left for, on `range(1)` nodes: which step is the longest while a pod goes every
// 100 ms and another one comes?
void pending_gangs(benchmark::State& state) {
    constexpr std::uint64_t step_work = 25'000;  // As of the service.
    const auto nodes = static_cast<int>(state.range(1));
    double longest = 0;
    double total = 0;
    std::size_t steps = 0;
    for (auto _ : state) {
        World world(nodes, step_work);
        for (int number = 0; number < nodes; ++number)
            world.come(running_pod(number));
        for (int number = 0; number < state.range(0); ++number) {
            const auto group = group_named(fmt::format("waits-{}", number), 2);
            world.see(model::GroupSeen{group});
            for (int member = 0; member < 2; ++member)
                world.come(pod_of(group, member, gpus));
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
