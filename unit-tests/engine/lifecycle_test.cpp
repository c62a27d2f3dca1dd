// The lifecycle is the only writer of a gang's stage, and makes only transitions of the table.

#include "engine/gang/lifecycle.hpp"

#include <doctest/doctest.h>

namespace echelon::engine {
namespace {

// One leaf of one member.
Roster roster_of_one() {
    model::Gang gang;
    gang.groups.resize(1);
    gang.groups[0].minimum = 1;
    gang.groups[0].last_member = 1;
    model::Member member;
    member.uid = "u0";
    gang.members.push_back(member);
    Roster roster;
    MemberRow row;
    row.uid = "u0";
    row.pod = "default/p0";
    roster.update(Quorum(gang), {row});
    return roster;
}

void give_seat(Roster& roster) {
    SeatState seat;
    seat.pod.uid = "u0";
    roster.give(seat);
}

TEST_CASE("a gang goes from Pending over Held, recording and committed to Bound") {
    auto roster = roster_of_one();
    Lifecycle lifecycle;
    CHECK(lifecycle.stage() == Stage::pending);
    give_seat(roster);
    lifecycle.members_changed(roster);
    CHECK(lifecycle.stage() == Stage::held);
    lifecycle.quorum_arrived(roster);
    CHECK(lifecycle.stage() == Stage::recording);
    lifecycle.record_written(roster);
    CHECK(lifecycle.stage() == Stage::committed);
    roster.end("u0");
    roster.set_bound("u0", "n1");
    lifecycle.minimums_bound(roster);
    CHECK(lifecycle.stage() == Stage::bound);
    lifecycle.commit_completed(roster);
    CHECK(!lifecycle.is_committing());
    CHECK(!lifecycle.take_illegal_transition());
    roster.set_bound("u0", "");
    lifecycle.members_changed(roster);
    CHECK(lifecycle.stage() == Stage::degraded);
    lifecycle.attempt_ended(roster);
    CHECK(lifecycle.stage() == Stage::pending);
    CHECK(!lifecycle.is_faulted());
}

TEST_CASE("a commit without a hold is a breach: the gang isn't committed again until it starts over") {
    auto roster = roster_of_one();
    Lifecycle lifecycle;
    lifecycle.quorum_arrived(roster);
    CHECK(lifecycle.is_faulted());
    const auto breach = lifecycle.take_illegal_transition();
    REQUIRE(breach);
    CHECK(breach->first == Stage::pending);
    CHECK(breach->second == Stage::recording);
    CHECK(!lifecycle.take_illegal_transition());
    lifecycle.commit_given_up(roster);
    CHECK(lifecycle.stage() == Stage::pending);
    CHECK(!lifecycle.is_faulted());
}

TEST_CASE("a record that is written before the quorum has arrived is a breach") {
    auto roster = roster_of_one();
    Lifecycle lifecycle;
    give_seat(roster);
    lifecycle.members_changed(roster);
    lifecycle.record_written(roster);
    CHECK(lifecycle.is_faulted());
    CHECK(lifecycle.take_illegal_transition());
}

}  // namespace
}  // namespace echelon::engine
