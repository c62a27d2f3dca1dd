#pragma once

// What does the cluster say by itself? Lists everything that the service watches, once, by the same watcher and model.

#include "model/cluster.hpp"
#include "model/plan_record.hpp"
#include "model/result.hpp"

#include <string>
#include <vector>

namespace echelon::cli {

struct SeenCluster {
    model::Cluster cluster;
    std::vector<model::PlanRecord> plans;  // By namespace and name.
    std::vector<std::string> unreadable;   // A sentence for each object that can't be read.
};

// Waits until every kind is listed, half a minute at most. `config_file`: for its profiles and topologies; empty: none.
[[nodiscard]] model::Result<SeenCluster> see_cluster(const std::string& kubeconfig, const std::string& config_file);

}  // namespace echelon::cli
