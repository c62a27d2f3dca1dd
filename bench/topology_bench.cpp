// What do thousands of HyperNodes, groups and reported placements cost? 10,000 HyperNodes of four tiers over 36,000
// nodes, and 20,000 groups that each require a tier. Then the same fabric as a topology that reports placements.

#include "bench/model_cases.hpp"
#include "engine/engine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

using namespace echelon;         // NOLINT(google-build-using-namespace)
using namespace echelon::bench;  // NOLINT(google-build-using-namespace)

constexpr std::uint32_t leaves = 9'000;
constexpr std::uint32_t nodes_of_leaf = 4;
constexpr std::uint32_t nodes = leaves * nodes_of_leaf;
constexpr std::uint32_t groups = 20'000;
constexpr std::uint32_t domains = 10'000;

// First leaves with nodes, then spines with ten leaves, then cores with ten spines, and ten roots over 90 cores.
model::DeclaredDomain domain_number(std::uint32_t number) {
    struct Tier {
        const char* name;
        std::uint32_t count;
        std::uint32_t below;
    };
    static constexpr Tier tiers[] = {
        {"leaf", leaves, nodes_of_leaf}, {"spine", 900, 10}, {"core", 90, 10}, {"root", 10, 9}};
    model::DeclaredDomain domain;
    domain.api_kind = "HyperNode.topology.volcano.sh";
    std::int64_t at = 0;
    while (number >= tiers[at].count)
        number -= tiers[at++].count;
    domain.name = tiers[at].name + std::to_string(number);
    domain.tier = at + 1;
    domain.tier_name = tiers[at].name;
    for (std::uint32_t member = number * tiers[at].below; member < (number + 1) * tiers[at].below; ++member) {
        model::DomainMember& each = domain.members.emplace_back();
        each.kind = at == 0 ? model::DomainMember::Kind::node : model::DomainMember::Kind::domain;
        each.name = at == 0 ? node_number(member).name : tiers[at - 1].name + std::to_string(member);
    }
    return domain;
}

model::Group group_number(std::uint32_t number) {
    model::Group group;
    group.key = {"podgroup", "team-" + std::to_string(number % 40) + "/job-" + std::to_string(number)};
    group.uid = "group-" + std::to_string(number);
    group.minimum = 8;
    group.created = 1'770'000'000 + number;
    group.required = {model::tier_level(1 + number % 3)};
    group.api_version = "scheduling.k8s.io/v1alpha3";
    group.api_kind = "PodGroup";
    return group;
}

model::Topology reported_topology() {
    model::Topology topology;
    topology.name = "fabric";
    topology.api_kind = "Topograph.topograph.run";
    topology.levels = {"fabric.topograph.run/tier-2", "fabric.topograph.run/tier-1", "fabric.topograph.run/tier-0"};
    for (std::uint32_t number = 0; number < nodes; ++number) {
        const std::uint32_t leaf = number / nodes_of_leaf;
        topology.places[node_number(number).name] = {
            "core" + std::to_string(leaf / 100), "spine" + std::to_string(leaf / 10), "leaf" + std::to_string(leaf)};
    }
    return topology;
}

const std::vector<model::Event>& everything() {
    static std::vector<model::Event> events;
    if (!events.empty())
        return events;
    for (std::uint32_t number = 0; number < groups; ++number)
        events.emplace_back(model::GroupSeen{group_number(number)});
    for (std::uint32_t number = 0; number < domains; ++number)
        events.emplace_back(model::DomainSeen{domain_number(number)});
    for (std::uint32_t number = 0; number < nodes; ++number)
        events.emplace_back(model::NodeSeen{node_number(number)});
    return events;
}

model::Cluster cluster_of(const std::vector<model::Event>& events) {
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    for (const model::Event& event : events)
        benchmark::DoNotOptimize(cluster.apply(event));
    static_cast<void>(cluster.snapshot());
    return cluster;
}

// The first lists, in the most expensive order: events that touch all gangs come after the gangs.
void start(benchmark::State& state) {
    const std::vector<model::Event>& events = everything();
    for (auto _ : state)
        benchmark::DoNotOptimize(cluster_of(events));
}

// Shared by all benchmarks. Each row of events restores the cluster, unless the round is cut off.
model::Cluster& whole_cluster() {
    static model::Cluster cluster = cluster_of(everything());
    return cluster;
}

// Applies one event of the row each time.
void apply_each(benchmark::State& state, const std::vector<model::Event>& row) {
    model::Cluster& cluster = whole_cluster();
    benchmark::DoNotOptimize(cluster.apply(row.back()));
    std::size_t at = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(cluster.apply(row[at]));
        at = at + 1 == row.size() ? 0 : at + 1;
    }
}

// Alternates between two states, so that every event of the row changes something.
template <typename Make, typename Alter>
std::vector<model::Event> there_and_back(std::uint32_t count, Make make, Alter alter) {
    std::vector<model::Event> row;
    for (const bool is_altered : {true, false}) {
        for (std::uint32_t number = 0; number < count; ++number) {
            auto event = make(number);
            if (is_altered)
                alter(event);
            row.emplace_back(std::move(event));
        }
    }
    return row;
}

model::DomainSeen domain_seen(std::uint32_t number) {
    return {domain_number(number)};
}

void lose_member(model::DomainSeen& seen) {
    seen.domain.members.pop_back();
}

void hypernode_repeated(benchmark::State& state) {
    apply_each(state, there_and_back(domains, domain_seen, [](model::DomainSeen&) {}));
}

void hypernode_changed(benchmark::State& state) {
    apply_each(state, there_and_back(domains, domain_seen, lose_member));
}

void group_repeated(benchmark::State& state) {
    apply_each(state, there_and_back(
                          groups, [](std::uint32_t number) { return model::GroupSeen{group_number(number)}; },
                          [](model::GroupSeen&) {}));
}

void group_changed(benchmark::State& state) {
    apply_each(state, there_and_back(
                          groups, [](std::uint32_t number) { return model::GroupSeen{group_number(number)}; },
                          [](model::GroupSeen& seen) { seen.group.minimum = 9; }));
}

void group_comes_and_goes(benchmark::State& state) {
    std::vector<model::Event> row;
    for (std::uint32_t number = groups; number < groups + 4'096; ++number)
        row.emplace_back(model::GroupSeen{group_number(number)});
    for (std::uint32_t number = groups; number < groups + 4'096; ++number)
        row.emplace_back(model::GroupGone{.key = group_number(number).key, .uid = group_number(number).uid});
    apply_each(state, row);
}

void node_repeated(benchmark::State& state) {
    apply_each(state, there_and_back(
                          4'096, [](std::uint32_t number) { return model::NodeSeen{node_number(number)}; },
                          [](model::NodeSeen&) {}));
}

// The work after a batch of events: all nodes are placed and renumbered.
void snapshot_after_hypernode(benchmark::State& state) {
    model::Cluster& cluster = whole_cluster();
    const auto row = there_and_back(1, domain_seen, lose_member);  // Also after a round that was cut off.
    static_cast<void>(cluster.apply(row.back()));
    static_cast<void>(cluster.snapshot());
    std::size_t at = 0;
    for (auto _ : state) {
        static_cast<void>(cluster.apply(row[at]));
        benchmark::DoNotOptimize(cluster.snapshot());
        at = at + 1 == row.size() ? 0 : at + 1;
    }
}

// The same for a topology that reports all placements.
void snapshot_after_reported_placements(benchmark::State& state) {
    std::vector<model::Event> events;
    for (std::uint32_t number = 0; number < nodes; ++number)
        events.emplace_back(model::NodeSeen{node_number(number)});
    model::Cluster cluster = cluster_of(events);
    model::TopologySeen one{reported_topology()};
    model::TopologySeen other = one;
    other.topology.places.begin()->second.back() = "leaf1";
    for (auto _ : state) {
        static_cast<void>(cluster.apply(one));
        benchmark::DoNotOptimize(cluster.snapshot());
        std::swap(one, other);
    }
}

double milliseconds_used() {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

// The engine's work for one change of a HyperNode, with all consequences, and its longest step.
void engine_after_hypernode(benchmark::State& state) {
    engine::Options options;
    options.profiles = {{"default-scheduler", {}}};
    options.step_work = engine::service_step_work;
    engine::Engine engine(options);
    auto now = engine::Time{1'000};
    std::vector<engine::Input> inputs;
    for (const model::Event& event : everything())
        inputs.emplace_back(engine::Observed{event});
    double longest = 0;
    const auto timed_step = [&](std::span<const engine::Input> batch) {
        const double before = milliseconds_used();
        benchmark::DoNotOptimize(engine.step(batch, now));
        longest = std::max(longest, milliseconds_used() - before);
    };
    const std::vector<engine::Input> tick = {engine::Ticked{}};
    const auto step = [&](std::span<const engine::Input> batch) {
        timed_step(batch);
        const auto end = now + std::chrono::seconds(12);  // The topology is counted after ten seconds.
        for (auto due = engine.wakes_at(); due && *due <= end; due = engine.wakes_at()) {
            now = *due;
            timed_step(tick);
        }
        now = end;
    };
    step(inputs);
    longest = 0;
    const auto row = there_and_back(domains, domain_seen, lose_member);
    std::size_t at = 0;
    for (auto _ : state) {
        step(std::vector<engine::Input>{engine::Observed{row[at]}});
        at = at + 1 == row.size() ? 0 : at + 1;
    }
    state.counters["longest step in ms"] = longest;
}

BENCHMARK(start)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(hypernode_repeated);
BENCHMARK(hypernode_changed);
BENCHMARK(group_repeated);
BENCHMARK(group_changed);
BENCHMARK(group_comes_and_goes);
BENCHMARK(node_repeated);
BENCHMARK(snapshot_after_hypernode)->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK(snapshot_after_reported_placements)->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK(engine_after_hypernode)->Unit(benchmark::kMillisecond)->Iterations(5);

}  // namespace
