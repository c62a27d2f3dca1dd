#pragma once

// What does the API server say, without the service? Lists everything that the service watches, once, with the same
// watcher and model.

#include "base/result.hpp"
#include "model/cluster/cluster.hpp"
#include "model/facts/plan_record.hpp"

#include <string>
#include <vector>

namespace echelon::cli {

struct ListedCluster {
    model::Cluster cluster;
    std::vector<model::PlanRecord> plans;  // By namespace and name.
    std::vector<std::string> unreadable;   // A sentence for each object that can't be read.
};

// Waits until every kind is listed, half a minute at most. `config_file`: for its profiles and topologies; empty: none.
[[nodiscard]] base::Result<ListedCluster> list_cluster(const std::string& kubeconfig, const std::string& config_file);

}  // namespace echelon::cli
