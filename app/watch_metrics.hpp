#pragma once

// Is the model in step with the API server, may this echelon act, and which configuration is in use? Metrics of the
// service.

#include "kube/watch/watcher.hpp"
#include "kube/write/writer.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

#include <prometheus/metric_family.h>

namespace echelon::app {

// How many changes of the configuration file were applied or refused since the start.
struct ReloadFigures {
    std::uint64_t applied = 0;
    std::uint64_t refused = 0;
    std::chrono::system_clock::time_point last_success;  // The start counts.
};

// How many topology documents were applied or refused since the start.
struct TopologyFigures {
    std::uint64_t applied = 0;
    std::uint64_t refused = 0;
};

using Families = std::vector<prometheus::MetricFamily>;

[[nodiscard]] Families joined(const std::vector<Families>& all);

// Whether this echelon acts.
[[nodiscard]] prometheus::MetricFamily lead_metric(bool leads);
[[nodiscard]] Families reload_metrics(const ReloadFigures& figures);
[[nodiscard]] prometheus::MetricFamily topology_metrics(const TopologyFigures& files, const TopologyFigures& pushed);
[[nodiscard]] Families bind_metrics(const kube::BindFigures& figures);
[[nodiscard]] prometheus::MetricFamily write_metrics(const kube::WriteCounts& counts);
[[nodiscard]] Families watch_metrics(const std::vector<kube::WatchStatus>& status);

}  // namespace echelon::app
