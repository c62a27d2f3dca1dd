// What does a recording cost the engine's thread (`add`), the writer, and replay? Compared with the engine's own time
// for the same input.

#include "app/recorder.hpp"
#include "engine/engine.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace {

using namespace echelon;

constexpr int nodes = 1000;
constexpr int known_pods = 10'000;

engine::Options options() {
    engine::Options options;
    options.profiles["default-scheduler"] = {};
    return options;
}

model::Node node(int number) {
    model::Node node;
    node.name = fmt::format("node-{:05}", number);
    node.uid = fmt::format("00000000-0000-4000-8000-{:012}", number);
    for (int label = 0; label < 25; ++label)
        node.labels[fmt::format("example.com/label-{}", label)] = fmt::format("value-{}", number % (label + 1));
    node.allocatable = {{"cpu", 64'000}, {"memory", INT64_C(549'755'813'888)}, {"nvidia.com/gpu", 8}, {"pods", 110}};
    return node;
}

// A pod of no gang; each `turn` changes it, so that the engine sees an event.
engine::Input pod(int number, int turn) {
    model::PodSeen seen;
    seen.pod.name = fmt::format("service-{:05}-7f9c6d5b8-x2x4z", number);
    seen.pod.uid = fmt::format("10000000-0000-4000-8000-{:012}", number);
    seen.pod.ns = "default";
    seen.pod.scheduler_name = "default-scheduler";
    seen.pod.node = fmt::format("node-{:05}", number % nodes);
    seen.pod.phase = turn % 2 == 0 ? model::PodPhase::running : model::PodPhase::pending;
    seen.pod.priority = turn;
    seen.pod.pod_class.requests = {{"cpu", 500}, {"memory", 1'073'741'824}, {"pods", 1}};
    seen.labels = {{"app", "service"}, {"pod-template-hash", "7f9c6d5b8"}};
    return engine::Observed{std::move(seen)};
}

void engine_alone(benchmark::State& state) {
    engine::Engine engine(options());
    engine::Time now{0};
    for (int n = 0; n < nodes; ++n)
        static_cast<void>(engine.step(engine::Observed{model::NodeSeen{node(n)}}, now));
    for (int p = 0; p < known_pods; ++p)
        static_cast<void>(engine.step(pod(p, 0), now));
    int turn = 0;
    for (auto _ : state) {
        state.PauseTiming();
        ++turn;
        const auto input = pod(turn % known_pods, turn);
        state.ResumeTiming();
        benchmark::DoNotOptimize(engine.step(input, ++now));
        benchmark::DoNotOptimize(engine.published());
    }
}
BENCHMARK(engine_alone)->Name("the engine takes a changed pod (reference)");

void hand_over(benchmark::State& state) {
    std::string folder = (std::filesystem::temp_directory_path() / "echelon-bench-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr)
        return state.SkipWithError("no folder");
    {
        auto recorder = app::Recorder::start({.directory = folder, .most_bytes = 1'000'000'000'000}, options(), {}, {});
        int turn = 0;
        for (auto _ : state) {
            state.PauseTiming();
            ++turn;
            std::vector<engine::Input> inputs;
            inputs.push_back(pod(turn % known_pods, turn));
            state.ResumeTiming();
            (*recorder)->add(engine::Time{turn}, std::move(inputs), {});
        }
        state.counters["bytes"] = static_cast<double>((*recorder)->bytes()) / static_cast<double>(turn);
    }
    std::filesystem::remove_all(folder);
}
BENCHMARK(hand_over)->Name("it is handed over to the writer")->Iterations(50'000);

void write_line(benchmark::State& state) {
    const replay::RecordedBatch batch{engine::Time{123'456'789}, {pod(1, 1)}, {}};
    std::size_t bytes = 0;
    for (auto _ : state)
        bytes += replay::to_line(batch).size();
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(write_line)->Name("it becomes a line");

void read_line(benchmark::State& state) {
    const auto line = replay::to_line(replay::RecordedBatch{engine::Time{123'456'789}, {pod(1, 1)}, {}});
    for (auto _ : state)
        benchmark::DoNotOptimize(replay::read_line(line));
    state.SetBytesProcessed(static_cast<std::int64_t>(line.size()) * static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(read_line)->Name("the line is read back");

void write_node(benchmark::State& state) {
    const replay::RecordedBatch batch{engine::Time{123'456'789}, {engine::Observed{model::NodeSeen{node(1)}}}, {}};
    std::size_t bytes = 0;
    for (auto _ : state)
        bytes += replay::to_line(batch).size();
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(write_node)->Name("a node with 25 labels becomes a line");

}  // namespace
