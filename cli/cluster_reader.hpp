#pragma once

// What does the API server say, without the service? Watches what the service watches, or GangPlans alone, with the
// same watcher and model.
//
// For one caller at a time.

#include "base/result.hpp"
#include "model/cluster/cluster.hpp"
#include "model/facts/plan_record.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace echelon::cli {

class ClusterReader {
public:
    enum class Kinds : std::uint8_t { all, plans };

    struct Facts {
        const model::Cluster& cluster;
        std::vector<model::PlanRecord> plans;  // By namespace and name.
        std::vector<std::string> unreadable;   // A sentence for each object that can't be read.
    };

    // Starts to watch. `config_file`: for its profiles and topologies; empty: none.
    [[nodiscard]] static base::Result<ClusterReader> open(const std::string& kubeconfig, const std::string& config_file,
                                                          Kinds kinds);
    ~ClusterReader();
    ClusterReader(ClusterReader&&) noexcept;
    ClusterReader& operator=(ClusterReader&&) noexcept;

    // What `report` makes of the facts. Waits until every kind is listed and its watch in step, half a minute at most;
    // not at all for a kind that is needed and forbidden. `report` is called under a lock.
    [[nodiscard]] base::Result<std::string> read(const std::function<std::string(Facts)>& report);

private:
    struct State;
    explicit ClusterReader(std::unique_ptr<State> state);

    std::unique_ptr<State> state_;
};

}  // namespace echelon::cli
