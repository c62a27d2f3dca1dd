// How many members fit at once, as an explanation claims it, beside what an oracle finds (Z37).

#include "solver/explain/explain_tree.hpp"
#include "unit-tests/solver/support/oracle.hpp"
#include "unit-tests/solver/support/random_world.hpp"
#include "unit-tests/solver/support/world.hpp"

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

using model::ExplainedGroup;
using model::Explanation;
using model::Reason;
using Status = ExplainedGroup::Status;

// The largest minimum of the root for which a plan exists, by trying every assignment.
std::int64_t most_at_once(World world, Reason reason) {
    if (reason == Reason::impossible) {
        world.snapshot.room = world.snapshot.capacity;
        for (model::Member& member : world.gang.members) {
            if (member.state == model::Member::State::bound) {
                member.state = model::Member::State::waiting;
                member.node = model::nowhere;
            }
        }
    }
    model::GangGroup& root = world.gang.groups.front();
    root.basic = false;
    root.floor = 0;
    std::int64_t most = 0;
    for (root.minimum = 1; Oracle(world).best(); ++root.minimum) {
        most = root.minimum;
    }
    return most;
}

struct Claims {
    std::int64_t exact = 0;
    std::int64_t at_least = 0;
};

// What is claimed of the root, beside the oracle.
void check_claims(std::uint32_t seed, SolveOptions budget, Claims& claims) {
    const RandomWorld random = random_world(seed, Style{});
    const World world = build(random);
    const Answer answer = world.solve();
    const auto* refusal = std::get_if<Refusal>(&answer);
    if (refusal == nullptr || (refusal->reason != Reason::no_room && refusal->reason != Reason::impossible)) {
        return;
    }
    const Explanation explanation = explain_tree(world.snapshot, world.gang, refusal->reason, {}, budget);
    const ExplainedGroup& root = explanation.groups.front();
    if (root.status != Status::culprit || !root.split.empty()) {
        return;
    }
    CAPTURE(seed);
    CAPTURE(draw(random));
    const std::int64_t most = most_at_once(world, refusal->reason);
    if (root.is_at_least) {
        ++claims.at_least;
        CHECK(root.at_once <= most);
    } else {
        ++claims.exact;
        CHECK(root.at_once == most);
    }
}

}  // namespace

TEST_CASE("how many fit at once is what the oracle finds, and less only where it is marked (Z37)") {
    Claims whole;
    Claims cut;
    for (std::uint32_t seed = 1; seed <= 500; ++seed) {
        check_claims(seed, {}, whole);
        check_claims(seed, {.steps = 2}, cut);
    }
    CHECK(whole.exact > 20);
    CHECK(whole.at_least == 0);
    CHECK(cut.at_least > 0);
}

}  // namespace echelon::solver::testing
