// The incremental counts of a gang equal those of a walk over all members, whatever happens to them.

#include "engine/gang/roster.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

// Random numbers, the same for the same seed.
class Dice {
public:
    explicit Dice(std::uint32_t seed) : engine_(seed) {}
    std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(engine_() % end); }
    bool one_in(std::uint32_t sides) { return below(sides) == 0; }

private:
    std::mt19937 engine_;
};

using Binding = SeatState::Binding;

constexpr std::uint32_t member_count = 12;

// Three leaves under a root, with random members and minimums.
model::Gang random_gang(Dice& random) {
    model::Gang gang;
    gang.groups.resize(4);
    gang.groups[0].is_leaf = false;
    gang.groups[0].minimum = static_cast<std::int64_t>(random.below(3)) + 1;
    gang.groups[0].children = {1, 2, 3};
    for (std::uint32_t g = 1; g < 4; ++g) {
        auto& leaf = gang.groups[g];
        leaf.parent = 0;
        leaf.minimum = static_cast<std::int64_t>(random.below(4));
        leaf.counts_only_waiting = random.one_in(2);
        leaf.first_member = static_cast<std::uint32_t>(gang.members.size());
        for (std::uint32_t m = 0; m < member_count / 3; ++m) {
            model::Member member;
            member.uid = fmt::format("u{}", gang.members.size());
            if (random.one_in(8))
                member.state = model::Member::State::finished;
            if (!random.one_in(6))
                gang.members.push_back(member);
        }
        leaf.last_member = static_cast<std::uint32_t>(gang.members.size());
    }
    return gang;
}

std::string any_uid(Dice& random) {
    return fmt::format("u{}", random.below(member_count));
}

void look(Roster& roster, Dice& random) {
    const auto gang = random_gang(random);
    std::vector<MemberRow> rows;
    for (const auto& member : gang.members) {
        MemberRow row;
        row.uid = member.uid;
        row.pod = "default/" + member.uid;
        row.node = random.one_in(3) ? "n1" : "";
        row.has_succeeded = random.one_in(5);
        rows.push_back(row);
    }
    if (random.one_in(4)) {
        roster.update(std::nullopt, rows);
    } else {
        roster.update(Quorum(gang), rows);
    }
}

void change_seat(Roster& roster, const std::string& uid, Dice& random) {
    roster.change(uid, [&](SeatState& seat) {
        seat.binding = static_cast<Binding>(random.below(5));
        seat.release = static_cast<SeatState::Release>(random.below(5));
        seat.call = random.below(2);
        seat.deadline = random.one_in(2) ? never : Time{random.below(100)};
        seat.retry_at = random.one_in(2) ? never : Time{random.below(100)};
        seat.kick_at = random.one_in(2) ? never : Time{random.below(100)};
    });
}

void happen(Roster& roster, Dice& random) {
    const auto uid = any_uid(random);
    switch (random.below(10)) {
        case 0:
            return look(roster, random);
        case 1:
        case 2: {
            SeatState seat;
            seat.pod.uid = uid;
            return roster.give(seat);
        }
        case 3:
            if (roster.seat(uid) != nullptr)
                roster.end(uid);
            return;
        case 4:
            return roster.set_bound(uid, random.one_in(4) ? "" : "n2");
        case 5:
            return roster.set_succeeded(uid, random.one_in(2));
        case 6:
            static_cast<void>(random.one_in(2) ? roster.add_completed(uid) : roster.add_ran_before(uid));
            return;
        case 7:
            if (random.one_in(3))
                roster.forget_completed();
            if (random.one_in(3))
                roster.set_ran_before({uid});
            return;
        default:
            return change_seat(roster, uid, random);
    }
}

// The counts by a walk over all members and seats.
struct Walked {
    explicit Walked(const Roster& roster)
        : bound(roster.quorum().finished()), begun(bound.size(), false), complete(bound.size(), false) {
        for (const auto& row : roster.members())
            add(roster, row);
        arrived = bound;
        for (const auto& [uid, seat] : roster.seats())
            add(roster, seat);
    }

    void add(const Roster& roster, const MemberRow& row) {
        const bool by_commit = !roster.ran_before().contains(row.uid);
        const bool counts_waiting = row.leaf != model::nowhere && roster.quorum().counts_only_waiting(row.leaf);
        const bool begins = by_commit && (!row.node.empty() || (counts_waiting && row.has_succeeded));
        has_begun = has_begun || begins;
        if (row.leaf == model::nowhere)
            return;
        bound[row.leaf] += row.node.empty() ? 0 : 1;
        begun[row.leaf] = begun[row.leaf] || begins;
        complete[row.leaf] = complete[row.leaf] || roster.is_of_completed_group(row.uid);
    }

    void add(const Roster& roster, const SeatState& seat) {
        has_begun = has_begun || is_under_way(seat);
        under_way += is_under_way(seat) ? 1U : 0U;
        at_barrier += seat.binding == Binding::arrived ? 1U : 0U;
        calls += seat.call != 0 ? 1U : 0U;
        is_posting = is_posting || seat.binding == Binding::posting || seat.binding == Binding::unresolved;
        if (seat.leaf == model::nowhere)
            return;
        bound[seat.leaf] += seat.binding == Binding::posted ? 1 : 0;
        arrived[seat.leaf] += seat.binding != Binding::idle ? 1 : 0;
        if (is_under_way(seat) && !roster.ran_before().contains(seat.pod.uid))
            begun[seat.leaf] = true;
    }

    [[nodiscard]] bool is_partly_committed(const Quorum& quorum) const {
        for (std::uint32_t leaf = 0; leaf < begun.size(); ++leaf) {
            if (begun[leaf] && !complete[leaf] && quorum.counts_only_waiting(leaf) && quorum.is_short(leaf, bound))
                return true;
        }
        return false;
    }

    [[nodiscard]] bool is_bound(const Roster& roster, bool is_committing) const {
        const auto& quorum = roster.quorum();
        const auto holds_open = [&](const auto& entry) {
            const auto& seat = entry.second;
            return seat.binding != Binding::posted && seat.leaf != model::nowhere &&
                   quorum.counts_only_waiting(seat.leaf) && quorum.is_short(seat.leaf, bound);
        };
        if (!quorum.holds_without_commit(bound))
            return false;
        return !is_committing || !quorum.counts_only_waiting() ||
               (!is_partly_committed(quorum) && std::ranges::none_of(roster.seats(), holds_open));
    }

    Quorum::Counts bound;
    Quorum::Counts arrived;
    std::vector<bool> begun;
    std::vector<bool> complete;
    bool has_begun = false;
    bool is_posting = false;
    std::size_t under_way = 0;
    std::size_t at_barrier = 0;
    std::size_t calls = 0;
};

void check_counts(const Roster& roster) {
    const Walked walked(roster);
    REQUIRE(roster.counts().bound() == walked.bound);
    REQUIRE(roster.counts().arrived() == walked.arrived);
    REQUIRE(roster.counts().has_begun() == walked.has_begun);
    REQUIRE(roster.counts().is_posting() == walked.is_posting);
    REQUIRE(roster.counts().under_way() == walked.under_way);
    REQUIRE(roster.counts().at_barrier() == walked.at_barrier);
    REQUIRE(roster.counts().calls() == walked.calls);
    for (std::uint32_t group = 0; group < roster.counts().groups(); ++group) {
        REQUIRE(roster.counts().has_begun(group) == walked.begun[group]);
        REQUIRE(roster.counts().is_complete(group) == walked.complete[group]);
    }
    REQUIRE(roster.is_partly_committed() == walked.is_partly_committed(roster.quorum()));
    REQUIRE(roster.is_bound(false) == walked.is_bound(roster, false));
    REQUIRE(roster.is_bound(true) == walked.is_bound(roster, true));
}

void check_times(const Roster& roster, Time now) {
    std::vector<base::Text> overdue;
    std::vector<base::Text> to_resolve;
    std::vector<std::string> to_release;
    for (const auto& [uid, seat] : roster.seats()) {
        using Release = SeatState::Release;
        const bool asks = seat.release == Release::to_nominate || seat.release == Release::to_ungate;
        const bool is_kicked = seat.release == Release::released && seat.kick_at <= now;
        const bool is_asked = asks && (seat.retry_at == never || seat.retry_at <= now);
        if (seat.deadline <= now)
            overdue.push_back(uid);
        if (seat.binding == Binding::unresolved && seat.retry_at <= now)
            to_resolve.push_back(uid);
        if (seat.binding == Binding::idle && (is_kicked || is_asked))
            to_release.push_back(uid);
    }
    std::vector<std::string> released;
    for (const auto* seat : roster.times().to_release(now))
        released.push_back(seat->pod.uid);
    std::ranges::sort(released);
    REQUIRE(roster.times().overdue(now) == overdue);
    REQUIRE(roster.times().to_resolve(now) == to_resolve);
    REQUIRE(released == to_release);
}

TEST_CASE("counts and times that are kept are those of a walk over all members, whatever happens in whatever order") {
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        Dice random(seed);
        Roster roster;
        check_counts(roster);
        for (int event = 0; event < 300; ++event) {
            CAPTURE(event);
            happen(roster, random);
            check_counts(roster);
            check_times(roster, Time{random.below(110)});
        }
    }
}

TEST_CASE("a seat that ends takes its counts and its times with it") {
    Roster roster;
    SeatState seat;
    seat.pod.uid = "u1";
    roster.give(seat);
    roster.change("u1", [](SeatState& changed) {
        changed.binding = Binding::arrived;
        changed.call = 7;
        changed.deadline = Time{50};
    });
    CHECK(roster.counts().at_barrier() == 1);
    CHECK(roster.times().next_deadline() == Time{50});
    CHECK(roster.end("u1").call == 7);
    CHECK(roster.counts().at_barrier() == 0);
    CHECK(roster.counts().calls() == 0);
    CHECK(roster.times().next_deadline() == never);
    CHECK(!roster.change("u1", [](SeatState&) {}));
}

}  // namespace
}  // namespace echelon::engine
