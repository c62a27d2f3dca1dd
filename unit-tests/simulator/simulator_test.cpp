// Thousands of seeds without a violation; one seed gives one run; and each deliberate bug is found.

#include "unit-tests/simulator/campaign.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::simulator {
namespace {

constexpr std::uint64_t seeds = 2000;
constexpr std::uint64_t steps = 2000;
constexpr std::uint64_t seeds_for_a_bug = 1000;

TEST_CASE("no invariant is violated in 2,000 runs of 2,000 steps") {
    std::uint64_t bound = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        Order order;
        order.seed = seed;
        order.steps = steps;
        order.lives_again = seed % 8 == 0;
        const auto report = simulate(order);
        bound += report.gangs_bound;
        if (report.violation)
            FAIL_CHECK(told(order, report));
        if (report.violation)
            break;
    }
    CHECK(bound > seeds);
}

TEST_CASE("seeds beyond these that once failed don't") {
    // A plan changed under its commit record; a required level that nobody knows in the middle of a commit, twice. A
    // seat of a broken gang that never ended; a binding posted again unread, since a group came and went; calls of pods
    // that came too late, or in one batch with their pods' bindings; answers behind the deletion of their pods. A
    // broken seat that waited for a back-off; one that only another verdict hid for a moment. Room held for ever for
    // members that never come; a plan that facts overtook while draining. Where only members count that wait:
    // replacements bound by a commit that an extra kept open, and by one that had ended, but was found open after a
    // restart; ticks in vain when gangs grow old shortly after one another. There, too: newcomers that took room from a
    // commit under way, and one that forgot which members it had bound and which had ended. A nomination answered late
    // that let the clock run hot, and one that made a binding forgotten. The record of a commit that ended with the
    // lead, taken for that of the next; a call right after a restart that took room promised by a record. A commit that
    // was planned without end while its bindings stayed unanswered; one that lacked members, and didn't say so. Seats
    // that facts broke before they were published; one on a node that had left its level. Late members of a part that
    // joined later; room that came while the search for extras ran. A commit that was completed before the lead was
    // lost, found open again.
    for (const std::uint64_t seed :
         {2532U, 2700U,  5123U,  3383U,  4076U,     5000U,     2118U,     4468U,     4776U,     5787U,     4409U,
          2801U, 7580U,  3484U,  7785U,  9144U,     4641U,     7477U,     12604U,    14081U,    12835U,    13838U,
          7100U, 35209U, 43247U, 47001U, 21036460U, 40004886U, 40011380U, 40047098U, 81000524U, 81001277U, 40008841U}) {
        Order order;
        order.seed = seed;
        order.steps = steps;
        order.lives_again = seed % 8 == 0;
        const auto report = simulate(order);
        CHECK_MESSAGE(!report.violation, (report.violation ? told(order, report) : ""));
    }
}

TEST_CASE("the same seed gives the same run, to the byte") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Order order;
        order.seed = seed;
        order.is_tracing = true;
        const auto once = simulate(order);
        const auto again = simulate(order);
        CHECK(once.trace == again.trace);
        CHECK(once.trace.size() > 500);
    }
}

TEST_CASE("a failure is reduced to fewer injections") {
    Order order;
    order.sabotage = Sabotage::ignores_hang_ups;
    auto report = simulate(order);
    while ((!report.violation || report.injected.size() < 10) && order.seed < seeds_for_a_bug) {
        ++order.seed;
        report = simulate(order);
    }
    REQUIRE(report.violation);
    const auto shorter = minimised(order, report, 250);
    const auto again = simulate(shorter);
    REQUIRE(again.violation);
    CHECK(again.violation->invariant == report.violation->invariant);
    CHECK(again.injected.size() < report.injected.size());
    CHECK(told(order, report).find("--leave-out") != std::string::npos);
}

TEST_CASE("each deliberate bug is found") {
    for (std::size_t kind = 1; kind < sabotage_count; ++kind) {
        const auto sabotage = static_cast<Sabotage>(kind);
        const auto found = hunt(sabotage, seeds_for_a_bug);
        CAPTURE(std::string(name_of(sabotage)));
        CAPTURE(found.violation.sentence);
        CHECK(found.seeds > 0);
        CHECK(found.violation.invariant == invariant_of(sabotage));
    }
}

}  // namespace
}  // namespace echelon::simulator
