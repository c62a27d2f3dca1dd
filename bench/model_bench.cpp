// How long does it take to apply an event? The argument of every benchmark is the number of nodes, with three pods
// each.

#include "bench/model_cases.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <malloc.h>

namespace {

using namespace echelon;         // NOLINT(google-build-using-namespace)
using namespace echelon::bench;  // NOLINT(google-build-using-namespace)

constexpr std::uint32_t events = 4'096;

std::uint32_t nodes_of(const benchmark::State& state) {
    return static_cast<std::uint32_t>(state.range(0));
}

// Applies one event of the row each time; they are made beforehand.
void apply_each(benchmark::State& state, model::Cluster& cluster, const std::vector<model::Event>& row) {
    std::size_t at = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(cluster.apply(row[at]));
        at = at + 1 == row.size() ? 0 : at + 1;
    }
}

// A pod comes and goes: half of the time is that of a new pod, half that of a deleted one.
void pod_comes_and_goes(benchmark::State& state) {
    const std::uint32_t nodes = nodes_of(state);
    model::Cluster cluster = cluster_of(nodes, 3 * nodes);
    std::vector<model::Event> row;
    for (std::uint32_t number = 0; number < events; ++number)
        row.emplace_back(model::PodSeen{pod_number(3 * nodes + number, nodes)});
    for (std::uint32_t number = 0; number < events; ++number)
        row.emplace_back(model::PodGone{pod_number(3 * nodes + number, nodes).uid.str()});
    apply_each(state, cluster, row);
}

void pod_repeated(benchmark::State& state) {
    const std::uint32_t nodes = nodes_of(state);
    model::Cluster cluster = cluster_of(nodes, 3 * nodes);
    std::vector<model::Event> row;
    for (std::uint32_t number = 0; number < events; ++number)
        row.emplace_back(model::PodSeen{pod_number(number * 7 % (3 * nodes), nodes)});
    apply_each(state, cluster, row);
}

void node_repeated(benchmark::State& state) {
    const std::uint32_t nodes = nodes_of(state);
    model::Cluster cluster = cluster_of(nodes, 3 * nodes);
    std::vector<model::Event> row;
    for (std::uint32_t number = 0; number < events; ++number)
        row.emplace_back(model::NodeSeen{node_number(number * 7 % nodes)});
    apply_each(state, cluster, row);
}

// Alternates between two states, so that every event changes a node.
void change_each(benchmark::State& state, void (*change)(model::Node&)) {
    const std::uint32_t nodes = nodes_of(state);
    model::Cluster cluster = cluster_of(nodes, 3 * nodes);
    std::vector<model::Event> row;
    for (const bool is_changed : {true, false}) {
        for (std::uint32_t number = 0; number < std::min(events, nodes); ++number) {
            model::Node node = node_number(number * 7 % nodes);
            if (is_changed)
                change(node);
            row.emplace_back(model::NodeSeen{std::move(node)});
        }
    }
    apply_each(state, cluster, row);
}

void node_cordoned(benchmark::State& state) {
    change_each(state, [](model::Node& node) { node.unschedulable = true; });
}

void node_resized(benchmark::State& state) {
    change_each(state, [](model::Node& node) { node.allocatable.set("nvidia.com/gpu", 7); });
}

// A label that no level reads.
void node_relabelled(benchmark::State& state) {
    change_each(state, [](model::Node& node) { node.labels["feature.node.kubernetes.io/cpu-cpuid.F10"] = "false"; });
}

void snapshot_taken(benchmark::State& state) {
    const model::Cluster cluster = cluster_of(nodes_of(state), 3 * nodes_of(state));
    for (auto _ : state)
        benchmark::DoNotOptimize(cluster.snapshot());
}

// A pod comes or goes, and the snapshot is updated.
void snapshot_renewed(benchmark::State& state) {
    model::Cluster cluster = cluster_of(nodes_of(state), 3 * nodes_of(state));
    model::Snapshot copy;
    static_cast<void>(cluster.renew(copy));
    const model::Pod pod = pod_number(3 * nodes_of(state), nodes_of(state));
    bool is_there = false;
    for (auto _ : state) {
        is_there = !is_there;
        benchmark::DoNotOptimize(is_there ? cluster.apply(model::PodSeen{pod})
                                          : cluster.apply(model::PodGone{pod.uid}));
        benchmark::DoNotOptimize(cluster.renew(copy));
    }
}

// The same with all nodes renumbered.
void node_goes_and_comes(benchmark::State& state) {
    model::Cluster cluster = cluster_of(nodes_of(state), 3 * nodes_of(state));
    const model::Node node = node_number(7);
    bool is_there = true;
    for (auto _ : state) {
        is_there = !is_there;
        benchmark::DoNotOptimize(is_there ? cluster.apply(model::NodeSeen{node})
                                          : cluster.apply(model::NodeGone{node.name}));
        benchmark::DoNotOptimize(cluster.resolve());
    }
}

// The floor of that: in each array of a snapshot the row of one node goes, and comes again. Nothing is looked up or
// renumbered. Two events, so twice what one of `node_goes_and_comes` can't do without.
void rows_move_alone(benchmark::State& state) {
    model::Snapshot all = cluster_of(nodes_of(state), 0).snapshot();
    const auto move = [](auto& rows) {
        auto row = std::move(rows[7]);
        rows.erase(rows.begin() + 7);
        rows.insert(rows.begin() + 7, std::move(row));
    };
    for (auto _ : state) {
        move(all.node_names);
        move(all.usable);
        for (auto* rows : {&all.room, &all.capacity})
            std::ranges::for_each(*rows, move);
        std::ranges::for_each(all.eligible, move);
        for (auto& tree : all.trees) {
            move(tree.order);
            move(tree.domains.back());
            std::ranges::for_each(tree.domain_of, move);
        }
        benchmark::ClobberMemory();
    }
}

// Several nodes go together, or come, and planning's copy is updated.
void nodes_go_and_come(benchmark::State& state) {
    model::Cluster cluster = cluster_of(nodes_of(state), 3 * nodes_of(state));
    model::Snapshot copy;
    bool are_there = true;
    for (auto _ : state) {
        are_there = !are_there;
        for (std::uint32_t number = 0; number < state.range(1); ++number) {
            const model::Node node = node_number(number * 7);
            benchmark::DoNotOptimize(are_there ? cluster.apply(model::NodeSeen{node})
                                               : cluster.apply(model::NodeGone{node.name}));
        }
        benchmark::DoNotOptimize(cluster.renew(copy));
    }
}

// Eight devices on each node, with the attributes that a driver of GPUs publishes.
model::DeviceSlice devices_of(std::uint32_t number) {
    const model::Node node = node_number(number);
    model::DeviceSlice slice{.name = node.name + "-gpu.example.com-x7k2p",
                             .driver = "gpu.example.com",
                             .pool = node.name,
                             .generation = 1,
                             .slice_count = 1,
                             .node = node.name,
                             .devices = {}};
    for (int index = 0; index < 8; ++index) {
        model::Device& device = slice.devices.emplace_back();
        device.name = "gpu-" + std::to_string(index);
        const auto text = [](std::string value) {
            return model::DeviceAttribute{.kind = model::DeviceAttribute::Kind::text, .text = std::move(value)};
        };
        device.attributes = {
            {"gpu.example.com/uuid", text("GPU-" + node.name + "-" + device.name)},
            {"gpu.example.com/productName", text("H100 80GB")},
            {"gpu.example.com/architecture", text("Hopper")},
            {"gpu.example.com/index", {.kind = model::DeviceAttribute::Kind::number, .text = {}, .number = index}}};
        device.capacity = {{"gpu.example.com/memory", 80'000'000}};
    }
    return slice;
}

model::Cluster cluster_with_devices(std::uint32_t nodes) {
    model::Cluster cluster = cluster_of(nodes, 3 * nodes);
    static_cast<void>(
        cluster.apply(model::DeviceClassSeen{{"gpu.example.com", {"device.driver == \"gpu.example.com\""}, {}}}));
    for (std::uint32_t number = 0; number < nodes; ++number)
        static_cast<void>(cluster.apply(model::DeviceSliceSeen{devices_of(number)}));
    return cluster;
}

// A claim gets one device and is deleted: half of the time each.
void claim_comes_and_goes(benchmark::State& state) {
    const std::uint32_t nodes = nodes_of(state);
    model::Cluster cluster = cluster_with_devices(nodes);
    std::vector<model::Event> row;
    for (std::uint32_t number = 0; number < std::min(events, nodes); ++number) {
        model::DeviceClaim claim{.ns = "team",
                                 .name = "claim-" + std::to_string(number),
                                 .uid = "u",
                                 .demand = model::DeviceDemand{},
                                 .allocation = {}};
        claim.allocation =
            model::DeviceAllocation{.devices = {{"gpu.example.com", node_number(number).name, "gpu-3"}}, .nodes = {}};
        row.emplace_back(model::DeviceClaimSeen{claim});
    }
    for (std::uint32_t number = 0; number < std::min(events, nodes); ++number)
        row.emplace_back(model::DeviceClaimGone{"team", "claim-" + std::to_string(number)});
    apply_each(state, cluster, row);
}

void node_with_devices_repeated(benchmark::State& state) {
    const std::uint32_t nodes = nodes_of(state);
    model::Cluster cluster = cluster_with_devices(nodes);
    std::vector<model::Event> row;
    for (std::uint32_t number = 0; number < events; ++number)
        row.emplace_back(model::NodeSeen{node_number(number * 7 % nodes)});
    apply_each(state, cluster, row);
}

// A slice is published again with one device less or more.
void slice_changes(benchmark::State& state) {
    const std::uint32_t nodes = nodes_of(state);
    model::Cluster cluster = cluster_with_devices(nodes);
    std::vector<model::Event> row;
    for (const bool is_less : {true, false}) {
        for (std::uint32_t number = 0; number < std::min(events, nodes); ++number) {
            model::DeviceSlice slice = devices_of(number);
            slice.devices.resize(is_less ? 7 : 8);
            row.emplace_back(model::DeviceSliceSeen{std::move(slice)});
        }
    }
    apply_each(state, cluster, row);
}

// Bytes of a device in the model, as a counter.
void devices_listed(benchmark::State& state) {
    const std::uint32_t nodes = nodes_of(state);
    for (auto _ : state) {
        const model::Cluster without = cluster_of(nodes, 3 * nodes);
        const auto before = mallinfo2().uordblks;
        const model::Cluster with = cluster_with_devices(nodes);
        const auto after = mallinfo2().uordblks;
        const model::Cluster again = cluster_of(nodes, 3 * nodes);
        const auto plain = mallinfo2().uordblks - after;
        state.counters["bytes/device"] = static_cast<double>(after - before - plain) / (8.0 * nodes);
    }
}

BENCHMARK(pod_comes_and_goes)->Arg(5'000)->Arg(100'000);
BENCHMARK(pod_repeated)->Arg(5'000)->Arg(100'000);
BENCHMARK(node_repeated)->Arg(5'000)->Arg(100'000);
BENCHMARK(node_cordoned)->Arg(5'000)->Arg(100'000);
BENCHMARK(node_resized)->Arg(5'000)->Arg(100'000);
BENCHMARK(node_relabelled)->Arg(5'000)->Arg(100'000);
BENCHMARK(node_goes_and_comes)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(rows_move_alone)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(nodes_go_and_come)->ArgsProduct({{5'000, 100'000}, {1, 16, 64}})->Unit(benchmark::kMillisecond);
BENCHMARK(claim_comes_and_goes)->Arg(5'000);
BENCHMARK(node_with_devices_repeated)->Arg(5'000);
BENCHMARK(slice_changes)->Arg(5'000);
BENCHMARK(devices_listed)->Arg(5'000)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(snapshot_renewed)->Arg(5'000)->Arg(100'000);
BENCHMARK(snapshot_taken)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

}  // namespace
