#pragma once

// Which room is closed to a gang that is decided beside a running service? Seats and domains that are promised to other
// gangs, and nodes that kube-scheduler refuses.
//
// Works on a copy of the engine's promises. Offline there is no such copy: only nominated pods of others have room
// then. Not thread-safe.

#include "engine/facts.hpp"
#include "engine/reserve/closed_nodes.hpp"
#include "engine/reserve/domain_reservations.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/reserve/refused_nodes.hpp"
#include "engine/reserve/taken_room.hpp"
#include "engine/running_state.hpp"
#include "model/cluster/cluster.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/explain/blockers.hpp"

#include <utility>
#include <vector>

namespace echelon::app {

class PromisedRoom {
public:
    PromisedRoom() = default;
    explicit PromisedRoom(engine::RunningState&& state)
        : ledger_(std::move(state.ledger)),
          reservations_(std::move(state.reservations)),
          refused_nodes_(std::move(state.refused_nodes)) {}

    // Ends promises that the facts contradict: the pod is of another gang, ends or asks for something else, or the node
    // is gone, takes no pods or is too small. Call before the others.
    void keep_what_holds(const model::Cluster& cluster);
    // Takes what is promised out of a new snapshot.
    void take(model::Snapshot& snapshot) const;
    // Pods of other gangs that have a promised node. Views, good until the next `seat`.
    [[nodiscard]] std::vector<model::ExpectedPod> expected_beside(const model::GroupKey& root) const;
    // Members with a promised seat count as bound there. Seats of former members become free, in the snapshot, too.
    // Requires: `take` was called with the snapshot.
    void seat(model::Gang& gang, model::Snapshot& snapshot);

    // Room that is kept from a gang while this object lives: reserved domains, room for pods that have preempted
    // others, and nodes that kube-scheduler refuses to the gang.
    struct Withheld {
        engine::ClosedNodes closed;  // In reserved domains.
        engine::TakenRoom reserved;
        engine::TakenRoom nominated;
        engine::RefusedWhilePlanned refused;
    };
    // `finishes`: the gang is bound below its minimum, and reservations don't hinder it (B6).
    [[nodiscard]] Withheld withhold(const engine::Facts& facts, model::Snapshot& snapshot, const model::Gang& gang,
                                    bool finishes);
    // For an explanation: takes the same room for good, and lists it among what is in the way.
    void surround(const engine::Facts& facts, model::Snapshot& snapshot, const model::Gang& gang, bool finishes,
                  solver::ClusterContext& around);

private:
    engine::Ledger ledger_;
    engine::DomainReservations reservations_;
    engine::RefusedNodes refused_nodes_;
};

}  // namespace echelon::app
