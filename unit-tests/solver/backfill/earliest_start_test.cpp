// When a gang can start at the earliest, against every assignment of small random worlds at every moment (Q17).

#include "solver/backfill/earliest_start.hpp"

#include "unit-tests/solver/support/oracle.hpp"
#include "unit-tests/solver/support/random_world.hpp"
#include "unit-tests/solver/support/sentences.hpp"

#include <algorithm>

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

using backfill::earliest_start;
using backfill::Release;

std::size_t id_of(const World& world, const std::string& resource) {
    return static_cast<std::size_t>(std::ranges::find(world.snapshot.resources, resource) -
                                    world.snapshot.resources.begin());
}

// What others have taken belongs to pods of one GPU, most of which end one day.
std::vector<Release> random_releases(Random& random, const World& world) {
    std::vector<Release> releases;
    const auto gpus = id_of(world, gpu);
    for (model::NodeId node = 0; node < world.snapshot.node_count(); ++node) {
        const auto taken = world.snapshot.capacity[gpus][node] - world.snapshot.room[gpus][node];
        for (std::int64_t i = 0; i < taken; ++i) {
            if (!chance(random, 25))
                releases.push_back(
                    {.at = static_cast<double>(pick(random, -2, 6)), .node = node, .amounts = {{gpus, 1}}});
        }
    }
    return releases;
}

World at_moment(World world, const std::vector<Release>& releases, double moment) {
    for (const auto& release : releases) {
        for (const auto& [resource, amount] : release.amounts)
            world.snapshot.room[resource][release.node] += release.at <= moment ? amount : 0;
    }
    return world;
}

bool fits(const World& world) {
    return Oracle(world).best().has_value();
}

void compare(std::uint32_t seed, const Style& style, int& promised) {
    CAPTURE(seed);
    Random random(seed);
    auto world = build(random_world(seed, style));
    const auto releases = random_releases(random, world);
    const auto before = world.snapshot.room;
    const auto found = earliest_start(world.snapshot, world.gang, releases, -3, {});
    CHECK(world.snapshot.room == before);
    if (!found.start) {
        CHECK(!fits(at_moment(world, releases, 100)));
        return;
    }
    ++promised;
    const auto at = found.start->at;
    CAPTURE(at);
    const auto then = at_moment(world, releases, at);
    CHECK(sentences(violations(then.snapshot, then.gang, found.start->plan)) == std::vector<std::string>{});
    for (double moment = -3; moment < at; ++moment)
        CHECK(!fits(at_moment(world, releases, moment)));
}

// One rack of three hosts of 8 GPUs, two of which are taken, and a gang that needs all three.
World three_hosts() {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b", "r", "h", {0, 8, 0});
    nodes[0].taken = nodes[2].taken = {{gpu, 8}};
    return build({.nodes = nodes, .root = {.name = "g", .minimum = 3, .pods = {pods(3, 8)}, .required = {rack}}});
}

}  // namespace

TEST_CASE("a gang can start when the last pod in its way ends, and no sooner (Q17)") {
    auto world = three_hosts();
    const auto gpus = id_of(world, gpu);
    const auto found = earliest_start(
        world.snapshot, world.gang,
        {{.at = 70, .node = 2, .amounts = {{gpus, 8}}}, {.at = 40, .node = 0, .amounts = {{gpus, 8}}}}, 10, {});
    REQUIRE(found.start);
    CHECK(found.start->at == 70);
    CHECK(found.start->plan.seats.size() == 3);
}

TEST_CASE("a pod without a declared end is in the way for ever (Q17)") {
    auto world = three_hosts();
    const auto gpus = id_of(world, gpu);
    CHECK(!earliest_start(world.snapshot, world.gang, {{.at = 40, .node = 0, .amounts = {{gpus, 8}}}}, 10, {}).start);
}

TEST_CASE("in every small world the promised start is the first moment at which any plan exists (Q17)") {
    int promised = 0;
    for (std::uint32_t seed = 1; seed <= 300; ++seed) {
        compare(seed, {}, promised);
        compare(seed, {.mixed = true, .bound = true}, promised);
        compare(seed, {.preferred = true, .floors = true, .limits = true}, promised);
    }
    CHECK(promised > 100);
}

}  // namespace echelon::solver::testing
