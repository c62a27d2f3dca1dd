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
    TopologyKeyIndex vicinity{.key = key, .of = std::vector<std::uint32_t>(snapshot.node_count(), nowhere)};
    std::map<std::string_view, std::uint32_t> numbers;
    vicinity.is_single = true;
    for (NodeId node = 0; node < vicinity.of.size(); ++node) {
        const auto facts = nodes.view(snapshot.node_names[node]);
        const auto value = facts ? facts->labels.value_of(key) : std::nullopt;
        if (!value)
            continue;
        const auto [number, is_new] = numbers.try_emplace(*value, vicinity.count);
        vicinity.count += is_new ? 1 : 0;
        vicinity.is_single = vicinity.is_single && is_new;
        vicinity.of[node] = number->second;
    }
    // Nodes in hand-written manifests may lack the label that every kubelet sets.
    if (key == host_level && vicinity.count == 0) {
        std::iota(vicinity.of.begin(), vicinity.of.end(), 0U);
        vicinity.count = static_cast<std::uint32_t>(vicinity.of.size());
    }
    return vicinity;
}

}  // namespace echelon::model
