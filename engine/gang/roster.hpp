#pragma once

// Which members does a gang have, and which of them have a seat?
//
// The counts are updated with each change of a member or seat. Plain values, no clock.

#include "base/flat_table.hpp"
#include "base/hashed.hpp"
#include "base/text.hpp"
#include "engine/gang/quorum.hpp"
#include "engine/gang/roster_counts.hpp"
#include "engine/gang/seat_state.hpp"
#include "engine/gang/seat_times.hpp"
#include "model/cluster/cluster.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace echelon::engine {

class Roster {
public:
    Roster() = default;
    // Its parts point into each other.
    Roster(const Roster&) = delete;
    Roster& operator=(const Roster&) = delete;
    Roster(Roster&&) = default;
    Roster& operator=(Roster&&) = default;

    using Seats = std::map<base::Text, SeatState, std::less<>>;  // By pod UID.

    // --- The tree, as of the last refresh. Costs a walk over all members.
    // `quorum`: nullopt keeps the present one. The leaves of rows and seats are looked up in it.
    void update(std::optional<Quorum> quorum, std::vector<MemberRow> rows);
    [[nodiscard]] const Quorum& quorum() const { return quorum_; }
    [[nodiscard]] const std::vector<MemberRow>& members() const { return members_; }  // In tree order.
    [[nodiscard]] const MemberRow* member(base::Hashed uid) const;

    // --- What the watch shows of one member.
    void set_bound(const base::Text& uid, const base::Text& node);
    void set_succeeded(const base::Text& uid, bool has_succeeded);

    // --- Seats.
    [[nodiscard]] const Seats& seats() const { return seats_; }
    [[nodiscard]] const SeatState* seat(base::Hashed uid) const;
    // Requires: `row` is one of `members()`.
    [[nodiscard]] const SeatState* seat(const MemberRow& row) const {
        return seat_at_[static_cast<std::size_t>(&row - members_.data())];
    }
    // Nothing happens if the member has one.
    void give(SeatState seat);
    // Removes the seat and returns it. Requires: there is one.
    SeatState end(const base::Text& uid);
    // The only way to change a seat: calls `change(seat)`, which must not use the roster. False: there is no such seat.
    template <typename Change>
    bool change(base::Hashed uid, const Change& change) {
        auto* seat = mutable_seat(uid);
        if (seat == nullptr)
            return false;
        const auto before = SeatTimes::due_of(*seat);
        tally(*seat, -1);
        change(*seat);
        tally(*seat, 1);
        times_.change(*seat, before);
        return true;
    }
    // Sorted UIDs of the seats for which no binding was requested.
    [[nodiscard]] std::vector<base::Text> not_under_way() const;
    // The times at which seats need attention.
    [[nodiscard]] const SeatTimes& times() const { return times_; }

    // --- Which members a commit covers, in groups that count only waiting members (KP4).
    [[nodiscard]] const model::RunningBefore& ran_before() const { return commit_.ran_before; }
    void set_ran_before(model::RunningBefore uids);
    // False: the member was one of them already.
    bool add_ran_before(const base::Text& uid);
    [[nodiscard]] bool is_of_completed_group(const base::Text& uid) const { return commit_.completed.contains(uid); }
    bool add_completed(const base::Text& uid);
    void forget_completed();

    // --- Counts.
    [[nodiscard]] const RosterCounts& counts() const { return counts_; }
    [[nodiscard]] bool is_ended_by_commit(const MemberRow& row) const {
        return RosterCounts::is_ended_by_commit(row, quorum_, commit_);
    }

    // Every minimum is bound. A restart knows only the commit record. So while a commit is open, a group that counts
    // only waiting members must have bound its minimum by this commit.
    [[nodiscard]] bool is_bound(bool is_committing) const;
    // Some group that counts only waiting members has begun in this commit and still lacks members.
    [[nodiscard]] bool is_partly_committed() const;
    // An open commit may end once its seats are bound or released. Members that a complete group has lost since are
    // replaced by another commit.
    [[nodiscard]] bool may_end_commit() const;
    // An open commit may leave the rest to the next one. No group is bound in part, and no seat of a group that has
    // begun is left to bind.
    [[nodiscard]] bool may_leave_rest() const;

private:
    void tally(const MemberRow& row, std::int64_t sign) { counts_.tally(row, quorum_, commit_, sign); }
    void tally(const SeatState& seat, std::int64_t sign) { counts_.tally(seat, commit_, sign); }
    // Index into `members()`; model::nowhere: not a member.
    [[nodiscard]] std::uint32_t index_of(base::Hashed uid) const;
    [[nodiscard]] MemberRow* row(base::Hashed uid);
    [[nodiscard]] SeatState* mutable_seat(base::Hashed uid) const;
    void recount();
    // Takes the member's row and seat out of the counts, calls `change`, and counts them again.
    void recount(const base::Text& uid, const std::function<void()>& change);

    Quorum quorum_;
    std::vector<MemberRow> members_;
    base::FlatTable<std::uint32_t> row_of_;  // By UID: index of `members_`.
    std::vector<const SeatState*> seat_at_;  // [row of `members_`]
    Seats seats_;
    base::FlatTable<SeatState*> seat_of_;  // The same by a hash of the UID.
    SeatTimes times_;
    CommitMembers commit_;
    RosterCounts counts_;
};

}  // namespace echelon::engine
