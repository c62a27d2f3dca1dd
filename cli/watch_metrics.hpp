#pragma once

// Figures of the wiring in Prometheus text format: is the model in step with the API server, and is it ours to act?

#include "kube/watcher.hpp"

#include <string>
#include <vector>

namespace echelon::cli {

// Of leader.mode: whether this echelon acts.
[[nodiscard]] std::string lead_metric(bool leads);
[[nodiscard]] std::string watch_metrics(const std::vector<kube::WatchStatus>& status);

}  // namespace echelon::cli
