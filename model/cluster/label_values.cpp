#include "model/cluster/label_values.hpp"

#include "model/cluster/topology_keys.hpp"

#include <algorithm>

namespace echelon::model {

std::uint32_t LabelValues::topology_key_of(const std::string& key) {
    auto& all = constraints_.topology_keys;
    const auto [known, is_first] = numbers_.try_emplace(key, static_cast<std::uint32_t>(all.size()));
    if (is_first)
        all.push_back(index_by_label(key, snapshot_, nodes_));
    return known->second;
}

LabelValues::Values LabelValues::selected(const TopologyKeyIndex& topology_key, std::span<const PodTerm* const> terms,
                                          const AffinityPods::Rows& without) const {
    Values values(topology_key.count, 0);
    pods_.for_each_selected(terms, without, [&](std::string_view node) { add(topology_key, node, values); });
    return values;
}

LabelValues::Values LabelValues::carrying(const TopologyKeyIndex& topology_key, const PodTerm& term) const {
    Values values(topology_key.count, 0);
    pods_.for_each_carrying(term, [&](std::string_view node) { add(topology_key, node, values); });
    return values;
}

void LabelValues::add(const TopologyKeyIndex& topology_key, std::string_view node, Values& values) const {
    const auto number = snapshot_.node(node);
    if (number && topology_key.of[*number] != nowhere)
        values[topology_key.of[*number]] = 1;
}

void LabelValues::bar(std::uint32_t affinity_class, const TopologyKeyIndex& topology_key, const Values& values,
                      Barred which) {
    const bool bars_these = which == Barred::these;
    if (bars_these && std::ranges::none_of(values, [](auto is_in) { return is_in != 0; }))
        return;
    auto& row = constraints_.barred[affinity_class];
    row.resize(snapshot_.node_count(), 0);
    for (NodeId node = 0; node < row.size(); ++node) {
        const bool is_in = topology_key.of[node] != nowhere && values[topology_key.of[node]] != 0;
        if (is_in == bars_these)
            row[node] = 1;
    }
}

}  // namespace echelon::model
