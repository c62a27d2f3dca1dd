#pragma once

// What is known of one Kubernetes node: labels, room, and whether it may take pods. Plain values.

#include "model/facts/amounts.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

using Labels = std::map<std::string, std::string, std::less<>>;

// What the provider calls a node's machine: the name by which topology files know it.
inline constexpr std::string_view instance_annotation = "topograph.run/instance";

enum class TaintEffect : std::uint8_t { no_schedule, prefer_no_schedule, no_execute };

struct Taint {
    std::string key;
    std::string value;
    TaintEffect effect = TaintEffect::no_schedule;

    auto operator<=>(const Taint&) const = default;
};

struct Node {
    std::string name;
    std::string uid;
    Labels labels;
    Labels annotations;   // Only those that a topology source reads; usually empty.
    Amounts allocatable;  // What pods may request in all, "pods" included.
    std::vector<Taint> taints;
    bool ready = true;           // Condition Ready is True.
    bool unschedulable = false;  // Cordoned.
    bool deleting = false;       // Has a deletion timestamp.
    // What of it can't be read and is left out, each as "PATH: what is wrong"; an amount that can't be read is 0.
    std::vector<std::string> faults = {};

    // May take any pod at all; taints are judged per pod shape.
    [[nodiscard]] bool is_usable() const { return ready && !unschedulable && !deleting; }

    bool operator==(const Node&) const = default;
};

}  // namespace echelon::model
