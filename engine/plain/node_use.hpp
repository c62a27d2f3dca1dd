#pragma once

// Which nodes run pods that could run elsewhere? Pods that are never evicted, such as those of DaemonSets, don't count
// (SC3).
//
// Follows the events. Not thread-safe.

#include "model/cluster/cluster.hpp"
#include "model/facts/event.hpp"
#include "model/topology/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace echelon::engine {

class NodeUse {
public:
    // Must be called before the event is applied to the cluster. True: some node has one such pod more or less.
    bool note(const model::Cluster& cluster, const model::Event& event);
    [[nodiscard]] bool is_used(const std::string& node) const { return pods_.contains(node); }
    // [node] The widest kind of empty domain that a pod there would break: 0 a host or none, 1 a rack, 2 wider ...
    // `is_used`: [node].
    [[nodiscard]] static std::vector<std::uint32_t> breaks(const model::Snapshot& snapshot,
                                                           const std::vector<std::uint8_t>& is_used);

private:
    bool add(const model::Pod* pod, std::ptrdiff_t sign);

    std::unordered_map<std::string, std::ptrdiff_t> pods_;  // By node; no zeros.
};

}  // namespace echelon::engine
