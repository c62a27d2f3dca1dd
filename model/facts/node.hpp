#pragma once

// What is known about one Kubernetes node? Labels, capacity, and whether it accepts pods. Plain values.

#include "model/facts/amounts.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

using Labels = std::map<std::string, std::string, std::less<>>;

// The annotation with the provider's name of the machine, which topology files use.
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
    // Fields that can't be read, each as "PATH: what is wrong". They are left out; an unreadable amount is 0.
    std::vector<std::string> faults = {};

    // True if the node accepts any pod at all; taints are judged per pod class.
    [[nodiscard]] bool is_usable() const { return ready && !unschedulable && !deleting; }

    bool operator==(const Node&) const = default;
};

}  // namespace echelon::model
