#pragma once

// What is free on every node, device by device, and how many pods of one kind fit there?
//
// Pure; not thread-safe.

#include "model/topology/snapshot.hpp"
#include "simulate/devices.hpp"
#include "simulate/trace.hpp"
#include "simulate/world.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace echelon::simulate {

// A PodRequest in terms of these nodes.
struct Demand {
    std::vector<std::pair<std::size_t, std::int64_t>> amounts;  // Resource id, amount; "pods" too, devices not.
    std::size_t devices = SIZE_MAX;                             // Index of the kind; SIZE_MAX: none is asked for.
    std::int64_t whole = 0;
    std::int64_t share = 0;
    std::uint32_t eligibility = 0;  // Which nodes may host it at all.
    bool is_offered = true;         // False: some resource is on no node.
};

class Machines {
public:
    Machines(const World& world, const Trace& trace);

    [[nodiscard]] std::size_t node_count() const { return room_.node_count(); }
    [[nodiscard]] std::size_t demand_count() const { return demands_.size(); }
    [[nodiscard]] const Demand& demand(std::uint32_t request) const { return demands_[request]; }
    [[nodiscard]] const model::Snapshot& snapshot() const { return room_; }
    [[nodiscard]] bool may_host(model::NodeId node, const Demand& demand) const {
        return eligible_[demand.eligibility][node] != 0;
    }
    // How many pods fit on the node now; 0 where they may not go.
    [[nodiscard]] std::int64_t seats(model::NodeId node, const Demand& demand) const;
    // The same on an empty node.
    [[nodiscard]] std::int64_t seats_when_empty(model::NodeId node, const Demand& demand) const;

    // Requires: a pod fits. Returns the numbers of the pod's devices.
    std::vector<std::uint32_t> take(model::NodeId node, const Demand& demand);
    void give_back(model::NodeId node, const Demand& demand, std::span<const std::uint32_t> devices);
    // A closed node has no seats; what runs there stays. Both do nothing if it is so already.
    void close(model::NodeId node) { set_closed(node, 1); }
    void open(model::NodeId node) { set_closed(node, 0); }
    // How often room on any node has changed. The nodes of the last changes are kept, at least one change per node.
    [[nodiscard]] std::uint64_t changes() const { return changes_; }
    [[nodiscard]] std::size_t changes_kept() const { return log_.size(); }
    [[nodiscard]] model::NodeId changed_at(std::uint64_t change) const { return log_[change % log_.size()]; }

    // The snapshot with this demand as its only pod class: what the solver plans on.
    [[nodiscard]] model::Snapshot& solver_view(const Demand& demand);
    // What a pod of this demand leaves on its node, apart from shares of devices: resource id, amount.
    [[nodiscard]] std::vector<std::pair<std::size_t, std::int64_t>> release_of(const Demand& demand) const;

    // One kind of device, as `allocated` reports it.
    struct DeviceKind {
        std::string resource;           // "nvidia.com/gpu"
        std::size_t whole = SIZE_MAX;   // Resource id of whole devices.
        std::size_t shared = SIZE_MAX;  // Resource id of shares; SIZE_MAX: no node offers any.
        Devices free;
    };
    [[nodiscard]] std::span<const DeviceKind> device_kinds() const { return kinds_; }

private:
    void find_devices(const World& world, const Trace& trace);
    void seat_running(const World& world);
    void add_demand(const World& world, const PodRequest& request);
    [[nodiscard]] std::uint32_t eligibility_of(const World& world, const std::vector<std::string>& models);
    [[nodiscard]] std::optional<std::size_t> resource_id(std::string_view name) const;
    void write_devices(model::NodeId node, const DeviceKind& kind);
    void note_change(model::NodeId node);
    void set_closed(model::NodeId node, std::uint8_t is_closed);

    model::Snapshot room_;
    std::vector<DeviceKind> kinds_;
    std::vector<Demand> demands_;
    std::vector<std::vector<std::uint8_t>> eligible_;
    std::map<std::vector<std::string>, std::uint32_t> eligibilities_;  // By models.
    std::vector<std::uint8_t> closed_;                                 // [node]
    std::vector<model::NodeId> log_;
    std::uint64_t changes_ = 0;
};

}  // namespace echelon::simulate
