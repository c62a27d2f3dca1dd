// The solver against every assignment of small random worlds.
#include "unit-tests/solver/support/oracle.hpp"

#include "unit-tests/solver/support/random_world.hpp"
#include "unit-tests/solver/support/sentences.hpp"

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

// The empty cluster of the contract: everything gone, the gang's own running members free to move.
World emptied(const World& world) {
    World empty = world;
    empty.snapshot.room = empty.snapshot.capacity;
    for (model::Member& member : empty.gang.members) {
        if (member.state == model::Member::State::bound) {
            member.state = model::Member::State::waiting;
            member.node = model::nowhere;
        }
    }
    return empty;
}

struct Tally {
    std::int64_t worlds = 0;
    std::int64_t placed = 0;
    std::int64_t refused = 0;
    std::int64_t spread_missed = 0;   // O3
    std::int64_t balance_missed = 0;  // D18
    std::int64_t holes_missed = 0;    // O4

    void add(const Tally& other) {
        worlds += other.worlds;
        placed += other.placed;
        refused += other.refused;
        spread_missed += other.spread_missed;
        balance_missed += other.balance_missed;
        holes_missed += other.holes_missed;
    }
    [[nodiscard]] std::string text() const {
        return fmt::format("{} worlds, {} placed, {} refused, O3 missed {}, D18 missed {}, O4 missed {}", worlds,
                           placed, refused, spread_missed, balance_missed, holes_missed);
    }
};

void compare(std::uint32_t seed, const Style& style, Tally& tally) {
    const RandomWorld random = random_world(seed, style);
    const World world = build(random);
    CAPTURE(seed);
    CAPTURE(draw(random));
    const std::optional<Best> best = Oracle(world).best();
    const Answer answer = world.solve();
    ++tally.worlds;
    if (const Refusal* refusal = std::get_if<Refusal>(&answer)) {
        ++tally.refused;
        CAPTURE(refusal->sentence);
        CHECK(!refusal->sentence.empty());
        CHECK(refusal->reason != model::Reason::out_of_budget);
        REQUIRE(!best);
        if (refusal->reason == model::Reason::impossible || refusal->reason == model::Reason::no_room) {
            CHECK(Oracle(emptied(world)).best().has_value() == (refusal->reason == model::Reason::no_room));
        }
        return;
    }
    ++tally.placed;
    const Plan& plan = std::get<Plan>(answer);
    CHECK(sentences(violations(world.snapshot, world.gang, plan)) == std::vector<std::string>{});
    REQUIRE(best);
    const Best found = best_of(world, plan);
    CHECK(found.seats == best->seats);
    CHECK(!found.is_better_than(*best));
    tally.spread_missed += found.spread != best->spread ? 1 : 0;
    const bool is_compact = found.spread == best->spread;
    const bool is_balanced = found.imbalance == best->imbalance;
    tally.balance_missed += is_compact && !is_balanced ? 1 : 0;
    tally.holes_missed += is_compact && is_balanced && found.holes != best->holes ? 1 : 0;
}

TEST_CASE("the solver finds a plan exactly when one exists, and the best one there is (O1 to O4)") {
    struct Row {
        std::string name;
        Style style;
        std::uint32_t worlds;
    };
    const Row rows[] = {
        {"equal pods", {}, 2000},
        {"mixed pods", {.mixed = true}, 2000},
        {"running members", {.bound = true}, 1500},
        {"mixed pods, running members", {.mixed = true, .bound = true}, 1500},
        {"two trees", {.two_trees = true}, 1500},
        {"two trees, mixed pods, running members", {.mixed = true, .bound = true, .two_trees = true}, 1500},
        {"floors", {.floors = true}, 1500},
        {"floors, running members", {.bound = true, .floors = true}, 1500},
        {"preferred levels", {.preferred = true}, 2000},
        {"preferred levels, mixed pods", {.mixed = true, .preferred = true}, 2000},
        {"preferred levels, running members", {.bound = true, .preferred = true}, 1500},
        {"preferred levels, two trees", {.two_trees = true, .preferred = true}, 1000},
        {"multiples", {.multiples = true}, 1500},
        {"multiples, mixed pods, running members", {.mixed = true, .bound = true, .multiples = true}, 1500},
        {"multiples, preferred levels", {.preferred = true, .multiples = true}, 1000},
        {"limits", {.limits = true}, 2000},
        {"limits, mixed pods, running members", {.mixed = true, .bound = true, .limits = true}, 1500},
        {"limits, preferred levels, two trees", {.two_trees = true, .preferred = true, .limits = true}, 1000},
        {"limits that scopes tell", {.mixed = true, .bound = true, .limits = true, .confined = true}, 2500},
        {"limits that scopes tell, preferred levels", {.preferred = true, .limits = true, .confined = true}, 1500},
        {"limits, multiples, floors", {.floors = true, .multiples = true, .limits = true}, 1000},
        {"pairs", {.pairs = true}, 2000},
        {"pairs, mixed pods, running members", {.mixed = true, .bound = true, .pairs = true}, 1500},
        {"pairs, limits, preferred levels, two trees",
         {.two_trees = true, .preferred = true, .limits = true, .pairs = true},
         1000},
        {"rules along two trees", {.two_trees = true, .crossed = true}, 3000},
        {"rules along two trees, running members", {.bound = true, .two_trees = true, .crossed = true}, 1500},
    };
    Tally all;
    for (const Row& row : rows) {
        CAPTURE(row.name);
        Tally tally;
        for (std::uint32_t seed = 0; seed < row.worlds; ++seed) {
            compare(seed, row.style, tally);
        }
        MESSAGE(row.name << ": " << tally.text());
        CHECK(tally.placed > row.worlds / 10);
        CHECK(tally.refused > row.worlds / 20);
        all.add(tally);
    }
    MESSAGE("in all: " << all.text());
    CHECK(all.worlds >= 20'000);
    CHECK(all.spread_missed * 1'000 <= all.placed);
    CHECK(all.balance_missed * 1'000 <= all.placed);
    CHECK(all.holes_missed * 100 <= all.placed);
}

}  // namespace
}  // namespace echelon::solver::testing
