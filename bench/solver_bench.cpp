// How long does a decision take? The goals of the solver's contract, each beside a plain scan over the same arrays.
//
// Argument of every benchmark: the number of nodes. Racks of 16 hosts with 8 GPUs, blocks of 16 racks, partly used in a
// fixed pattern.

#include "solver/solve.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

using namespace echelon;
using model::LevelRef;

constexpr std::uint32_t hosts_per_rack = 16;
constexpr std::uint32_t racks_per_block = 16;
constexpr LevelRef block{0, 0};
constexpr LevelRef rack{0, 1};

struct Shape {
    std::int64_t cpu;
    std::int64_t memory;
    std::int64_t gpu;
};

std::string padded(std::uint32_t number) {
    const std::string digits = std::to_string(number);
    return std::string(7 - digits.size(), '0') + digits;
}

void add_level(model::Tree& tree, std::uint32_t nodes, std::uint32_t width, const std::string& prefix) {
    auto& domains = tree.domains.emplace_back();
    auto& domain_of = tree.domain_of.emplace_back();
    const std::size_t above = tree.domains.size() - 1;
    for (std::uint32_t n = 0; n < nodes; ++n) {
        if (n % width == 0) {
            const std::uint32_t parent = above == 0 ? model::nowhere : tree.domain_of[above - 1][n];
            const std::string around = above == 0 ? "" : tree.domains[above - 1][parent].path + "/";
            domains.push_back({.path = around + prefix + padded(n / width),
                               .first = n,
                               .last = std::min(nodes, n + width),
                               .parent = parent});
        }
        domain_of.push_back(static_cast<std::uint32_t>(domains.size()) - 1);
    }
}

model::Snapshot cluster(std::uint32_t nodes, bool is_full) {
    model::Snapshot s;
    s.resources = {"cpu", "memory", "nvidia.com/gpu", "pods"};
    s.room.resize(4);
    model::Tree tree{.name = "default",
                     .keys = {"example.com/block", "example.com/rack", "kubernetes.io/hostname"},
                     .order = std::vector<model::NodeId>(nodes),
                     .domains = {},
                     .domain_of = {}};
    std::iota(tree.order.begin(), tree.order.end(), 0U);
    add_level(tree, nodes, hosts_per_rack * racks_per_block, "b");
    add_level(tree, nodes, hosts_per_rack, "r");
    add_level(tree, nodes, 1, "n");
    for (std::uint32_t n = 0; n < nodes; ++n) {
        s.node_names.push_back("n" + padded(n));
        s.usable.push_back(1);
        const std::int64_t gpus = is_full ? (n % 5 == 0 ? 1 : 0) : 8 - (n * 7 % 11) % 5;
        s.room[0].push_back(gpus * 12'000 + 4'000);
        s.room[1].push_back((gpus * 100 + 32) * (std::int64_t{1} << 30));
        s.room[2].push_back(gpus);
        s.room[3].push_back(110 - n % 7);
    }
    s.capacity = s.room;
    std::ranges::fill(s.capacity[0], 100'000);
    std::ranges::fill(s.capacity[2], 8);
    s.trees.push_back(std::move(tree));
    return s;
}

model::ShapeId add_shape(model::Snapshot& s, Shape shape) {
    s.shapes.emplace_back();
    s.need.push_back({shape.cpu, shape.memory << 30U, shape.gpu, 1});
    s.eligible.emplace_back(s.node_count(), std::uint8_t{1});
    return static_cast<model::ShapeId>(s.need.size() - 1);
}

std::uint32_t add_group(model::Gang& gang, std::uint32_t parent, std::vector<LevelRef> required) {
    model::GangGroup group;
    const auto index = static_cast<std::uint32_t>(gang.groups.size());
    group.key = {.kind = "bench", .name = "default/g" + std::to_string(index)};
    group.parent = parent;
    group.required = std::move(required);
    group.first_member = group.last_member = static_cast<std::uint32_t>(gang.members.size());
    gang.groups.push_back(std::move(group));
    if (parent != model::nowhere) {
        gang.groups[parent].children.push_back(index);
        gang.groups[parent].is_leaf = false;
        gang.groups[parent].minimum = static_cast<std::int64_t>(gang.groups[parent].children.size());
    }
    return index;
}

void add_members(model::Gang& gang, std::uint32_t leaf, model::ShapeId shape, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        model::Member member;
        member.pod = "default/p" + std::to_string(gang.members.size());
        member.uid = member.pod;
        member.shape = shape;
        gang.members.push_back(std::move(member));
    }
    gang.groups[leaf].last_member = static_cast<std::uint32_t>(gang.members.size());
    gang.groups[leaf].minimum += count;
}

model::Gang identical(model::Snapshot& s, std::int64_t pods, LevelRef level) {
    const model::ShapeId shape = add_shape(s, {8'000, 64, 1});
    model::Gang gang;
    add_members(gang, add_group(gang, model::nowhere, {level}), shape, pods);
    return gang;
}

// Block on the root, rack on each of six groups, 1,000 pods in all.
model::Gang gang_of_gangs(model::Snapshot& s) {
    const model::ShapeId shape = add_shape(s, {2'000, 16, 1});
    model::Gang gang;
    const std::uint32_t root = add_group(gang, model::nowhere, {block});
    // A rack holds about 96: each group is two halves, so that every leaf has one.
    for (int g = 0; g < 6; ++g) {
        const std::uint32_t role = add_group(gang, root, {});
        for (int half = 0; half < 2; ++half) {
            add_members(gang, add_group(gang, role, {rack}), shape, g < 4 ? 83 : 84);
        }
    }
    return gang;
}

// 64 pods of four sizes in eight groups, each in one rack, the whole in one block.
model::Gang mixed(model::Snapshot& s) {
    const model::ShapeId sizes[] = {add_shape(s, {8'000, 64, 1}), add_shape(s, {16'000, 128, 2}),
                                    add_shape(s, {32'000, 256, 4}), add_shape(s, {80'000, 640, 8})};
    model::Gang gang;
    const std::uint32_t root = add_group(gang, model::nowhere, {block});
    for (int g = 0; g < 8; ++g) {
        const std::uint32_t leaf = add_group(gang, root, {rack});
        add_members(gang, leaf, sizes[g % 4], g % 4 == 3 ? 2 : 6);
        add_members(gang, leaf, sizes[(g + 1) % 3], 2);
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

// The reference: slots per node, their sum per rack, the tightest rack that holds 32. No plan comes of it.
void plain_scan(benchmark::State& state) {
    model::Snapshot s = cluster(static_cast<std::uint32_t>(state.range(0)), false);
    (void)identical(s, 32, rack);
    const auto& racks = s.trees[0].domains[1];
    for (auto _ : state) {
        std::int64_t best = INT64_MAX;
        for (const model::Domain& domain : racks) {
            std::int64_t slots = 0;
            for (std::uint32_t n = domain.first; n < domain.last; ++n) {
                slots += std::min({s.room[0][n] / 8'000, s.room[1][n] >> 36U, s.room[2][n], s.room[3][n]});
            }
            best = slots >= 32 ? std::min(best, slots) : best;
        }
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
BENCHMARK(refused_identical)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(refused_gang_of_gangs)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(refused_mixed)->Arg(5'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

}  // namespace
