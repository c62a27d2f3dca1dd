#pragma once

// What has been decided so far? The scopes of groups and the seats of leaves, with a proof that they can be packed.
//
// Grows and shrinks like a stack. Single-threaded, belongs to one search.

#include "model/gang/gang.hpp"
#include "solver/packing/capacity_bounds.hpp"
#include "solver/packing/demand.hpp"
#include "solver/packing/known_packing.hpp"
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

// A pick: a satisfied group and its scope. A leaf with a multiple has several picks, one for each whole multiple (D13).
struct PlacedGroup {
    std::uint32_t group = 0;
    ScopeId scope = no_scope;         // no_scope: satisfied without new seats, and no scope has room for more.
    std::vector<std::int64_t> seats;  // Leaf: [class].
    std::vector<PodsOnNode> nodes{};  // Of the seats in the known packing; empty if `is_unknown`.
    bool is_unknown = false;          // The seats were packed, and the known packing lacks them.

    [[nodiscard]] std::int64_t count() const;
};

class PartialPlan {
public:
    PartialPlan(const model::Snapshot& snapshot, const Room& room, const model::Gang& gang, const Demand& demand,
                const Scopes& scopes, CapacityBounds& bounds, Packing& packing);

    // Adds a group with these seats. False, and nothing changes, if they can't be packed with the rest.
    [[nodiscard]] bool add(std::uint32_t group, ScopeId scope, std::vector<std::int64_t> seats);
    void remove_last();
    // Removes a group and all groups below it, and returns them. What is left can still be packed.
    std::vector<PlacedGroup> take_out(std::uint32_t group);
    // Puts groups back. Requires: all picks were in the partial plan together before.
    void put_back(std::vector<PlacedGroup> picks);
    // Gives a pick more seats of one member class. False, and nothing changes, if they can't be packed.
    [[nodiscard]] bool raise(std::size_t pick, std::uint32_t member_class, std::int64_t count);
    void lower(std::size_t pick, std::uint32_t member_class, std::int64_t count);
    void clear();
    // Replaces all picks. Requires: `picks` were in the partial plan together before.
    void restore(std::vector<PlacedGroup> picks);

    [[nodiscard]] const std::vector<PlacedGroup>& picks() const { return picks_; }
    [[nodiscard]] bool has(std::uint32_t group) const { return picked_[group] > 0; }
    [[nodiscard]] std::int64_t seats() const { return seats_; }
    // Seats of all picks below a group.
    [[nodiscard]] std::int64_t seats_below(std::uint32_t group) const;
    [[nodiscard]] std::vector<PodBatch> batches() const { return batches_of(picks_); }
    [[nodiscard]] std::vector<PodBatch> batches_of(std::span<const PlacedGroup> picks) const;
    // A packing of `batches()`; empty: none is known.
    [[nodiscard]] std::vector<Placement> known_placements() const;
    // Equal for the same seats in the same scopes, whatever the order.
    [[nodiscard]] std::uint64_t hash() const { return hash_ + limits_.hash(); }
    [[nodiscard]] const ScopeLimits& limits() const { return limits_; }
    // Waiting members of a leaf that have no seat yet, of one class.
    [[nodiscard]] std::int64_t left(std::uint32_t group, std::uint32_t member_class) const;

    // True once a packing was given up without a proof. No failure after that is a proof.
    [[nodiscard]] bool is_unproved() const { return is_unproved_; }
    void forget_unproved() { is_unproved_ = false; }
    // True if counting alone decides whether pods can be packed: one member class, nested scopes.
    [[nodiscard]] bool is_decided_by_counting() const {
        return demand_.classes.size() <= 1 && scopes_.is_nested() && !demand_.conflicts.are_wide();
    }

private:
    // True if these new seats of a pick can be packed together with all picks that compete for nodes.
    [[nodiscard]] bool packs(PlacedGroup& pick, std::span<const std::int64_t> seats);
    [[nodiscard]] bool packs_around(ScopeId scope);
    void forget_nodes(PlacedGroup& pick);
    // Makes a packing of some picks the known one. `pick_of`: [batch] an index into `picks_`.
    void learn(std::span<const PodBatch> batches, std::span<const std::size_t> pick_of,
               std::span<const Placement> placements);
    // True if anti-affinity (D14) excludes the pick: the scope has one label value, which pods of the pick may not
    // share. They may not share it with each other, or with a pod of another pick there.
    [[nodiscard]] bool has_conflict(const PlacedGroup& pick);
    // The number of the label value that all nodes of the scope share; nowhere: they share none.
    [[nodiscard]] std::uint32_t number_of(std::uint32_t topology_key, ScopeId scope);
    void count_pick(const PlacedGroup& pick, std::int64_t sign);
    void account(const PlacedGroup& pick, std::span<const std::int64_t> seats, std::int64_t sign);
    void change_seats(PlacedGroup& pick, std::uint32_t member_class, std::int64_t count);
    void leave(const PlacedGroup& pick);
    [[nodiscard]] std::uint64_t hash_of(const PlacedGroup& pick) const;
    struct Competitors {
        std::vector<PodBatch> batches;
        std::vector<std::size_t> pick_of;  // [batch] index of the pick.
    };
    [[nodiscard]] Competitors competitors(ScopeId scope);
    // Depth of the narrowest level in the scope's tree that the group or an ancestor prefers; nowhere: none.
    [[nodiscard]] std::uint32_t compact_depth(std::uint32_t group, ScopeId scope) const;

    const model::Snapshot& snapshot_;
    const model::Gang& gang_;
    const Demand& demand_;
    const Scopes& scopes_;
    CapacityBounds& bounds_;
    Packing& packing_;
    KnownPacking known_;
    std::int64_t unknown_ = 0;  // Picks that `known_` lacks.
    ScopeLimits limits_;
    std::vector<PlacedGroup> picks_;
    std::vector<std::uint32_t> picked_;             // [group] number of picks.
    std::vector<std::vector<std::int64_t>> taken_;  // [group][class] seats.
    std::int64_t seats_ = 0;
    std::uint64_t hash_ = 0;
    std::unordered_map<std::uint64_t, Feasibility> known_feasibility_;    // By hash of a set of batches.
    std::map<std::pair<std::uint32_t, ScopeId>, std::uint32_t> numbers_;  // [topology key, scope] `number_of`.
    bool is_unproved_ = false;
};

}  // namespace echelon::solver
