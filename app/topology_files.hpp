#pragma once

// What do the topology files of the configuration say now? Those of Topograph (`kube/topology/topograph.hpp`).
//
// Goes by content, like `SettingsWatch`. A file that can't be used keeps what was good before: it is logged and counted
// once. `look` is called by one thread, `figures` by any.

#include "app/watch_metrics.hpp"
#include "base/result.hpp"
#include "config/settings.hpp"
#include "model/facts/event.hpp"

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace echelon::app {

// For whoever reads a file once: an error names it.
[[nodiscard]] base::Result<std::vector<model::Event>> read_topology_file(const config::Topology& topology);

class TopologyFiles {
public:
    // Those without a file are left out.
    explicit TopologyFiles(const std::vector<config::Topology>& topologies);

    // What has changed since the last look; the first time everything.
    [[nodiscard]] std::vector<model::Event> look();
    [[nodiscard]] TopologyFigures figures() const;

private:
    struct File {
        config::Topology topology;
        std::size_t seen = 0;  // Hash of its text, while it can be read.
        std::string trouble;   // Why what it says now can't be used; empty: it is in use, or not read yet.
        bool is_read = false;
        bool is_known = false;  // It was good once.
    };
    void look_at(File& file, std::vector<model::Event>& events);
    void refuse(File& file, std::string trouble, std::vector<model::Event>& events);

    std::vector<File> files_;
    mutable std::mutex mutex_;
    TopologyFigures figures_;  // Guarded by mutex_.
};

}  // namespace echelon::app
