#pragma once

// How many seats does a group need at least, how many would a scope give it by count, and what is short there?
//
// Used after the search. Single-threaded, belongs to one refusal or explanation.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/explain/affinity_loss.hpp"
#include "solver/packing/capacity_bounds.hpp"
#include "solver/packing/demand.hpp"
#include "solver/packing/scopes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace echelon::solver {

class Shortage {
public:
    // Requires: the arguments outlive it.
    Shortage(const model::Snapshot& snapshot, const Room& room, const model::Gang& gang, const Demand& demand,
             const Scopes& scopes, CapacityBounds& bounds)
        : snapshot_(snapshot), room_(room), gang_(gang), demand_(demand), scopes_(scopes), bounds_(bounds) {}

    // [member class] The fewest seats that meet the minimum, if the children with fewest seats are chosen, and of those
    // the ones with the smallest pods.
    [[nodiscard]] std::vector<std::int64_t> smallest_seats(std::uint32_t group) const;
    // An upper bound: how many of these seats a scope has room for, by count.
    [[nodiscard]] std::int64_t room_for(std::span<const std::int64_t> seats, ScopeId scope) const;
    // True if it is shown, by filling node after node, that `count` of these seats fit into a scope by amounts. False:
    // they may or may not.
    [[nodiscard]] bool can_seat(std::span<const std::int64_t> seats, ScopeId scope, std::int64_t count) const;
    // A node of the domain with room for most of these seats, as `room_for` counts, one in `first` before others.
    // Nullopt: a domain admits the amounts. `amounts`: [bound]. Requires: `first` is in the tree of the level.
    [[nodiscard]] std::optional<model::NodeId> node_with_most_room(model::LevelRef level, ScopeId first,
                                                                   std::span<const std::int64_t> seats,
                                                                   std::span<const std::int64_t> amounts) const;
    // The member class of these seats with the fewest slots in the cluster.
    [[nodiscard]] std::uint32_t hardest(std::span<const std::int64_t> seats) const;
    // The member class of these seats that lacks most slots in a scope. Without pod affinity it is the hardest.
    [[nodiscard]] std::uint32_t scarcest(ScopeId scope, std::span<const std::int64_t> seats) const;
    // Usable nodes of `outer` that are in no domain of the narrowest level that the group requires (D6).
    [[nodiscard]] std::vector<model::NodeId> nodes_without_level(std::uint32_t group, ScopeId outer) const;
    // The resource that limits the scarcest of these pods most: if it were unlimited, there would be most slots. If
    // none alone would give more, since several run out together, the one with the fewest slots by itself. Nullopt: no
    // node is eligible, or pod affinity alone is to blame, since resources leave enough slots.
    [[nodiscard]] std::optional<std::size_t> missing_in(ScopeId scope, std::span<const std::int64_t> seats) const;
    // The same by name: "one NUMA zone of RESOURCE" where no zone has enough for the scarcest of these pods (NU2).
    [[nodiscard]] std::string missing_in_words(ScopeId scope, std::span<const std::int64_t> seats) const;
    // What pod affinity takes from the scarcest of these pods.
    [[nodiscard]] AffinityLoss affinity_loss(ScopeId scope, std::span<const std::int64_t> seats) const;

private:
    // A leaf and a number of seats.
    struct Pick {
        std::uint32_t leaf = 0;
        std::int64_t seats = 0;
    };

    // As `room_for`, for a scope or a place.
    template <typename Where>
    [[nodiscard]] std::int64_t room_in(std::span<const std::int64_t> seats, const Where& where) const;
    [[nodiscard]] std::vector<Pick> smallest_picks(std::uint32_t group) const;
    [[nodiscard]] static std::int64_t total_of(const std::vector<Pick>& picks);
    // [member class] The seats of these picks, the easiest classes first.
    [[nodiscard]] std::vector<std::int64_t> seats_of(const std::vector<Pick>& picks) const;
    // What these picks take: the fewer slots their classes have in the cluster, the more.
    [[nodiscard]] std::int64_t weight_of(const std::vector<Pick>& picks) const;
    [[nodiscard]] std::vector<std::uint32_t> easiest_first() const;
    // True if `count` of these seats fit when nodes are filled one after the other, class by class in this order.
    [[nodiscard]] bool fills(std::span<const std::uint32_t> order, std::span<const std::int64_t> seats,
                             std::span<const model::NodeId> nodes, std::int64_t count) const;
    void add_for_floor(std::uint32_t group, std::vector<Pick>& picks) const;
    void append_leaves(std::uint32_t group, std::vector<std::uint32_t>& leaves) const;
    // The resource by which NUMA zones take slots from the scarcest of these pods; empty: they take none.
    [[nodiscard]] std::string missing_in_zones(ScopeId scope, std::span<const std::int64_t> seats) const;
    // The devices of which there are enough, but not together, for the scarcest of these pods; empty: none.
    [[nodiscard]] std::string missing_together(ScopeId scope, std::span<const std::int64_t> seats) const;
    // How many of these seats fit if `left` of a bound remains, the lightest first.
    [[nodiscard]] std::int64_t most_in(std::size_t bound, std::span<const std::int64_t> seats, std::int64_t left) const;
    // Slots of the class in the cluster: the more, the easier are the pods to place.
    [[nodiscard]] std::int64_t ease_of(std::uint32_t member_class) const;
    // Slots of a node if one resource were unlimited. `without`: the index of that resource.
    [[nodiscard]] std::int64_t slots_without(model::PodClassId pod_class, model::NodeId node,
                                             std::size_t without) const;

    const model::Snapshot& snapshot_;
    const Room& room_;
    const model::Gang& gang_;
    const Demand& demand_;
    const Scopes& scopes_;
    CapacityBounds& bounds_;
};

// True if there is room for all these seats by amounts. If they don't fit then, pod anti-affinity forbids it.
[[nodiscard]] bool are_kept_apart(const Demand& demand, const Shortage& shortage, ScopeId scope,
                                  std::span<const std::int64_t> seats);
// Members of one class are of one affinity class.
[[nodiscard]] std::uint32_t affinity_class_of(const model::Gang& gang, const Demand& demand,
                                              std::uint32_t member_class);

}  // namespace echelon::solver
