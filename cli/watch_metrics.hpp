#pragma once

// The watcher's figures in Prometheus text format: is the model in step with the API server?

#include "kube/watcher.hpp"

#include <string>
#include <vector>

namespace echelon::cli {

[[nodiscard]] std::string watch_metrics(const std::vector<kube::WatchStatus>& status);

}  // namespace echelon::cli
