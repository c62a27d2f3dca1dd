#pragma once

// Which nodes run pods that could run elsewhere? Pods that are never evicted, such as those of DaemonSets, don't count
// (SC3).
//
// Follows the events. Not thread-safe.

#include "model/cluster/cluster.hpp"
#include "model/facts/event.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>

namespace echelon::engine {

class NodeUse {
public:
    // Must be called before the event is applied to the cluster. True: some node has one such pod more or less.
    bool note(const model::Cluster& cluster, const model::Event& event);
    [[nodiscard]] bool is_used(const std::string& node) const { return pods_.contains(node); }

private:
    bool add(const model::Pod* pod, std::ptrdiff_t sign);

    std::unordered_map<std::string, std::ptrdiff_t> pods_;  // By node; no zeros.
};

}  // namespace echelon::engine
