#pragma once

// Which domain is kept for a gang that has waited too long? (rules Q5 to Q7)
//
// Other gangs leave its capacity alone as it becomes free, until the gang fits or the reservation ends. No node is in
// two reservations, and a gang has one at most. Not thread-safe.

#include "engine/reserve/taken_room.hpp"
#include "engine/time.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/solve.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace echelon::engine {

// A domain by its identity (D4), so that nodes that come later are part of it.
struct DomainId {
    std::string tree;   // Name of the topology.
    std::string level;  // Key; empty: the whole cluster.
    std::string path;

    auto operator<=>(const DomainId&) const = default;
};

// "b0/r1", or "the cluster".
[[nodiscard]] std::string shown(const DomainId& site);
[[nodiscard]] std::vector<model::NodeId> nodes_of(const model::Snapshot& snapshot, const DomainId& site);

struct DomainReservation {
    DomainId site;
    Time until = Time{0};
    std::int64_t priority = 0;  // Of its gang.
};

class DomainReservations {
public:
    [[nodiscard]] const DomainReservation* of(const model::GroupKey& owner) const;
    [[nodiscard]] std::size_t size() const { return reservations_.size(); }
    [[nodiscard]] const std::map<model::GroupKey, DomainReservation>& all() const { return reservations_; }
    [[nodiscard]] std::uint64_t version() const { return version_; }  // Another one after each change.
    // True when a node of the site is in a reservation.
    [[nodiscard]] bool overlaps(const model::Snapshot& snapshot, const DomainId& site) const;
    void put(const model::GroupKey& owner, DomainReservation reservation);
    // True when there was one.
    bool drop(const model::GroupKey& owner);

    // Takes all free room that is reserved for other gangs, unless this gang may use it all the same, as `may_pass`
    // says of a reservation (Q6, Q15). Requires: every hold, the gang's own too, is taken already.
    [[nodiscard]] TakenRoom withhold_capacity(
        model::Snapshot& snapshot, const model::GroupKey& gang,
        const std::function<bool(const DomainReservation& reservation)>& may_pass) const;

private:
    std::map<model::GroupKey, DomainReservation> reservations_;
    std::uint64_t version_ = 0;
};

// The domain that is closest to holding the gang: the fewest of its minimum are without a slot there, and emptied it
// holds the whole of it. At the narrowest level that the root requires; without one at the narrowest level that will
// do, and one wider for each of `widenings`. `may_claim` leaves out what can't be had.
// Requires: the gang was built against the snapshot. Costs a few searches of `budget` each.
[[nodiscard]] std::optional<DomainId> closest_domain(const model::Snapshot& snapshot, const model::Gang& gang,
                                                     solver::SolveOptions budget, std::uint32_t widenings,
                                                     const std::function<bool(const DomainId& site)>& may_reserve);

}  // namespace echelon::engine
