#pragma once

// How does a test give the nodes of a small world NUMA zones, and do pods fit into them? The answer tries every zone
// for every part.

#include "unit-tests/solver/support/world.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace echelon::solver::testing {

// Zones of equal allocatable and available amounts.
inline model::NodeZones zones_of(std::string node, model::ZoneScope scope,
                                 const std::vector<model::Amounts>& available) {
    model::NodeZones zones{.node = std::move(node), .is_single_numa_node = true, .scope = scope, .zones = {}};
    for (std::size_t z = 0; z < available.size(); ++z) {
        zones.zones.push_back(
            {.name = "node-" + std::to_string(z), .allocatable = available[z], .available = available[z]});
    }
    return zones;
}

inline void set_zones(World& world, model::NodeZones zones) {
    const model::NodeId node = *world.snapshot.node(zones.node);
    world.snapshot.zoned.insert_or_assign(node, model::ZonedNode{.zones = std::move(zones), .unreported = {}});
}

// The builder leaves pod classes empty: fills in their requests. All are Guaranteed, with one container each.
inline void fill_classes(World& world) {
    for (std::size_t s = 0; s < world.snapshot.pod_classes.size(); ++s) {
        model::PodClass& pod_class = world.snapshot.pod_classes[s];
        for (std::size_t r = 0; r < world.snapshot.resources.size(); ++r) {
            if (world.snapshot.need[s][r] > 0) {
                pod_class.requests.set(world.snapshot.resources[r], world.snapshot.need[s][r]);
            }
        }
        pod_class.alignment.edit().is_guaranteed = true;
    }
}

// Tries all zones for the parts from `at` on. `zones`: what is left in each.
inline bool fit_somehow(std::vector<model::Amounts>& zones, const std::vector<model::Amounts>& parts,
                        std::size_t at = 0) {
    if (at == parts.size()) {
        return true;
    }
    for (model::Amounts& zone : zones) {
        const model::Amounts before = zone;
        bool holds = true;
        for (const auto& [resource, amount] : parts[at].entries()) {
            holds = holds && zone.of(resource) >= amount;
            zone.set(resource, zone.of(resource) - amount);
        }
        const bool fits = holds && fit_somehow(zones, parts, at + 1);
        zone = before;
        if (fits) {
            return true;
        }
    }
    return false;
}

// Would the kubelet find zones for pods of these classes on the node, beside those that the zones don't show yet?
inline bool zones_hold(const model::Snapshot& snapshot, model::NodeId node,
                       const std::vector<model::PodClassId>& pods) {
    const auto zoned = snapshot.zoned.find(node);
    if (zoned == snapshot.zoned.end()) {
        return true;
    }
    std::vector<model::Amounts> parts;
    for (const model::PodClassId pod : pods) {
        const model::PodClass& of = snapshot.pod_classes[pod];
        for (model::Amounts& part : model::zone_parts(of.requests, *of.alignment, *zoned->second.zones)) {
            parts.push_back(std::move(part));
        }
    }
    if (parts.empty()) {
        return true;
    }
    for (const auto& [unreported, count] : zoned->second.unreported) {
        for (std::int64_t i = 0; i < count; ++i) {
            parts.insert(parts.end(), unreported.begin(), unreported.end());
        }
    }
    std::vector<model::Amounts> zones;
    for (const model::Zone& zone : zoned->second.zones->zones) {
        zones.push_back(zone.available);
    }
    return fit_somehow(zones, parts);
}

}  // namespace echelon::solver::testing
