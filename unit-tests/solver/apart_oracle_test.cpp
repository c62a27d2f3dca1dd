// D14: pods that keep apart, against every assignment of small random worlds.
#include "unit-tests/solver/support/oracle.hpp"
#include "unit-tests/solver/support/random_world.hpp"
#include "unit-tests/solver/support/sentences.hpp"

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

constexpr std::uint32_t affinity_classes = 3;

std::uint32_t affinity_class(Random& random) {
    return static_cast<std::uint32_t>(pick(random, 1, affinity_classes));
}

// Most members are of some affinity class; hosts mostly, as anti-affinity is mostly written, racks and blocks by bare
// value.
std::string keep_apart(World& world, std::uint32_t seed) {
    Random random(seed ^ 0x5eedU);
    for (model::Member& member : world.gang.members) {
        member.affinity_class = chance(random, 75) ? affinity_class(random) : 0;
    }
    std::string text;
    const std::string levels[] = {block, rack, host, host};
    for (std::int64_t rules = pick(random, 1, 3); rules > 0; --rules) {
        const std::string& key = levels[pick(random, 0, 3)];
        const std::uint32_t one = affinity_class(random);
        const std::uint32_t other = chance(random, 50) ? one : affinity_class(random);
        testing::keep_apart(world, key, one, other);
        text += fmt::format("affinity_classes {} and {} apart in {}\n", one, other, key);
    }
    if (chance(random, 40)) {
        const auto node = static_cast<std::size_t>(pick(random, 0, std::ssize(world.snapshot.node_names) - 1));
        const std::uint32_t away = affinity_class(random);
        bar(world, away, world.snapshot.node_names[node]);
        text += fmt::format("affinity_class {} barred from {}\n", away, world.snapshot.node_names[node]);
    }
    for (const model::Member& member : world.gang.members) {
        text += fmt::format("{} is of affinity_class {}\n", member.pod, member.affinity_class);
    }
    return text;
}

// The empty cluster of the contract: pods outside the gang bar no node.
World emptied(const World& world) {
    World empty = world;
    empty.snapshot.room = empty.snapshot.capacity;
    empty.gang.affinity.barred.clear();
    for (model::Member& member : empty.gang.members) {
        if (member.state == model::Member::State::bound) {
            member.state = model::Member::State::waiting;
            member.node = model::nowhere;
        }
    }
    return empty;
}

TEST_CASE("the solver finds a plan of pods that keep apart exactly when one exists, with as many seats (D14)") {
    struct Row {
        std::string name;
        Style style;
        std::uint32_t worlds;
        bool may_lack_proof = false;  // Floors over unlike pods aren't searched to the end.
    };
    const Row rows[] = {
        {"equal pods", {}, 500},
        {"mixed pods, running members", {.mixed = true, .bound = true}, 500},
        {"two trees", {.two_trees = true}, 300},
        {"preferred levels", {.preferred = true}, 300},
        {"floors", {.floors = true}, 200, true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        std::int64_t placed = 0;
        for (std::uint32_t seed = 0; seed < row.worlds; ++seed) {
            const RandomWorld random = random_world(seed, row.style);
            World world = build(random);
            const std::string rules = keep_apart(world, seed);
            CAPTURE(seed);
            CAPTURE(draw(random));
            CAPTURE(rules);
            const std::optional<Best> best = Oracle(world).best();
            const Answer answer = world.solve();
            if (const Plan* plan = std::get_if<Plan>(&answer)) {
                ++placed;
                CHECK(sentences(violations(world.snapshot, world.gang, *plan)) == std::vector<std::string>{});
                REQUIRE(best);
                CHECK(std::ssize(plan->seats) == best->seats);
                continue;
            }
            const Refusal& refusal = std::get<Refusal>(answer);
            CAPTURE(refusal.sentence);
            CHECK((row.may_lack_proof || refusal.is_proved()));
            REQUIRE(!best);
            const bool is_full = refusal.reason == model::Reason::no_room;
            if (refusal.reason == model::Reason::impossible || (is_full && !row.may_lack_proof)) {
                CHECK(Oracle(emptied(world)).best().has_value() == is_full);
            }
        }
        CHECK(placed > row.worlds / 10);
        CHECK(placed < row.worlds - row.worlds / 10);
    }
}

}  // namespace
}  // namespace echelon::solver::testing
