#pragma once

// What has been decided so far? The scopes of groups and the seats of leaves, with a proof that they can be packed.
//
// Grows and shrinks like a stack. Single-threaded, belongs to one search.

#include "model/gang/gang.hpp"
#include "solver/packing/capacity_bounds.hpp"
#include "solver/packing/demand.hpp"
#include "solver/packing/packing.hpp"
#include "solver/packing/scopes.hpp"
#include "solver/search/scope_limits.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace echelon::solver {

inline constexpr ScopeId no_scope = 0xffffffffU;

// A group that is satisfied, and where. A leaf may have several: its lots of a multiple (D13).
struct PlacedGroup {
    std::uint32_t group = 0;
    ScopeId scope = no_scope;         // None: satisfied without a seat, and nowhere to put one.
    std::vector<std::int64_t> seats;  // Leaf: [size].

    [[nodiscard]] std::int64_t count() const;
};

class PartialPlan {
public:
    PartialPlan(const model::Snapshot& snapshot, const model::Gang& gang, const Demand& needs, const Scopes& scopes,
                CapacityBounds& gauges, Packing& packing);

    // Adds a group with these seats; false, and unchanged, if they can't be packed with the rest.
    [[nodiscard]] bool add(std::uint32_t group, ScopeId scope, std::vector<std::int64_t> seats);
    void remove_last();
    // Takes a group out, with all below it; what is left is packable all the more.
    std::vector<PlacedGroup> take_out(std::uint32_t group);
    // Back again. Requires: all picks were in the draft together before.
    void put_back(std::vector<PlacedGroup> picks);
    // Gives a pick more seats of one size; false, and unchanged, if they can't be packed.
    [[nodiscard]] bool raise(std::size_t pick, std::uint32_t size, std::int64_t count);
    void lower(std::size_t pick, std::uint32_t size, std::int64_t count);
    void clear();
    // Back to what it was once. Requires: `picks` were all in the draft together before.
    void restore(std::vector<PlacedGroup> picks);

    [[nodiscard]] const std::vector<PlacedGroup>& picks() const { return picks_; }
    [[nodiscard]] bool has(std::uint32_t group) const { return picked_[group] > 0; }
    [[nodiscard]] std::int64_t seats() const { return seats_; }
    // Seats of all picks below a group.
    [[nodiscard]] std::int64_t seats_below(std::uint32_t group) const;
    [[nodiscard]] std::vector<PodBatch> lots() const { return lots_of(picks_); }
    [[nodiscard]] std::vector<PodBatch> lots_of(std::span<const PlacedGroup> picks) const;
    // Same seats in the same scopes, same number.
    [[nodiscard]] std::uint64_t hash() const { return hash_ + limits_.hash(); }
    [[nodiscard]] const ScopeLimits& limits() const { return limits_; }
    // Waiting members of a leaf that have no seat yet, of one size.
    [[nodiscard]] std::int64_t left(std::uint32_t group, std::uint32_t size) const;

    // True once a packing was given up unproved: what failed since then is no proof.
    [[nodiscard]] bool is_unproved() const { return is_unproved_; }
    void forget_unproved() { is_unproved_ = false; }
    // True while counting alone decides: one size, nested scopes.
    [[nodiscard]] bool is_decided_by_counting() const {
        return needs_.sizes.size() <= 1 && scopes_.is_nested() && !needs_.relations.are_wide();
    }

private:
    [[nodiscard]] bool packs_around(ScopeId scope);
    // Seats of it and of another pick, or two of its own, would stand beside each other wherever they went (D14).
    [[nodiscard]] bool has_conflict(const PlacedGroup& pick);
    [[nodiscard]] std::uint32_t number_of(std::uint32_t vicinity, ScopeId scope);
    void count_pick(const PlacedGroup& pick, std::int64_t sign);
    void account(const PlacedGroup& pick, std::span<const std::int64_t> seats, std::int64_t sign);
    [[nodiscard]] std::uint64_t hash_of(const PlacedGroup& pick) const;
    [[nodiscard]] std::uint32_t compact_depth(std::uint32_t group, ScopeId scope) const;

    const model::Snapshot& snapshot_;
    const model::Gang& gang_;
    const Demand& needs_;
    const Scopes& scopes_;
    CapacityBounds& gauges_;
    Packing& packing_;
    ScopeLimits limits_;
    std::vector<PlacedGroup> picks_;
    std::vector<std::uint32_t> picked_;             // [group] number of picks.
    std::vector<std::vector<std::int64_t>> taken_;  // [group][size] seats.
    std::int64_t seats_ = 0;
    std::uint64_t hash_ = 0;
    std::unordered_map<std::uint64_t, Verdict> verdicts_;                 // Of sets of lots.
    std::map<std::pair<std::uint32_t, ScopeId>, std::uint32_t> numbers_;  // Of scopes in wide vicinities.
    bool is_unproved_ = false;
};

}  // namespace echelon::solver
