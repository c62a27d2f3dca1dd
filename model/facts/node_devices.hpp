#pragma once

// Which devices of one node can be matched to requests one by one? (DR3)
//
// Devices have no names here, so that nodes with equal devices are equal. Plain values.

#include "base/shared.hpp"
#include "model/facts/device_asks.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace echelon::model {

struct NodeDevices {
    struct Item {
        std::uint64_t takers = 0;         // One bit for each of `kinds` that can take it.
        bool is_taken = false;            // A claim has it.
        std::vector<std::string> values;  // [attribute]; empty: it lacks the attribute.
        std::vector<std::pair<std::uint32_t, std::int64_t>> counters = {};  // Into `counters`; what it takes of them.
        // Those of `takers` that can't take it now: kube-scheduler ends with an error at a free device before it.
        std::uint64_t hidden = 0;

        auto operator<=>(const Item&) const = default;
    };

    std::vector<std::string> kinds;       // Of requests; sorted.
    std::vector<std::string> attributes;  // Those that rules name; sorted.
    std::vector<std::int64_t> counters;   // What the devices of this node may take in all.
    std::vector<Item> devices;
    // One bit for each of `kinds` of which no request for all devices can be served here: a pool lacks slices, a
    // selector ends with an error, or a device has a taint that it doesn't tolerate.
    std::uint64_t never_all = 0;

    auto operator<=>(const NodeDevices&) const = default;
};

// A node with the pods that will have devices there, and whose claims have none yet.
struct MatchedNode {
    base::Shared<NodeDevices> devices;
    std::map<DeviceAsks, std::int64_t> expected = {};  // How many such pods.

    void add(const DeviceAsks& asks, std::int64_t pods);  // Nothing for empty asks; counts don't fall below 0.

    bool operator==(const MatchedNode&) const = default;
};

}  // namespace echelon::model
