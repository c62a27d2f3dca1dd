// The lifecycle is the only writer of a gang's stage, and makes only transitions of the table.

#include "engine/gang/lifecycle.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// A leaf whose running member doesn't count toward its minimum of one: another one waits with a seat.
Roster roster_of_two() {
    model::Gang gang;
    gang.groups.resize(1);
    gang.groups[0].minimum = 2;
    gang.groups[0].earlier_members = 1;
    gang.groups[0].counts_only_waiting = true;
    gang.groups[0].last_member = 2;
    Roster roster;
    std::vector<MemberRow> rows;
    for (const std::string name : {"0", "1"}) {
        model::Member member;
        member.uid = "u" + name;
        gang.members.push_back(member);
        auto& row = rows.emplace_back();
        row.uid = member.uid;
        row.pod = "default/p" + name;
    }
    roster.update(Quorum(gang), std::move(rows));
    roster.set_bound("u0", "n1");
    SeatState seat;
    seat.pod.uid = "u1";
    roster.give(seat);
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

// What befalls a gang of one pod, in the words of the table below.
struct Life {
    Roster roster = roster_of_one();
    Lifecycle lifecycle;

    void befall(std::string_view event) {
        if (event == "seat" || event == "seat unseen")
            give_seat(roster);
        if (event == "unseat" || event == "unseat unseen")
            roster.end("u0");
        if (event == "bind" || event == "last binding")
            roster.set_bound("u0", "n1");
        if (event == "lose")
            roster.set_bound("u0", "");
        if (event == "another comes")
            roster = roster_of_two();
        if (event == "seat" || event == "unseat" || event == "bind" || event == "lose")
            lifecycle.members_changed(roster);
        if (event == "clear")
            lifecycle.clearing_began(roster);
        if (event == "cleared")
            lifecycle.clearing_ended(roster);
        if (event == "arrive")
            lifecycle.quorum_arrived(roster);
        if (event == "write")
            lifecycle.record_written(roster);
        if (event == "find commit")
            lifecycle.record_found(roster);
        if (event == "find Bound")
            lifecycle.found_bound(roster);
        if (event == "give up")
            lifecycle.commit_given_up(roster);
        if (event == "last binding")
            lifecycle.minimums_bound(roster);
        if (event == "complete")
            lifecycle.commit_completed(roster);
        if (event == "start over")
            lifecycle.attempt_ended(roster);
    }
};

using Events = std::vector<std::string_view>;

struct Row {
    Events before;
    Stage from;
    Events events;
    Stage to;
};

Events joined(Events one, const Events& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

TEST_CASE("the lifecycle as a table: stage, events, stage; every transition that is allowed is made") {
    const Events held = {"seat"};
    const Events recording = {"seat", "arrive"};
    const Events committed = {"seat", "arrive", "write"};
    const Events bound = joined(committed, {"unseat unseen", "last binding", "complete"});
    const Events degraded = joined(bound, {"lose"});
    const std::vector<Row> rows = {
        {{}, Stage::pending, {"seat unseen", "clear"}, Stage::clearing},
        {{}, Stage::pending, {"seat"}, Stage::held},
        {{}, Stage::pending, {"seat unseen", "find commit"}, Stage::committed},
        {{}, Stage::pending, {"bind"}, Stage::bound},
        {{}, Stage::pending, {"find Bound"}, Stage::degraded},
        {{"seat unseen", "clear"}, Stage::clearing, {"cleared"}, Stage::held},
        {{"seat unseen", "clear"}, Stage::clearing, {"unseat unseen", "cleared"}, Stage::pending},
        {{"seat unseen", "clear"}, Stage::clearing, {"unseat unseen", "bind"}, Stage::bound},
        {held, Stage::held, {"unseat"}, Stage::pending},
        {held, Stage::held, {"arrive"}, Stage::recording},
        {held, Stage::held, {"unseat unseen", "bind"}, Stage::bound},
        {recording, Stage::recording, {"write"}, Stage::committed},
        {recording, Stage::recording, {"give up"}, Stage::held},
        {recording, Stage::recording, {"unseat unseen", "give up"}, Stage::pending},
        {recording, Stage::recording, {"unseat unseen", "bind"}, Stage::bound},
        {joined(degraded, recording), Stage::recording, {"give up"}, Stage::degraded},
        {committed, Stage::committed, {"unseat unseen", "last binding"}, Stage::bound},
        {committed, Stage::committed, {"give up"}, Stage::held},
        {committed, Stage::committed, {"unseat unseen", "give up"}, Stage::pending},
        {joined(degraded, committed), Stage::committed, {"give up"}, Stage::degraded},
        {bound, Stage::bound, {"lose"}, Stage::degraded},
        {joined(committed, {"unseat unseen", "last binding"}), Stage::bound, {"lose"}, Stage::committed},
        {bound, Stage::bound, {"another comes", "arrive"}, Stage::recording},
        {degraded, Stage::degraded, {"seat", "arrive"}, Stage::recording},
        {degraded, Stage::degraded, {"bind"}, Stage::bound},
        {degraded, Stage::degraded, {"seat unseen", "start over"}, Stage::held},
        {degraded, Stage::degraded, {"start over"}, Stage::pending},
    };
    std::set<std::pair<Stage, Stage>> made;
    for (const auto& row : rows) {
        Life life;
        for (const auto event : row.before)
            life.befall(event);
        CAPTURE(to_string(row.from));
        CAPTURE(to_string(row.to));
        CHECK(life.lifecycle.stage() == row.from);
        for (const auto event : row.events)
            life.befall(event);
        CHECK(life.lifecycle.stage() == row.to);
        CHECK_FALSE(life.lifecycle.take_illegal_transition());
        made.emplace(row.from, row.to);
    }
    for (const auto& allowed : transitions) {
        CAPTURE(allowed.why);
        CHECK(made.contains({allowed.from, allowed.to}));
    }
    CHECK(made.size() == transitions.size());
}

}  // namespace
}  // namespace echelon::engine
