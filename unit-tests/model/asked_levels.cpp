#include "model/asked_levels.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

constexpr const char* island = "example.com/island";

// One rack of one block, with an island that no topology lists.
std::vector<Event> world_with(const Group& group) {
    auto n0 = racked("n0", "b0", "r0");
    n0.labels[island] = "i0";
    return {NodeSeen{n0}, TopologySeen{topology("fabric", {block, rack, host})}, GroupSeen{group},
            PodSeen{member("job-0", "job")}};
}

Group job() {
    return leaf("job", 1);
}

}  // namespace

TEST_CASE("required and preferred levels are found in the topology that lists them") {
    auto group = job();
    group.required = {block};
    group.preferred = {rack};
    const auto gang = gang_of(cluster(world_with(group)), leaf_key("job"));
    CHECK(!gang.problem);
    CHECK(gang.groups[0].required == std::vector{LevelRef{0, 0}});
    CHECK(gang.groups[0].preferred == std::vector{LevelRef{0, 1}});
    CHECK(gang.warnings.empty());
}

TEST_CASE("D3: several required levels all hold, each once") {
    auto group = job();
    group.required = {rack, block, rack};
    const auto gang = gang_of(cluster(world_with(group)), leaf_key("job"));
    CHECK(gang.groups[0].required == std::vector{LevelRef{0, 1}, LevelRef{0, 0}});
}

TEST_CASE("D11: a required level that nobody knows is Invalid, naming the level") {
    auto group = job();
    group.required = {"example.com/nowhere"};
    CHECK(problem_of(cluster(world_with(group)), leaf_key("job")) ==
          "Invalid: group \"default/job\": required level \"example.com/nowhere\" is in no topology and on no node");
}

TEST_CASE("D11: a preferred level that nobody knows is dropped with a warning") {
    auto group = job();
    group.preferred = {"example.com/nowhere"};
    const auto gang = gang_of(cluster(world_with(group)), leaf_key("job"));
    CHECK(!gang.problem);
    CHECK(gang.groups[0].preferred.empty());
    REQUIRE(gang.warnings.size() == 1);
    CHECK(contains(gang.warnings[0], "example.com/nowhere"));
}

TEST_CASE("D12: a key that only nodes carry is a level of its own tree") {
    auto group = job();
    group.required = {island};
    const auto world = cluster(world_with(group));
    const auto snapshot = world.snapshot();
    REQUIRE(snapshot.trees.size() == 2);
    CHECK(snapshot.trees[1].keys == std::vector<std::string>{island, host});
    CHECK(world.gang(leaf_key("job"), snapshot).groups[0].required == std::vector{LevelRef{1, 0}});
}

TEST_CASE("D10: a preferred level at or above the required one has no effect, with a warning") {
    auto group = job();
    group.required = {rack};
    for (const auto* key : {block, rack}) {
        group.preferred = {key};
        const auto gang = gang_of(cluster(world_with(group)), leaf_key("job"));
        CHECK(gang.groups[0].preferred.empty());
        CHECK(gang.warnings.size() == 1);
    }
    group.preferred = {host};
    CHECK(gang_of(cluster(world_with(group)), leaf_key("job")).groups[0].preferred.size() == 1);
}

TEST_CASE("D13: multiples of 0 and 1 mean no rule, an unknown level is Invalid") {
    auto group = job();
    group.multiples = {{rack, 4}, {block, 1}};
    const auto gang = gang_of(cluster(world_with(group)), leaf_key("job"));
    REQUIRE(gang.groups[0].multiples.size() == 1);
    CHECK(gang.groups[0].multiples[0] == std::pair{LevelRef{0, 1}, std::int64_t{4}});
    group.multiples = {{"example.com/nowhere", 2}};
    CHECK(contains(problem_of(cluster(world_with(group)), leaf_key("job")), "Invalid"));
}

TEST_CASE("a named topology is the only one that is looked at") {
    auto group = job();
    group.required = {rack};
    group.topology = "fabric";
    CHECK(problem_of(cluster(world_with(group)), leaf_key("job")) == "");
    group.topology = "absent";
    CHECK(contains(problem_of(cluster(world_with(group)), leaf_key("job")), "there is no topology \"absent\""));
    group.topology = "fabric";
    group.required = {island};
    CHECK(contains(problem_of(cluster(world_with(group)), leaf_key("job")), "isn't in topology \"fabric\""));
}

TEST_CASE("Z7: a level that stands only in a topology that can't be used is Invalid, naming the fault") {
    auto group = job();
    group.required = {island};
    auto events = world_with(group);
    auto faulty = topology("islands", {island, island});
    faulty.problem = "spec.levels[1].nodeLabel is listed twice";
    events.emplace_back(TopologySeen{faulty});
    CHECK(contains(problem_of(cluster(events), leaf_key("job")), "\"islands\", which can't be used: spec.levels[1]"));
    SUBCASE("groups that don't touch it are unaffected") {
        group.required = {rack};
        events[2] = GroupSeen{group};
        CHECK(problem_of(cluster(events), leaf_key("job")) == "");
    }
}

TEST_CASE("a level that several topologies list is taken from the deepest, with a warning") {
    auto group = job();
    group.required = {rack};
    auto events = world_with(group);
    events.emplace_back(TopologySeen{topology("racks", {rack, host})});
    const auto gang = gang_of(cluster(events), leaf_key("job"));
    CHECK(gang.groups[0].required == std::vector{LevelRef{0, 1}});
    REQUIRE(gang.warnings.size() == 1);
    CHECK(contains(gang.warnings[0], "\"racks\""));
}

TEST_CASE("what a dialect warned of is passed on under the group's name") {
    auto group = job();
    group.warnings = {"the annotation is unreadable"};
    CHECK(gang_of(cluster(world_with(group)), leaf_key("job")).warnings ==
          std::vector<std::string>{"group \"default/job\": the annotation is unreadable"});
}
