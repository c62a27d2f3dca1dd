#include "engine/gang/roster_counts.hpp"

namespace echelon::engine {

bool RosterCounts::holds_without_commit(const Quorum& quorum) const {
    if (!holds_without_commit_)
        holds_without_commit_ = quorum.holds_without_commit(bound_);
    return *holds_without_commit_;
}

bool RosterCounts::is_ended_by_commit(const MemberRow& row, const Quorum& quorum, const CommitMembers& commit) {
    return row.has_succeeded && row.leaf != model::nowhere && quorum.counts_only_waiting(row.leaf) &&
           !commit.ran_before.contains(row.uid);
}

void RosterCounts::reset(const Quorum& quorum) {
    *this = {};
    bound_ = quorum.finished();
    arrived_ = bound_;
    leaves_.resize(bound_.size());
}

void RosterCounts::tally(const MemberRow& row, const Quorum& quorum, const CommitMembers& commit, std::int64_t sign) {
    const bool is_bound = !row.node.empty();
    const bool begins = (is_bound && !commit.ran_before.contains(row.uid)) || is_ended_by_commit(row, quorum, commit);
    begun_members_ += begins ? sign : 0;
    if (row.leaf == model::nowhere)
        return;
    if (is_bound) {
        bound_[row.leaf] += sign;
        arrived_[row.leaf] += sign;
        holds_without_commit_.reset();
    }
    leaves_[row.leaf].begun += begins ? sign : 0;
    leaves_[row.leaf].completed += !commit.completed.empty() && commit.completed.contains(row.uid) ? sign : 0;
}

void RosterCounts::tally(const SeatState& seat, const CommitMembers& commit, std::int64_t sign) {
    using Binding = SeatState::Binding;
    const bool is_in_flight = is_under_way(seat);
    under_way_ += is_in_flight ? sign : 0;
    unresolved_ += is_in_flight && seat.binding != Binding::posted ? sign : 0;
    at_barrier_ += seat.binding == Binding::arrived ? sign : 0;
    calls_ += seat.call != 0 ? sign : 0;
    if (seat.leaf == model::nowhere)
        return;
    if (seat.binding != Binding::idle)
        arrived_[seat.leaf] += sign;
    if (seat.binding == Binding::posted) {
        bound_[seat.leaf] += sign;
        holds_without_commit_.reset();
    } else {
        leaves_[seat.leaf].open += sign;
    }
    leaves_[seat.leaf].begun += is_in_flight && !commit.ran_before.contains(seat.pod.uid) ? sign : 0;
}

}  // namespace echelon::engine
