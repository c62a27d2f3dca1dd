#pragma once

// Small clusters and traces, simulated in one call.

#include "model/cluster/cluster.hpp"
#include "simulate/simulation.hpp"
#include "simulate/trace.hpp"
#include "simulate/world.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::simulate::testing {

inline model::Node host(const std::string& name, const std::string& rack, std::int64_t gpus = 8) {
    model::Node node;
    node.name = node.uid = name;
    node.labels = {{"rack", rack}, {"kubernetes.io/hostname", name}};
    node.allocatable = {{"cpu", 64'000},
                        {"memory", std::int64_t{256} << 30},
                        {"pods", 110},
                        {"nvidia.com/gpu", gpus},
                        {"nvidia.com/gpu.shared", 1000 * gpus}};
    return node;
}

// Racks of hosts, named "r0" and "r0-h1".
inline std::vector<model::Node> racks_of(const std::vector<int>& sizes, std::int64_t gpus = 8) {
    std::vector<model::Node> nodes;
    for (std::size_t rack = 0; rack < sizes.size(); ++rack) {
        for (int i = 0; i < sizes[rack]; ++i)
            nodes.push_back(host(fmt::format("r{}-h{}", rack, i), fmt::format("r{}", rack), gpus));
    }
    return nodes;
}

struct Line {
    PodEvent::Kind kind = PodEvent::Kind::start;
    double time = 0;
    std::string pod;
    std::string node;
    std::string devices;

    // "5 start a-0 r0-h1 0|1"
    [[nodiscard]] std::string text() const {
        static const std::map<PodEvent::Kind, std::string> words = {
            {PodEvent::Kind::start, "start"}, {PodEvent::Kind::end, "end"}, {PodEvent::Kind::refused, "refused"}};
        return fmt::format("{} {} {} {}{}{}", time, words.at(kind), pod, node, devices.empty() ? "" : " ", devices);
    }
};

struct Outcome {
    Report report;
    std::vector<Line> lines;

    [[nodiscard]] std::vector<std::string> texts() const {
        std::vector<std::string> texts;
        for (const auto& line : lines)
            texts.push_back(line.text());
        return texts;
    }
    // When the first pod of the job started; -1: never.
    [[nodiscard]] double start_of(const std::string& job) const {
        const auto found = std::ranges::find_if(
            lines, [&](const Line& line) { return line.kind == PodEvent::Kind::start && line.pod == job + "-0"; });
        return found == lines.end() ? -1 : found->time;
    }
    // The nodes of the job's pods, in the order of the pods.
    [[nodiscard]] std::string nodes_of(const std::string& job) const {
        std::vector<std::string> nodes;
        for (const auto& line : lines) {
            if (line.kind == PodEvent::Kind::start && line.pod.starts_with(job + "-"))
                nodes.push_back(line.node);
        }
        return fmt::format("{}", fmt::join(nodes, " "));
    }
};

inline model::Cluster cluster_of(const std::vector<model::Node>& nodes, const std::vector<model::Pod>& pods = {}) {
    model::Profiles profiles;
    profiles["default-scheduler"] = {};
    model::Cluster cluster(std::move(profiles));
    model::Topology topology;
    topology.name = "fabric";
    topology.source = model::TopologySource::configuration;
    topology.levels = {"rack", "kubernetes.io/hostname"};
    static_cast<void>(cluster.apply(model::TopologySeen{topology}));
    for (const auto& node : nodes)
        static_cast<void>(cluster.apply(model::NodeSeen{node}));
    for (const auto& pod : pods)
        static_cast<void>(cluster.apply(model::PodSeen{pod}));
    return cluster;
}

inline model::Pod running_pod(const std::string& name, const std::string& node, model::Amounts requests) {
    model::Pod pod;
    pod.uid = pod.name = name;
    pod.ns = "default";
    pod.node = node;
    pod.phase = model::PodPhase::running;
    pod.pod_class.requests = std::move(requests);
    return pod;
}

inline Outcome simulated(model::Cluster cluster, std::string_view csv, const Options& options = {}) {
    const auto trace = read_trace(csv);
    REQUIRE_MESSAGE(trace, (trace ? "" : trace.error().what));
    const auto world = world_of(std::move(cluster), *trace);
    REQUIRE_MESSAGE(world, (world ? "" : world.error().what));
    Outcome outcome;
    outcome.report = simulate(*world, *trace, options, [&](const PodEvent& event) {
        outcome.lines.push_back({.kind = event.kind,
                                 .time = event.time,
                                 .pod = fmt::format("{}-{}", event.job, event.pod),
                                 .node = std::string(event.node),
                                 .devices = fmt::format("{}", fmt::join(event.devices, "|"))});
    });
    return outcome;
}

inline Outcome simulated(const std::vector<model::Node>& nodes, std::string_view csv, const Options& options = {}) {
    return simulated(cluster_of(nodes), csv, options);
}

}  // namespace echelon::simulate::testing
