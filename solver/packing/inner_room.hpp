#pragma once

// How many pods does a node hold inside, where amounts don't say enough: by its NUMA zones, and by its devices?
//
// Single-threaded, belongs to one search.

#include "solver/packing/device_room.hpp"
#include "solver/packing/zone_room.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace echelon::solver {

class InnerRoom {
public:
    InnerRoom() = default;
    // `classes`: [member class] its pod class.
    InnerRoom(const model::Snapshot& snapshot, std::span<const model::PodClassId> classes, Occupancy occupancy)
        : zones_(snapshot, classes, occupancy), devices_(snapshot, classes, occupancy) {}

    // False if amounts say everything. All below is then trivial.
    [[nodiscard]] bool exist() const { return zones_.exist() || devices_.exist(); }
    [[nodiscard]] bool bind(std::uint32_t member_class, model::NodeId node) const {
        return zones_.bind(member_class, node) || devices_.bind(member_class, node);
    }
    // Pods of one class that fit if no others are placed.
    [[nodiscard]] std::int64_t limit(std::uint32_t member_class, model::NodeId node) const {
        return most(member_class, node, {});
    }
    // The same beside pods that are placed: [member class] how many.
    [[nodiscard]] std::int64_t most(std::uint32_t member_class, model::NodeId node,
                                    std::span<const std::int64_t> placed) const {
        const std::int64_t by_zones = zones_.most(member_class, node, placed);
        return by_zones == 0 ? 0 : std::min(by_zones, devices_.most(member_class, node, placed));
    }
    // Equal only for nodes that are alike inside.
    [[nodiscard]] std::uint64_t hash(model::NodeId node) const { return zones_.hash(node) ^ devices_.hash(node) * 3; }
    // True if room for a pod of `large` is room for one of `small`, on every node.
    [[nodiscard]] bool covers(std::uint32_t large, std::uint32_t small) const {
        return zones_.covers(large, small) && devices_.covers(large, small);
    }
    [[nodiscard]] bool is_exact() const { return zones_.is_exact() && devices_.is_exact(); }
    [[nodiscard]] Operations take_work() const { return zones_.take_work() + devices_.take_work(); }

    [[nodiscard]] const ZoneRoom& zones() const { return zones_; }
    [[nodiscard]] const DeviceRoom& devices() const { return devices_; }

private:
    ZoneRoom zones_;
    DeviceRoom devices_;
};

// True if NUMA zones or devices of some node matter to pods of this class.
[[nodiscard]] inline bool is_judged_inside(const model::Snapshot& snapshot, model::PodClassId pod_class) {
    return zones_matter_to(snapshot, pod_class) || !snapshot.pod_classes[pod_class].devices->empty();
}

}  // namespace echelon::solver
