#pragma once

// Can these claims have devices at the same time? The search behind `DeviceMatching`. Pure.

#include "solver/packing/device_matching.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace echelon::solver {

inline constexpr std::uint32_t no_kind = 64;  // Of a choice that no device of the node serves.

[[nodiscard]] bool takes(const DeviceMatching::Type& type, std::uint32_t kind);
// What a device takes of all counters of the node, in thousandths of each, rounded down.
[[nodiscard]] std::int64_t taken_share(const DeviceMatching::Type& type, const model::NodeDevices& node);

// Claims, and how many there are of each, in the order in which they are tried.
using CountedClaims = std::vector<std::pair<DeviceMatching::Claim, std::int64_t>>;

struct DeviceState {
    const model::NodeDevices& node;
    const std::vector<DeviceMatching::Type>& types;
    const std::vector<DeviceMatching::Part>& parts;
    std::vector<std::int64_t> counters;  // What is left of each.
    std::uint64_t taken = 0;             // Kinds of which a claim has a device.
};

[[nodiscard]] Feasibility search_claims(const DeviceState& state, const CountedClaims& claims, Operations& work);

}  // namespace echelon::solver
