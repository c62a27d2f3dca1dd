#pragma once

// Where levels come from: one declared topology (a Kueue Topology object, the configuration, a label preset).
// Plain values; the tree of domains that nodes form under it is in `model/snapshot.hpp`.

#include <cstdint>
#include <string>
#include <vector>

namespace echelon::model {

// In order of precedence (dialects section 14).
enum class TopologySource : std::uint8_t { object, configuration, preset };

struct Topology {
    std::string name;
    TopologySource source = TopologySource::object;
    std::string api_kind;             // "Topology.kueue.x-k8s.io"; empty unless an object.
    std::vector<std::string> levels;  // Node label keys, widest first. The host is implied when not listed.
    std::string problem;              // Why it can't be used; empty: it can.

    bool operator==(const Topology&) const = default;
};

}  // namespace echelon::model
