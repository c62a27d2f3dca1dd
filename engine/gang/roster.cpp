#include "engine/gang/roster.hpp"

#include <algorithm>
#include <utility>

namespace echelon::engine {

void Roster::update(std::optional<Quorum> quorum, std::vector<MemberRow> rows) {
    if (quorum)
        quorum_ = std::move(*quorum);
    row_of_.clear();
    members_ = std::move(rows);
    row_of_.reserve(members_.size());
    for (auto& row : members_) {
        row.leaf = quorum_.leaf_of(row.uid);
        row_of_.emplace(row.uid, static_cast<std::uint32_t>(row_of_.size()));
    }
    for (auto& [uid, seat] : seats_)
        seat.leaf = quorum_.leaf_of(uid);
    recount();
}

MemberRow* Roster::row(std::string_view uid) {
    const auto found = row_of_.find(uid);
    return found == row_of_.end() ? nullptr : &members_[found->second];
}

const MemberRow* Roster::member(std::string_view uid) const {
    const auto found = row_of_.find(uid);
    return found == row_of_.end() ? nullptr : &members_[found->second];
}

std::uint32_t Roster::index_of(std::string_view uid) const {
    const auto found = row_of_.find(uid);
    return found == row_of_.end() ? model::nowhere : found->second;
}

void Roster::set_bound(const std::string& uid, const std::string& node) {
    auto* known = row(uid);
    if (known == nullptr)
        return;
    tally(*known, -1);
    known->node = node;
    tally(*known, 1);
}

void Roster::set_succeeded(const std::string& uid, bool has_succeeded) {
    auto* known = row(uid);
    if (known == nullptr || known->has_succeeded == has_succeeded)
        return;
    tally(*known, -1);
    known->has_succeeded = has_succeeded;
    tally(*known, 1);
}

const SeatState* Roster::seat(std::string_view uid) const {
    const auto found = seat_of_.find(uid);
    return found == seat_of_.end() ? nullptr : found->second;
}

void Roster::give(SeatState seat) {
    seat.leaf = quorum_.leaf_of(seat.pod.uid);
    const auto [at, is_new] = seats_.try_emplace(seat.pod.uid, std::move(seat));
    if (!is_new)
        return;
    seat_of_.emplace(at->first, &at->second);
    tally(at->second, 1);
    times_.add(at->second);
}

SeatState Roster::end(const std::string& uid) {
    seat_of_.erase(uid);
    auto node = seats_.extract(uid);
    tally(node.mapped(), -1);
    times_.remove(node.mapped());
    return std::move(node.mapped());
}

bool Roster::change(const std::string& uid, const std::function<void(SeatState& seat)>& change) {
    const auto found = seat_of_.find(uid);
    if (found == seat_of_.end())
        return false;
    auto& seat = *found->second;
    tally(seat, -1);
    times_.remove(seat);
    change(seat);
    tally(seat, 1);
    times_.add(seat);
    return true;
}

std::vector<std::string> Roster::not_under_way() const {
    std::vector<std::string> uids;
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

bool Roster::add_ran_before(const std::string& uid) {
    if (commit_.ran_before.contains(uid))
        return false;
    recount(uid, [&] { commit_.ran_before.insert(uid); });
    return true;
}

bool Roster::add_in_time(const std::string& uid) {
    if (commit_.in_time.contains(uid))
        return false;
    recount(uid, [&] { commit_.in_time.insert(uid); });
    return true;
}

void Roster::forget_in_time() {
    if (commit_.in_time.empty())
        return;
    commit_.in_time.clear();
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

void Roster::recount() {
    counts_.reset(quorum_);
    for (const auto& row : members_)
        tally(row, 1);
    for (const auto& [uid, seat] : seats_)
        tally(seat, 1);
}

void Roster::recount(const std::string& uid, const std::function<void()>& change) {
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
