#pragma once

// Which metrics are computed at a scrape? Those from the engine's published state and from the operating system.

#include "base/duration_histogram.hpp"
#include "engine/publish/published_state.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <prometheus/metric_family.h>

namespace echelon::server {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

struct Sample {
    MetricLabels labels;
    double value = 0;
};

// The help comes from the table (metric_table.hpp).
[[nodiscard]] prometheus::MetricFamily gauge_family(std::string_view name, const std::vector<Sample>& samples);
[[nodiscard]] prometheus::MetricFamily counter_family(std::string_view name, const std::vector<Sample>& samples);
[[nodiscard]] prometheus::MetricFamily histogram_family(
    std::string_view name, const std::vector<std::pair<MetricLabels, base::DurationsView>>& histograms);

// Gangs, holds, barrier, topology and the engine's counters.
[[nodiscard]] std::vector<prometheus::MetricFamily> published_families(const engine::PublishedState& published);
// Build, CPU time, memory, descriptors, threads and start time of this process. Reads /proc; metrics of missing files
// are left out.
[[nodiscard]] std::vector<prometheus::MetricFamily> process_families();

}  // namespace echelon::server
