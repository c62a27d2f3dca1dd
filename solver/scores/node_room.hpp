#pragma once

// What is free on one node, and does a pod fit there? As scores see it: a few amounts, and each device where devices
// are known.
//
// Plain values. Pure.

#include <cstdint>
#include <vector>

namespace echelon::solver {

struct PodNeed {
    std::vector<std::int64_t> amounts;  // In the order of NodeRoom::amounts.
    std::int32_t whole = 0;             // Whole devices.
    std::int32_t share = 0;             // Thousandths of one device.
    double scarce = 0;                  // What it takes of the scarce resource.

    bool operator==(const PodNeed&) const = default;
};

struct NodeRoom {
    static constexpr std::int32_t whole_device = 1000;
    // On one node. What a node offers more of is an amount, counted in bytes or thousandths of devices, or without end:
    // KubeVirt offers 1,000 of kvm on each host.
    static constexpr std::int64_t most_devices = 999;

    std::vector<std::int64_t> amounts;
    std::vector<std::int32_t> devices;  // Free thousandths of each; sorted.
    std::uint32_t kind = 0;             // Nodes of one kind are eligible for the same pods.

    [[nodiscard]] bool fits(const PodNeed& need) const;
    // False: it doesn't fit, and nothing is taken. A share goes to the device with the least free that suffices.
    bool take(const PodNeed& need);
};

}  // namespace echelon::solver
