#pragma once

// Which levels of the snapshot does a group ask for? (D3, D10 to D13)
//
// Pure. A required level that can't be found is a fault, a preferred one is dropped with a warning.

#include "model/facts/group.hpp"
#include "model/facts/topology.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace echelon::model {

struct RequestedLevels {
    std::vector<LevelRef> required;
    bool is_in_one_zone = false;  // The level of NUMA zones is required, and with it the host (NU3).
    std::vector<LevelRef> preferred;
    std::vector<std::pair<LevelRef, std::int64_t>> multiples;
    std::vector<std::pair<LevelRef, std::int64_t>> most_per_domain;
    std::optional<LevelRef> paired;
    std::string fault;  // The first required level that can't be used; names the group and the level. Empty: none.
    std::vector<std::string> warnings;
    // Topologies that can't be used, and unusable parts of declared domains, that required levels lack.
    std::vector<std::string> left_out;
};

// `faulty`: topologies that can't be used. A level that only they list is a fault, even if nodes carry the label. If
// others list it, too, a warning names the fault (Z7).
[[nodiscard]] RequestedLevels look_up(const Group& group, const Snapshot& snapshot,
                                      std::span<const Topology* const> faulty);

// True for the tree of one label that no topology lists (D12).
[[nodiscard]] bool is_single_label(const Tree& tree);

}  // namespace echelon::model
