#pragma once

// On which nodes do pods go, if each pod may use only the nodes of one scope?
//
// Tries a few orders of best fit first, then all packings that are not symmetric, within the budget. With one member
// class and nested scopes it finds a packing whenever `CapacityBounds` allow one. Pure, except that it charges the
// budget.

#include "model/topology/snapshot.hpp"
#include "solver/packing/capacity_bounds.hpp"
#include "solver/packing/demand.hpp"
#include "solver/packing/feasibility.hpp"
#include "solver/packing/scopes.hpp"
#include "solver/packing/search_budget.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace echelon::solver {

// Pods of one class that go into one scope.
struct PodBatch {
    std::uint32_t group = 0;
    std::uint32_t member_class = 0;
    std::int64_t count = 0;
    ScopeId scope = everywhere;
    // Down to this level, as few domains as possible are used (O3). Below it, and everywhere if `nowhere`, the fullest
    // domains come first (O4).
    std::uint32_t compact_depth = model::nowhere;
};

struct Placement {
    std::uint32_t batch = 0;
    model::NodeId node = 0;
    std::int64_t count = 0;
};

struct Packed {
    Feasibility feasibility = Feasibility::unknown;
    std::vector<Placement> placements;
};

// The free room of some nodes while a packing grows. `i` is a position in `nodes`.
class PackingCapacity {
public:
    PackingCapacity(const model::Snapshot& snapshot, const Room& room, const Demand& demand,
                    std::vector<model::NodeId> nodes);

    [[nodiscard]] std::size_t size() const { return nodes_.size(); }
    [[nodiscard]] std::size_t resource_count() const { return resources_.size(); }
    [[nodiscard]] model::NodeId node(std::size_t i) const { return nodes_[i]; }
    [[nodiscard]] std::int64_t slots(std::uint32_t member_class, std::size_t i) const;
    void take(std::uint32_t member_class, std::size_t i, std::int64_t count);
    // What is free of the resource that the gang is shortest of.
    [[nodiscard]] std::int64_t scarce(std::size_t i) const { return room_[i * resources_.size() + scarce_]; }
    [[nodiscard]] std::int64_t scarce_need(std::uint32_t member_class) const {
        return requests_[member_class][scarce_];
    }
    [[nodiscard]] std::span<const std::int64_t> room_of(std::size_t i) const {
        return std::span(room_).subspan(i * resources_.size(), resources_.size());
    }
    void choose_scarce(std::span<const PodBatch> batches);
    // Hashes that tell nodes of equal room apart. The first covers the classes that conflicts keep out now, the second
    // NUMA zones and devices and what was placed in them, the third wide topology keys.
    [[nodiscard]] std::uint64_t conflict_hash(std::size_t i) const;
    [[nodiscard]] std::uint64_t inner_hash(std::size_t i) const;
    [[nodiscard]] std::uint64_t topology_key_hash(std::size_t i) const;
    [[nodiscard]] const MemberConflicts& conflicts() const { return conflicts_; }
    [[nodiscard]] const InnerRoom& inside() const { return inside_; }

private:
    [[nodiscard]] std::span<const std::int64_t> placed_inside(std::size_t i) const {
        return std::span(placed_inside_).subspan(i * classes_.size(), classes_.size());
    }

    const model::Snapshot& snapshot_;
    const std::vector<model::PodClassId>& classes_;
    const MemberConflicts& conflicts_;
    const InnerRoom& inside_;
    PlacedCounts placed_;
    std::vector<std::int64_t> placed_inside_;  // [node * classes + class]; empty: amounts say everything.
    std::vector<model::NodeId> nodes_;
    std::vector<std::size_t> resources_;               // Those that some class needs.
    std::vector<std::vector<std::int64_t>> requests_;  // [class][resource].
    std::vector<std::int64_t> room_;                   // [node * resources + resource]
    std::size_t scarce_ = 0;
};

class Packing {
public:
    Packing(const model::Snapshot& snapshot, const Room& room, const Demand& demand, const Scopes& scopes,
            CapacityBounds& bounds, SearchBudget& budget)
        : snapshot_(snapshot), room_(room), demand_(demand), scopes_(scopes), bounds_(bounds), budget_(budget) {}

    // Placements name batches by their index in `batches`.
    [[nodiscard]] Packed pack(std::span<const PodBatch> batches);
    // True if the budget is over: `unknown` then says nothing about the batches.
    [[nodiscard]] bool is_cut() const { return budget_.is_over(); }
    // Charges work that a caller did to prepare a packing.
    void work(Operations operations) { budget_.charge(operations); }

private:
    [[nodiscard]] std::vector<std::uint32_t> parts_of(std::span<const PodBatch> batches);
    [[nodiscard]] Packed pack_part(std::span<const PodBatch> batches);
    [[nodiscard]] std::vector<model::NodeId> nodes_for(std::span<const PodBatch> batches) const;

    const model::Snapshot& snapshot_;
    const Room& room_;
    const Demand& demand_;
    const Scopes& scopes_;
    CapacityBounds& bounds_;
    SearchBudget& budget_;
};

// Tries all packings that are not symmetric, the most constrained batch first. Requires: `room` holds all nodes that
// the batches may use.
[[nodiscard]] Packed pack_exactly(const Scopes& scopes, PackingCapacity room, std::span<const PodBatch> batches,
                                  SearchBudget& budget);

}  // namespace echelon::solver
