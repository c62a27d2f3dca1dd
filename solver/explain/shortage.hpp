#pragma once

// How many seats does a group need at least, how many would a scope give it by count, and what is short there?
//
// For refusals and their explanations, after the search. Single-threaded, belongs to one of them.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/packing/capacity_bounds.hpp"
#include "solver/packing/demand.hpp"
#include "solver/packing/scopes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace echelon::solver {

class Shortage {
public:
    // Requires: the arguments outlive it.
    Shortage(const model::Snapshot& snapshot, const Room& room, const model::Gang& gang, const Demand& needs,
             const Scopes& scopes, CapacityBounds& gauges)
        : snapshot_(snapshot), room_(room), gang_(gang), needs_(needs), scopes_(scopes), gauges_(gauges) {}

    // What the minimum asks at least, size by size: what the leaves below would take when the easiest are chosen.
    [[nodiscard]] std::vector<std::int64_t> smallest_seats(std::uint32_t group) const;
    // How many of these seats a scope could give, by count.
    [[nodiscard]] std::int64_t room_for(std::span<const std::int64_t> seats, ScopeId scope) const;
    // The size of these seats with fewest slots in the cluster.
    [[nodiscard]] std::uint32_t hardest(std::span<const std::int64_t> seats) const;
    // Nodes of `outer` that could be used, but are in no domain of the narrowest level that the group requires (D6).
    [[nodiscard]] std::vector<model::NodeId> nodes_without_level(std::uint32_t group, ScopeId outer) const;
    // The resource without which the hardest of these pods would have most slots; nullopt: no node is eligible.
    [[nodiscard]] std::optional<std::size_t> missing_in(ScopeId scope, std::span<const std::int64_t> seats) const;

private:
    // A leaf, and its seats.
    struct Pick {
        std::uint32_t leaf = 0;
        std::int64_t seats = 0;
    };

    [[nodiscard]] std::vector<Pick> smallest_picks(std::uint32_t group) const;
    [[nodiscard]] static std::int64_t total_of(const std::vector<Pick>& picks);
    void add_for_floor(std::uint32_t group, std::vector<Pick>& picks) const;
    void append_leaves(std::uint32_t group, std::vector<std::uint32_t>& leaves) const;
    // How many of these seats a gauge lets through that has so much left, the lightest first.
    [[nodiscard]] std::int64_t most_in(std::size_t gauge, std::span<const std::int64_t> seats, std::int64_t left) const;
    [[nodiscard]] std::int64_t ease_of(std::uint32_t size) const;
    [[nodiscard]] std::int64_t slots_without(model::PodClassId shape, model::NodeId node, std::size_t without) const;

    const model::Snapshot& snapshot_;
    const Room& room_;
    const model::Gang& gang_;
    const Demand& needs_;
    const Scopes& scopes_;
    CapacityBounds& gauges_;
};

// The narrowest level that a group itself requires; nullopt: none.
[[nodiscard]] std::optional<model::LevelRef> narrowest_required(const model::GangGroup& group);

}  // namespace echelon::solver
