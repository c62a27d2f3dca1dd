#pragma once

// Metrics of the wiring: is the model in step with the API server, is it ours to act, and
// which configuration is in use?

#include "kube/watch/watcher.hpp"
#include "kube/write/writer.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

#include <prometheus/metric_family.h>

namespace echelon::app {

// What became of the configuration file since the start.
struct LoadFigures {
    std::uint64_t taken_up = 0;
    std::uint64_t refused = 0;
    std::chrono::system_clock::time_point last_success;  // The start counts.
};

// What became of topologies that are told as a whole, since the start.
struct TopologyFigures {
    std::uint64_t taken_up = 0;
    std::uint64_t refused = 0;
};

using Families = std::vector<prometheus::MetricFamily>;

// Of leader.mode: whether this echelon acts.
[[nodiscard]] prometheus::MetricFamily lead_metric(bool leads);
[[nodiscard]] Families load_metrics(const LoadFigures& figures);
[[nodiscard]] prometheus::MetricFamily topology_metrics(const TopologyFigures& files, const TopologyFigures& pushed);
[[nodiscard]] Families bind_metrics(const kube::BindFigures& figures);
[[nodiscard]] Families watch_metrics(const std::vector<kube::WatchStatus>& status);

}  // namespace echelon::app
