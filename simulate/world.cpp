#include "simulate/world.hpp"

#include "model/cluster/cluster.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace echelon::simulate {

namespace {

// Adds a gang that requires the levels, so that the model builds their trees and judges them as for any gang.
model::GroupKey ask_for(const LevelRequest& levels, std::size_t number, model::Cluster& cluster) {
    model::Group group;
    group.key = {"podgroup", fmt::format("echelon-simulate/levels-{}", number)};
    group.minimum = 1;
    group.required = levels.required;
    group.preferred = levels.preferred;
    static_cast<void>(cluster.apply(model::GroupSeen{group}));
    model::Pod pod;
    pod.ns = "echelon-simulate";
    pod.name = pod.uid = group.key.name;
    pod.scheduler_name = "default-scheduler";
    pod.pod_class.requests = {{"pods", 1}};
    pod.membership = model::Membership{group.key, {}, 0, {}};
    static_cast<void>(cluster.apply(model::PodSeen{pod}));
    return group.key;
}

// Null: every level is known.
const std::string* unknown_level(const LevelRequest& levels, const model::Snapshot& snapshot) {
    for (const auto* keys : {&levels.required, &levels.preferred}) {
        const auto found = std::ranges::find_if(*keys, [&](const auto& key) { return !snapshot.level(key); });
        if (found != keys->end())
            return &*found;
    }
    return nullptr;
}

std::size_t first_line_with(std::size_t levels, const Trace& trace) {
    std::size_t line = 0;
    for (const auto& job : trace.jobs) {
        if (job.levels == levels && (line == 0 || job.line < line))
            line = job.line;
    }
    return line;
}

std::vector<World::RunningPod> running_pods(const model::Cluster& cluster, const model::Snapshot& snapshot) {
    std::vector<World::RunningPod> running;
    for (const auto* pod : cluster.occupants()) {
        if (const auto node = snapshot.node(pod->node))
            running.push_back({*node, pod->pod_class.requests});
    }
    return running;
}

}  // namespace

std::expected<World, TraceFault> world_of(model::Cluster cluster, const Trace& trace) {
    std::vector<model::GroupKey> roots;
    for (const auto& levels : trace.levels)
        roots.push_back(ask_for(levels, roots.size(), cluster));
    World world;
    world.snapshot = cluster.snapshot();
    for (std::size_t i = 0; i < roots.size(); ++i) {
        const auto gang = cluster.gang(roots[i], world.snapshot);
        if (const auto* key = unknown_level(trace.levels[i], world.snapshot))
            return std::unexpected(
                TraceFault{first_line_with(i, trace), fmt::format("no node has the level \"{}\"", *key)});
        if (gang.problem)
            return std::unexpected(TraceFault{first_line_with(i, trace), gang.problem->sentence});
        world.levels.push_back({gang.groups.front().required, gang.groups.front().preferred});
    }
    world.running = running_pods(cluster, world.snapshot);
    world.nodes.reserve(world.snapshot.node_count());
    for (const auto& name : world.snapshot.node_names)
        world.nodes.push_back(cluster.node(name).value_or(model::Node{}));
    world.snapshot.pod_classes.clear();
    world.snapshot.need.clear();
    world.snapshot.eligible.clear();
    return world;
}

}  // namespace echelon::simulate
