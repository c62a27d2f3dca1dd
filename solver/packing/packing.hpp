#pragma once

// On which nodes do these pods sit, when each may use only the nodes of its scope?
//
// Tries a few orders of best fit first, then every packing that differs, within the budget. Finds a packing of a single
// size in nested scopes whenever the counts of `CapacityBounds` allow one. Pure but for the steps it counts.

#include "model/topology/snapshot.hpp"
#include "solver/packing/capacity_bounds.hpp"
#include "solver/packing/demand.hpp"
#include "solver/packing/scopes.hpp"
#include "solver/packing/search_budget.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace echelon::solver {

// Pods of one size that go into one scope.
struct PodBatch {
    std::uint32_t group = 0;
    std::uint32_t size = 0;
    std::int64_t count = 0;
    ScopeId scope = everywhere;
    // Down to this level of the scope's tree few domains are better than full ones (O3); nowhere: full ones first (O4).
    std::uint32_t compact_depth = model::nowhere;
};

struct Placement {
    std::uint32_t lot = 0;
    model::NodeId node = 0;
    std::int64_t count = 0;
};

enum class Verdict : std::uint8_t { fits, proved_not_to_fit, unknown };

struct Packed {
    Verdict verdict = Verdict::unknown;
    std::vector<Placement> placements;
};

// The working copy of the room of some nodes.
class PackingCapacity {
public:
    PackingCapacity(const model::Snapshot& snapshot, const Room& room, const Demand& needs,
                    std::vector<model::NodeId> nodes);

    [[nodiscard]] std::size_t size() const { return nodes_.size(); }
    [[nodiscard]] std::size_t resource_count() const { return resources_.size(); }
    [[nodiscard]] model::NodeId node(std::size_t i) const { return nodes_[i]; }
    [[nodiscard]] std::int64_t slots(std::uint32_t size, std::size_t i) const;
    void take(std::uint32_t size, std::size_t i, std::int64_t count);
    // What is free of the resource that the gang is shortest of: the measure of a broken node.
    [[nodiscard]] std::int64_t scarce(std::size_t i) const { return room_[i * resources_.size() + scarce_]; }
    [[nodiscard]] std::int64_t scarce_need(std::uint32_t size) const { return needs_[size][scarce_]; }
    [[nodiscard]] std::span<const std::int64_t> room_of(std::size_t i) const {
        return std::span(room_).subspan(i * resources_.size(), resources_.size());
    }
    void choose_scarce(std::span<const PodBatch> lots);
    // What tells two nodes of equal room apart: who is kept out, and in which wide vicinities they are.
    [[nodiscard]] std::uint64_t company(std::size_t i) const;
    [[nodiscard]] std::uint64_t surroundings(std::size_t i) const;
    [[nodiscard]] const MemberConflicts& relations() const { return relations_; }

private:
    const model::Snapshot& snapshot_;
    const std::vector<model::PodClassId>& sizes_;
    const MemberConflicts& relations_;
    Company company_;
    std::vector<model::NodeId> nodes_;
    std::vector<std::size_t> resources_;            // Those that some size needs.
    std::vector<std::vector<std::int64_t>> needs_;  // [size][resource].
    std::vector<std::int64_t> room_;                // [node * resources + resource]
    std::size_t scarce_ = 0;
};

class Packing {
public:
    Packing(const model::Snapshot& snapshot, const Room& room, const Demand& needs, const Scopes& scopes,
            CapacityBounds& gauges, SearchBudget& steps)
        : snapshot_(snapshot), room_(room), needs_(needs), scopes_(scopes), gauges_(gauges), steps_(steps) {}

    // Placements name lots by their index in `lots`.
    [[nodiscard]] Packed pack(std::span<const PodBatch> lots);
    // The present limit of steps is passed: an unknown verdict says nothing about the lots.
    [[nodiscard]] bool is_cut() const { return steps_.is_over(); }
    // Work that was done to ask for a packing.
    void work(Operations operations) { steps_.work(operations); }

private:
    [[nodiscard]] std::vector<std::uint32_t> parts_of(std::span<const PodBatch> lots);
    [[nodiscard]] Packed pack_part(std::span<const PodBatch> lots);
    [[nodiscard]] std::vector<model::NodeId> nodes_for(std::span<const PodBatch> lots) const;

    const model::Snapshot& snapshot_;
    const Room& room_;
    const Demand& needs_;
    const Scopes& scopes_;
    CapacityBounds& gauges_;
    SearchBudget& steps_;
};

// Every packing that differs, most constrained lot first. Requires: `room` holds all nodes that the lots may use.
[[nodiscard]] Packed pack_exactly(const Scopes& scopes, PackingCapacity room, std::span<const PodBatch> lots,
                                  SearchBudget& steps);

}  // namespace echelon::solver
