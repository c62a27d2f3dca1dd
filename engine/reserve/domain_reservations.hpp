#pragma once

// Which domain is kept for a gang that has waited too long? (rules Q5 to Q7)
//
// Other gangs don't get capacity that becomes free there, until the gang fits or the reservation ends. A gang has at
// most one. A new reservation shares no node with another; a node may lie in two once its labels change. Not
// thread-safe.

#include "engine/reserve/closed_nodes.hpp"
#include "engine/time.hpp"
#include "model/facts/pod.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/solve.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace echelon::engine {

// A domain by its path (D4): nodes that join it later are part of it.
struct DomainId {
    std::string tree;   // Name of the topology.
    std::string level;  // Key; empty: the whole cluster.
    std::string path;

    auto operator<=>(const DomainId&) const = default;
};

// "b0/r1", or "the cluster".
[[nodiscard]] std::string display_name(const DomainId& domain);
[[nodiscard]] std::vector<model::NodeId> nodes_of(const model::Snapshot& snapshot, const DomainId& domain);

struct DomainReservation {
    // The gang can start then on these nodes, since everything in its way has a declared end (Q17).
    struct Promise {
        std::int64_t at = 0;  // Seconds since 1970.
        std::vector<std::string> nodes;

        bool operator==(const Promise&) const = default;
    };
    DomainId domain;
    Time until = Time{0};
    std::int64_t priority = 0;  // Priority of the gang.
    // With a promise only its nodes are reserved, else the whole domain.
    std::optional<Promise> promise = {};
    Time free_by = until;  // Pods that end by then may use the room (Q6): the promised start, else the end.

    bool operator==(const DomainReservation&) const = default;
};

// Names that are unknown are left out.
[[nodiscard]] std::vector<model::NodeId> reserved_nodes(const model::Snapshot& snapshot,
                                                        const DomainReservation& reservation);

// "capacity freed in b0/r0 is reserved for it; expected to start by 2026-01-01T00:00:00Z".
[[nodiscard]] std::string sentence_about(const DomainReservation& reservation);

class DomainReservations {
public:
    [[nodiscard]] const DomainReservation* of(const model::GroupKey& owner) const;
    [[nodiscard]] std::size_t size() const { return reservations_.size(); }
    [[nodiscard]] const std::map<model::GroupKey, DomainReservation>& all() const { return reservations_; }
    [[nodiscard]] std::uint64_t version() const { return version_; }  // Differs after each change.
    // Some node of the domain is reserved.
    [[nodiscard]] bool overlaps(const model::Snapshot& snapshot, const DomainId& domain) const;
    void put(const model::GroupKey& owner, DomainReservation reservation);
    // True if there was one.
    bool drop(const model::GroupKey& owner);

    // Nodes that are reserved for other gangs, except in reservations that `may_pass` accepts (Q6, Q15).
    [[nodiscard]] ClosedNodes closed_to(
        const model::GroupKey& gang, const model::Snapshot& snapshot,
        const std::function<bool(const DomainReservation& reservation)>& may_pass) const;

private:
    std::map<model::GroupKey, DomainReservation> reservations_;
    std::uint64_t version_ = 0;
};

// The domain to reserve. It would hold the whole gang if it were empty but for the pods that are `staying`, and lacks
// the fewest slots for the minimum today. Its level is the narrowest that the root requires. If the root requires none,
// it is the narrowest with such a domain, or `widenings` levels wider. Requires: the gang was built against the
// snapshot. Costs a few searches of `budget` per level.
[[nodiscard]] std::optional<DomainId> closest_domain(const model::Snapshot& snapshot, const model::Gang& gang,
                                                     std::span<const model::Pod* const> staying,
                                                     solver::SolveOptions budget, std::uint32_t widenings,
                                                     const std::function<bool(const DomainId& domain)>& may_reserve);

// The domain is of the narrowest level that the root requires, or the root requires none. Requires: the gang was built
// against the snapshot.
[[nodiscard]] bool is_of_required_level(const model::Snapshot& snapshot, const model::Gang& gang,
                                        const DomainId& domain);

// True if it is proved that the domain would not hold the gang, even if it were empty but for the pods that are
// `staying`. Requires: the gang was built against the snapshot. Costs a search of `budget`, and a copy of the snapshot.
[[nodiscard]] bool can_never_hold(const model::Snapshot& snapshot, const model::Gang& gang, const DomainId& domain,
                                  std::span<const model::Pod* const> staying, solver::SolveOptions budget);

}  // namespace echelon::engine
