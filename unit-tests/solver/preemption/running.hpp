#pragma once

// How does a test state "a gang of four pods runs on these hosts" in one line? And which pods could be evicted in a
// random world?

#include "model/gang/running_gang.hpp"
#include "unit-tests/solver/support/random_world.hpp"
#include "unit-tests/solver/support/world.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::solver::preemption::testing {

using solver::testing::chance;
using solver::testing::gpu;
using solver::testing::pick;
using solver::testing::Random;
using solver::testing::World;

// A group of a running gang: a leaf with pods, or a composite.
struct RunningSpec {
    std::int64_t minimum = 1;
    std::vector<model::RunningPod> pods = {};
    std::vector<RunningSpec> children = {};
    bool goes_whole = false;
    std::int64_t floor = 0;
    std::int64_t finished = 0;
};

inline model::RunningPod running_pod(const std::string& name, model::NodeId node, std::int64_t gpus,
                                     std::int64_t started = 0) {
    model::RunningPod pod;
    pod.pod = name;
    pod.uid = name;
    pod.node = node;
    pod.requests = {{gpu, gpus}, {"pods", 1}};
    pod.started = started;
    return pod;
}

inline void add_group(model::RunningGang& gang, const RunningSpec& spec, std::uint32_t parent) {
    const std::size_t index = gang.groups.size();
    auto& group = gang.groups.emplace_back();
    group.parent = parent;
    group.is_leaf = spec.children.empty();
    group.goes_whole = spec.goes_whole;
    group.minimum = spec.minimum;
    group.floor = spec.floor;
    group.finished = spec.finished;
    group.first_pod = static_cast<std::uint32_t>(gang.pods.size());
    gang.pods.insert(gang.pods.end(), spec.pods.begin(), spec.pods.end());
    for (const RunningSpec& child : spec.children) {
        add_group(gang, child, static_cast<std::uint32_t>(index));
    }
    gang.groups[index].last_pod = static_cast<std::uint32_t>(gang.pods.size());
}

inline model::RunningGang running_gang(const std::string& name, std::int64_t priority, const RunningSpec& root) {
    model::RunningGang gang;
    gang.name = name;
    gang.priority = priority;
    add_group(gang, root, model::nowhere);
    return gang;
}

// A pod of no gang.
inline model::RunningGang plain_pod(model::RunningPod pod, std::int64_t priority) {
    return running_gang("", priority, {.minimum = 0, .pods = {std::move(pod)}});
}

// The cluster has the room of the pods in addition to what the world says.
inline void make_room_for(World& world, const model::RunningGangs& running) {
    for (const model::RunningGang& gang : running.gangs) {
        for (const model::RunningPod& pod : gang.pods) {
            for (std::size_t r = 0; r < world.snapshot.resources.size(); ++r) {
                world.snapshot.capacity[r][pod.node] += pod.requests.of(world.snapshot.resources[r]);
            }
        }
    }
}

struct RunningStyle {
    bool groups = false;   // Composites, modes, floors.
    bool budgets = false;  // And protected pods.
    bool ages = true;
    std::int64_t most_pods = 8;
};

inline RunningSpec random_running_group(Random& random, const RunningStyle& style, std::size_t nodes,
                                        const std::string& name, std::int64_t depth, std::int64_t& left) {
    RunningSpec spec;
    spec.goes_whole = style.groups && chance(random, 20);
    if (depth > 0 && style.groups && chance(random, 50)) {
        const std::int64_t children = pick(random, 1, 3);
        for (std::int64_t c = 0; c < children; ++c) {
            spec.children.push_back(
                random_running_group(random, style, nodes, fmt::format("{}.{}", name, c), depth - 1, left));
        }
        spec.minimum = pick(random, 0, children);
        spec.floor = chance(random, 20) ? pick(random, 1, 3) : 0;
        return spec;
    }
    const std::int64_t count = std::min(left, pick(random, 0, 3));
    left -= count;
    for (std::int64_t p = 0; p < count; ++p) {
        const auto node = static_cast<model::NodeId>(pick(random, 0, static_cast<std::int64_t>(nodes) - 1));
        spec.pods.push_back(
            running_pod(fmt::format("{}-{}", name, p), node, pick(random, 1, 3), style.ages ? pick(random, 0, 3) : 0));
    }
    spec.finished = style.groups && chance(random, 10) ? 1 : 0;
    spec.minimum =
        pick(random, chance(random, 20) ? 0 : 1, std::max<std::int64_t>(1, count + (chance(random, 8) ? 1 : 0)));
    return spec;
}

inline model::RunningGangs random_running(Random& random, const RunningStyle& style, std::size_t nodes) {
    model::RunningGangs running;
    std::int64_t left = pick(random, 1, style.most_pods);
    for (int number = 0; left > 0; ++number) {
        const std::int64_t priority = pick(random, 0, 12);
        if (chance(random, 40)) {
            const auto node = static_cast<model::NodeId>(pick(random, 0, static_cast<std::int64_t>(nodes) - 1));
            running.gangs.push_back(plain_pod(
                running_pod(fmt::format("p{}", number), node, pick(random, 1, 3), pick(random, 0, 3)), priority));
            --left;
        } else {
            const std::string name = fmt::format("g{}", number);
            running.gangs.push_back(
                running_gang(name, priority, random_running_group(random, style, nodes, name, 2, left)));
        }
    }
    if (!style.budgets) {
        return running;
    }
    for (std::uint32_t b = 0; b < 2; ++b) {
        running.budgets.push_back({.name = fmt::format("b{}", b), .allowed = pick(random, 0, 2)});
    }
    for (model::RunningGang& gang : running.gangs) {
        for (model::RunningPod& pod : gang.pods) {
            pod.is_protected = chance(random, 6);
            for (std::uint32_t b = 0; b < 2; ++b) {
                if (chance(random, 30)) {
                    pod.budgets.push_back(b);
                }
            }
        }
    }
    return running;
}

}  // namespace echelon::solver::preemption::testing
