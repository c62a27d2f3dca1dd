// The cluster as the solver sees it: a copy, a copy that is kept up to date, or no copy.

#include "model/cluster/cluster_state.hpp"

namespace echelon::model {

Snapshot Cluster::snapshot() const {
    return state_->landscape.current();
}

SnapshotDelta Cluster::renew(Snapshot& copy) const {
    return state_->landscape.renew(copy);
}

void Cluster::copy_room(Snapshot& copy, NodeId node) const {
    state_->landscape.copy_room(copy, node);
}

void Cluster::copy_eligibility(Snapshot& copy) const {
    state_->landscape.copy_eligibility(copy);
}

const Snapshot& Cluster::current() const {
    return state_->landscape.current();
}

}  // namespace echelon::model
