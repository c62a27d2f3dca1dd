// The engine's own time for the whole life of one gang, from its first pod to its last binding, at growing sizes.
//
// Every input is a step of its own: the worst case, since the service takes together what has come together. The API
// server and kube-scheduler are played at no cost. The reference is the same at a quarter of the size: growth per
// member should stay near 1.

#include "engine/engine.hpp"

#include <deque>
#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace {

using namespace echelon;  // NOLINT(google-build-using-namespace)

struct World {
    explicit World(int count) : size(count), engine(options()) {
        model::Topology topology;
        topology.name = "fabric";
        topology.source = model::TopologySource::configuration;
        topology.levels = {"rack", "kubernetes.io/hostname"};
        see(model::TopologySeen{topology});
        for (int n = 0; n < size; ++n) {
            model::Node node;
            node.name = fmt::format("n{:05}", n);
            node.uid = node.name;
            node.labels = {{"rack", fmt::format("r{}", n / 64)}, {"kubernetes.io/hostname", node.name}};
            node.allocatable = {{"cpu", 64'000}, {"pods", 110}, {"gpu", 8}};
            see(model::NodeSeen{node});
        }
        see(model::Synced{"all"});
    }

    static engine::Options options() {
        engine::Options options;
        options.profiles["default-scheduler"] = {};
        options.wait_for = {"all"};
        return options;
    }

    void see(model::Event event) { take(engine::Observed{std::move(event)}); }
    void take(const engine::Input& input) {
        for (auto& action : engine.step(input, now))
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
            outcome.uid = "group";
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

    void live() {
        model::Group group;
        group.key = {"podgroup", "default/train"};
        group.minimum = size;
        group.uid = "group";
        group.api_version = "scheduling.k8s.io/v1alpha3";
        group.api_kind = "PodGroup";
        see(model::GroupSeen{group});
        for (int i = 0; i < size; ++i) {
            model::Pod pod;
            pod.uid = fmt::format("uid-{}", i);
            pod.ns = "default";
            pod.name = fmt::format("train-{}", i);
            pod.scheduler_name = "default-scheduler";
            pod.shape.requests = {{"cpu", 1000}, {"pods", 1}, {"gpu", 8}};
            pod.gates = {model::gang_gate};
            pod.membership = model::Membership{group.key, {}, i, ""};
            pods[pod.uid] = pod;
            see(model::PodSeen{pod});
        }
        pass(engine::Time{2000});
        std::uint64_t call = 0;
        for (const auto& [uid, pod] : pods) {
            take(engine::Filtered{uid, engine::Filtered::Answer::pinned, 1, pod.nominated_node});
            take(engine::BindCalled{++call, {pod.ns, pod.name, uid}, pod.nominated_node});
        }
        pass(engine::Time{2000});
    }

    int size;
    engine::Engine engine;
    engine::Time now{1000};
    std::deque<engine::Action> todo;
    std::map<std::string, model::Pod> pods;
};

void one_gang(benchmark::State& state) {
    for (auto _ : state) {
        state.PauseTiming();
        World world(static_cast<int>(state.range(0)));
        state.ResumeTiming();
        world.live();
        if (world.engine.picture()->stats.members_bound != static_cast<std::uint64_t>(state.range(0)))
            state.SkipWithError("not every member was bound");
    }
    state.counters["us/member"] =
        benchmark::Counter(static_cast<double>(state.range(0)) * 1e-6,
                           benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK(one_gang)->Arg(64)->Arg(256)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);

}  // namespace
