// Gives the solver's view of the cluster: as a new copy, as an updated copy, or without a copy.

#include "model/cluster/cluster_state.hpp"

namespace echelon::model {

Snapshot Cluster::snapshot() const {
    return state_->node_index.current();
}

SnapshotDelta Cluster::renew(Snapshot& copy) const {
    return state_->node_index.renew(copy);
}

void Cluster::copy_room(Snapshot& copy, NodeId node) const {
    state_->node_index.copy_room(copy, node);
}

const Snapshot& Cluster::current() const {
    return state_->node_index.current();
}

}  // namespace echelon::model
