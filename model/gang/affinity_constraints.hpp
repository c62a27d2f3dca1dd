#pragma once

// Which members of a gang must be apart or together, and from which nodes do pods outside the gang keep them? (D14)
//
// The required terms of pod (anti-)affinity for one gang, resolved against one snapshot. Plain values; all empty if no
// term selects a member, which is the common case.

#include <cstdint>
#include <string>
#include <vector>

namespace echelon::model {

// Nodes by the value of one topologyKey. As in kube-scheduler only the label's value counts, not the path of wider
// levels (D4).
struct TopologyKeyIndex {
    std::string key;
    std::vector<std::uint32_t> of;  // [node] index of the label value; `nowhere`: no such label.
    std::uint32_t count = 0;        // How many values.
    bool is_single = false;         // Every node has another value, as for the host name.
};

// Pods of `one` and `other` may not share a value of the topologyKey; if both are equal, no two pods of that affinity
// class may.
struct Separation {
    std::uint32_t topology_key = 0;
    std::uint32_t one = 0;  // <= other.
    std::uint32_t other = 0;

    auto operator<=>(const Separation&) const = default;
};

// Each pod of the affinity class needs a friend at the same value of the topologyKey, or a pod outside the gang
// (`met`). A friend is a pod that all terms of the class select.
struct Attraction {
    std::uint32_t topology_key = 0;
    std::uint32_t affinity_class = 0;
    // Their affinity classes, sorted. If `affinity_class` is among them, the first of all friends may be alone.
    std::vector<std::uint32_t> friends;
    std::vector<std::uint8_t> met;  // [index of a value] 1: a pod outside the gang there satisfies the terms.
};

// An affinity class is a set of members that every term treats alike; no term applies to affinity class 0.
struct AffinityConstraints {
    std::uint32_t affinity_classes = 1;
    std::vector<TopologyKeyIndex> topology_keys;
    // [affinity class][node] 1: pods outside the gang keep it away; empty row: none do.
    std::vector<std::vector<std::uint8_t>> barred;
    std::vector<Separation> apart;  // Sorted, each once.
    std::vector<Attraction> together;
    bool is_exact = true;  // False: levels that are stricter than the terms replace them, so a refusal is no proof.

    [[nodiscard]] bool empty() const { return affinity_classes == 1; }
    [[nodiscard]] bool is_barred(std::uint32_t affinity_class, std::uint32_t node) const {
        return affinity_class < barred.size() && !barred[affinity_class].empty() && barred[affinity_class][node] != 0;
    }
};

}  // namespace echelon::model
