#pragma once

// At which values of a topologyKey are pods that matter to a gang, and which nodes does that bar?
//
// Adds the topologyKeys that are asked for, and the barred nodes, to the constraints of one gang. Lives for one call.

#include "model/cluster/affinity_pods.hpp"
#include "model/cluster/node_index.hpp"
#include "model/facts/pod_term.hpp"
#include "model/gang/affinity_constraints.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

class LabelValues {
public:
    // [index of a value] 1: the value is one of them.
    using Values = std::vector<std::uint8_t>;
    // Does the constraint bar the nodes with one of the values, or all others, also those without the label?
    enum class Barred : std::uint8_t { these, all_others };

    // Requires: the arguments outlive it.
    LabelValues(const AffinityPods& pods, const Snapshot& snapshot, const NodeIndex& nodes,
                AffinityConstraints& constraints)
        : pods_(pods), snapshot_(snapshot), nodes_(nodes), constraints_(constraints) {}

    // False: no node has the label, so that no two pods can share a value.
    [[nodiscard]] bool is_on_nodes(const std::string& key) const { return nodes_.carries(key); }
    // Its index in AffinityConstraints::topology_keys.
    [[nodiscard]] std::uint32_t topology_key_of(const std::string& key);
    // Valid until the next key is added.
    [[nodiscard]] const TopologyKeyIndex& at(std::uint32_t topology_key) const {
        return constraints_.topology_keys[topology_key];
    }

    // Values where a pod is that all of these terms select and that is not in `without`. Requires: there is a term.
    [[nodiscard]] Values selected(const TopologyKeyIndex& topology_key, std::span<const PodTerm* const> terms,
                                  const AffinityPods::Rows& without) const;
    // Values where a pod outside the gang has this term of anti-affinity.
    [[nodiscard]] Values carrying(const TopologyKeyIndex& topology_key, const PodTerm& term) const;
    // Adds the value of a node, if it is known and has one.
    void add(const TopologyKeyIndex& topology_key, std::string_view node, Values& values) const;
    // Keeps the affinity class away from nodes.
    void bar(std::uint32_t affinity_class, const TopologyKeyIndex& topology_key, const Values& values, Barred which);

private:
    const AffinityPods& pods_;
    const Snapshot& snapshot_;
    const NodeIndex& nodes_;
    AffinityConstraints& constraints_;
    std::map<std::string, std::uint32_t, std::less<>> numbers_;  // By key.
};

}  // namespace echelon::model
