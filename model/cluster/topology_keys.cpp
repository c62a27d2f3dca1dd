#include "model/cluster/topology_keys.hpp"

#include "model/topology/presets.hpp"

#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

namespace echelon::model {

TopologyKeyIndex index_by_label(const std::string& key, const Snapshot& snapshot, const NodeIndex& nodes) {
    TopologyKeyIndex topology_key{.key = key, .of = std::vector<std::uint32_t>(snapshot.node_count(), nowhere)};
    std::map<std::string_view, std::uint32_t> numbers;
    topology_key.is_single = true;
    for (NodeId node = 0; node < topology_key.of.size(); ++node) {
        const auto facts = nodes.view(snapshot.node_names[node]);
        const auto value = facts ? facts->labels.value_of(key) : std::nullopt;
        if (!value)
            continue;
        const auto [number, is_new] = numbers.try_emplace(*value, topology_key.count);
        topology_key.count += is_new ? 1 : 0;
        topology_key.is_single = topology_key.is_single && is_new;
        topology_key.of[node] = number->second;
    }
    // Nodes in hand-written manifests may lack the label that every kubelet sets.
    if (key == host_level && topology_key.count == 0) {
        std::iota(topology_key.of.begin(), topology_key.of.end(), 0U);
        topology_key.count = static_cast<std::uint32_t>(topology_key.of.size());
    }
    return topology_key;
}

}  // namespace echelon::model
