#include "engine/gang/roster.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace echelon::engine {

void Roster::update(std::optional<Quorum> quorum, std::vector<MemberRow> rows) {
    if (quorum)
        quorum_ = std::move(*quorum);
    row_of_.clear();
    members_ = std::move(rows);
    row_of_.reserve(members_.size());
    for (std::uint32_t place = 0; place < members_.size(); ++place) {
        members_[place].leaf = quorum_.leaf_of(members_[place].uid);
        row_of_.insert(base::hash_of(members_[place].uid), place);
    }
    seat_at_.assign(members_.size(), nullptr);
    for (auto& [uid, seat] : seats_) {
        seat.leaf = quorum_.leaf_of(uid);
        seat.place = index_of(uid);
        if (seat.place != model::nowhere)
            seat_at_[seat.place] = &seat;
    }
    recount();
}

std::uint32_t Roster::index_of(base::Hashed uid) const {
    const auto* found = row_of_.find(uid.hash(), [&](std::uint32_t place) { return members_[place].uid == uid; });
    return found == nullptr ? model::nowhere : *found;
}

MemberRow* Roster::row(base::Hashed uid) {
    const auto place = index_of(uid);
    return place == model::nowhere ? nullptr : &members_[place];
}

const MemberRow* Roster::member(base::Hashed uid) const {
    const auto place = index_of(uid);
    return place == model::nowhere ? nullptr : &members_[place];
}

void Roster::set_bound(const base::Text& uid, const base::Text& node) {
    auto* known = row(uid);
    if (known == nullptr)
        return;
    tally(*known, -1);
    known->node = node;
    tally(*known, 1);
}

void Roster::set_succeeded(const base::Text& uid, bool has_succeeded) {
    auto* known = row(uid);
    if (known == nullptr || known->has_succeeded == has_succeeded)
        return;
    tally(*known, -1);
    known->has_succeeded = has_succeeded;
    tally(*known, 1);
}

SeatState* Roster::mutable_seat(base::Hashed uid) const {
    const auto* found = seat_of_.find(uid.hash(), [&](const SeatState* seat) { return seat->pod.uid == uid; });
    return found == nullptr ? nullptr : *found;
}

const SeatState* Roster::seat(base::Hashed uid) const {
    return mutable_seat(uid);
}

void Roster::give(SeatState seat) {
    seat.place = index_of(seat.pod.uid);
    seat.leaf = seat.place != model::nowhere ? members_[seat.place].leaf : quorum_.leaf_of(seat.pod.uid);
    // A plan gives seats in the order of UIDs.
    const auto former = seats_.size();
    auto& here = seats_.try_emplace(seats_.end(), seat.pod.uid, std::move(seat))->second;
    if (seats_.size() == former)
        return;
    seat_of_.insert(base::hash_of(here.pod.uid), &here);
    if (here.place != model::nowhere)
        seat_at_[here.place] = &here;
    tally(here, 1);
    times_.add(here);
}

SeatState Roster::end(const base::Text& uid) {
    auto& seat = *seat_of_.take(base::hash_of(uid), [&](const SeatState* one) { return one->pod.uid == uid; });
    if (seat.place != model::nowhere)
        seat_at_[seat.place] = nullptr;
    tally(seat, -1);
    times_.remove(seat);
    return std::move(seats_.extract(uid).mapped());
}

std::vector<base::Text> Roster::not_under_way() const {
    std::vector<base::Text> uids;
    for (const auto& [uid, seat] : seats_) {
        if (!is_under_way(seat))
            uids.push_back(uid);
    }
    return uids;
}

void Roster::set_ran_before(model::RunningBefore uids) {
    if (commit_.ran_before == uids)
        return;
    commit_.ran_before = std::move(uids);
    recount();
}

bool Roster::add_ran_before(const base::Text& uid) {
    if (commit_.ran_before.contains(uid))
        return false;
    recount(uid, [&] { commit_.ran_before.insert(uid); });
    return true;
}

bool Roster::add_completed(const base::Text& uid) {
    if (commit_.completed.contains(uid))
        return false;
    recount(uid, [&] { commit_.completed.insert(uid); });
    return true;
}

void Roster::forget_completed() {
    if (commit_.completed.empty())
        return;
    commit_.completed.clear();
    recount();
}

bool Roster::is_bound(bool is_committing) const {
    if (!counts_.holds_without_commit(quorum_))
        return false;
    if (!is_committing || !quorum_.counts_only_waiting())
        return true;
    for (std::uint32_t leaf = 0; leaf < counts_.groups(); ++leaf) {
        if (counts_.has_open(leaf) && quorum_.counts_only_waiting(leaf) && quorum_.is_short(leaf, counts_.bound()))
            return false;
    }
    return !is_partly_committed();
}

bool Roster::is_partly_committed() const {
    if (!quorum_.counts_only_waiting())
        return false;
    for (std::uint32_t leaf = 0; leaf < counts_.groups(); ++leaf) {
        const bool is_open = counts_.has_begun(leaf) && !counts_.is_complete(leaf);
        if (is_open && quorum_.counts_only_waiting(leaf) && quorum_.is_short(leaf, counts_.bound()))
            return true;
    }
    return false;
}

bool Roster::may_end_commit() const {
    auto bound = counts_.bound();
    for (std::uint32_t leaf = 0; leaf < counts_.groups(); ++leaf) {
        if (counts_.is_complete(leaf))
            bound[leaf] = std::max(bound[leaf], quorum_.minimum(leaf));
    }
    return quorum_.holds_without_commit(bound) && !is_partly_committed();
}

bool Roster::may_leave_rest() const {
    if (counts_.under_way() > 0 || is_partly_committed())
        return false;
    for (std::uint32_t leaf = 0; leaf < counts_.groups(); ++leaf) {
        if (counts_.has_begun(leaf) && counts_.has_open(leaf))
            return false;
    }
    return true;
}

void Roster::recount() {
    counts_.reset(quorum_);
    for (const auto& row : members_)
        tally(row, 1);
    for (const auto& [uid, seat] : seats_)
        tally(seat, 1);
}

void Roster::recount(const base::Text& uid, const std::function<void()>& change) {
    const auto* row = member(uid);
    const auto* there = seat(uid);
    if (row != nullptr)
        tally(*row, -1);
    if (there != nullptr)
        tally(*there, -1);
    change();
    if (row != nullptr)
        tally(*row, 1);
    if (there != nullptr)
        tally(*there, 1);
}

}  // namespace echelon::engine
