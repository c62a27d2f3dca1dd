#pragma once

// What do the topology files of the configuration say now? They are Topograph documents
// (`kube/topology/topograph.hpp`).
//
// Compares content, like `SettingsWatch`. An unusable file leaves the last good content in use, and is logged and
// counted once. `poll` is called by one thread, `figures` by any.

#include "app/watch_metrics.hpp"
#include "base/result.hpp"
#include "config/settings.hpp"
#include "model/facts/event.hpp"

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace echelon::app {

// For callers that read a file once. The error names the file.
[[nodiscard]] base::Result<std::vector<model::Event>> read_topology_file(const config::Topology& topology);

class TopologyFiles {
public:
    // Topologies without a file are left out.
    explicit TopologyFiles(const std::vector<config::Topology>& topologies);

    // Events for what has changed since the last look; the first time for everything.
    [[nodiscard]] std::vector<model::Event> poll();
    [[nodiscard]] TopologyFigures figures() const;

private:
    struct File {
        config::Topology topology;
        std::size_t seen = 0;  // Hash of the text at the last read.
        std::string trouble;   // Why the present content is unusable; empty: it is in use, or was not read yet.
        bool is_read = false;
        bool was_usable = false;  // The file was usable once.
    };
    void poll_file(File& file, std::vector<model::Event>& events);
    void refuse(File& file, std::string trouble, std::vector<model::Event>& events);

    std::vector<File> files_;
    mutable std::mutex mutex_;
    TopologyFigures figures_;  // Guarded by mutex_.
};

}  // namespace echelon::app
