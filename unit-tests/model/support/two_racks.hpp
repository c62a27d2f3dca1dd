#pragma once

// How does a test of pod affinity state where pods may go? Two racks of two hosts in one block.

#include "unit-tests/model/support/facts.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace echelon::model::facts {

inline Node hosted(const std::string& name, const std::string& in_rack) {
    auto node = racked(name, "b0", in_rack);
    node.labels[host] = name;
    return node;
}

// With the group "web".
inline std::vector<Event> two_racks(std::int64_t minimum) {
    return {NodeSeen{hosted("a0", "a")},
            NodeSeen{hosted("a1", "a")},
            NodeSeen{hosted("b0", "b")},
            NodeSeen{hosted("b1", "b")},
            TopologySeen{topology("fabric", {block, rack, host})},
            GroupSeen{leaf("web", minimum)}};
}

}  // namespace echelon::model::facts
