#pragma once

// What is in the way of a gang: which pods, promised seats and reserved domains take room on the nodes?
//
// Pure. For explanations alone: each function walks all objects that it is about.

#include "base/text.hpp"
#include "engine/reserve/domain_reservations.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/reserve/taken_room.hpp"
#include "model/cluster/cluster.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/explain/blockers.hpp"

#include <cstdint>
#include <string>

namespace echelon::engine {

// All running pods, and the nodes as the cluster has them. Walks all pods.
[[nodiscard]] solver::ClusterContext context_of(const model::Cluster& cluster, const model::Snapshot& snapshot);

// Adds the room that `NodeRoom::take_nominated` took: kube-scheduler keeps it for pods that have preempted others.
void append_nominated(solver::ClusterContext& around, const model::Cluster& cluster, const model::Snapshot& snapshot,
                      const TakenRoom& taken);

// Adds a hold. Requires: `node` is the number of the node in the snapshot.
void append_hold(solver::ClusterContext& around, const model::Cluster& cluster, const base::Text& uid, const Hold& hold,
                 model::NodeId node);

// Takes the free capacity of a reserved domain, and adds it as if a pod of the reservation's priority used it.
void take_reservation(solver::ClusterContext& around, model::Snapshot& snapshot, const model::GroupKey& owner,
                      const DomainReservation& reservation);

}  // namespace echelon::engine
