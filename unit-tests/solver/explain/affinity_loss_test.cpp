// What a refusal and its tree say where pod affinity takes the room, not a resource (D14).
#include "solver/explain/affinity_loss.hpp"

#include "solver/explain/explain_tree.hpp"
#include "unit-tests/solver/support/gangs.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

using model::Blocker;
using model::ExplainedDomain;

PodSpec of_class(PodSpec pod, std::uint32_t affinity_class) {
    pod.affinity_class = affinity_class;
    return pod;
}

// Pods of one GPU each, no two of them in one domain of the level.
World spread(std::vector<NodeSpec> nodes, std::int64_t count, const std::string& level = host) {
    World world = world_of(std::move(nodes), leaf("web", count, {of_class(pods(count, 1), 1)}));
    keep_apart(world, level, 1, 1);
    return world;
}

// Two racks with a host each, and a gang of two that goes into one of them. Pods outside the gang keep it out of both.
World shut_out(std::int64_t free) {
    std::vector<NodeSpec> nodes;
    for (const char* number : {"0", "1"}) {
        nodes.push_back({.name = std::string("n") + number,
                         .labels = {"b0", std::string("r") + number},
                         .room = {{gpu, free}},
                         .taken = {{gpu, 8 - free}}});
    }
    World world = world_of(std::move(nodes), leaf("web", 2, {of_class(pods(2, 1), 1)}, {rack}));
    bar(world, 1, "n0");
    bar(world, 1, "n1");
    return world;
}

// Two racks with a host each. The pods must be beside a pod outside the gang in the first rack, which has two GPUs.
World attracted(std::int64_t count, std::int64_t elsewhere) {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {2});
    add_rack(nodes, "b0", "r1", "c", {elsewhere});
    World world = world_of(std::move(nodes), leaf("web", count, {of_class(pods(count, 1), 1)}));
    const std::uint32_t key = topology_key_of(world, rack);
    world.gang.affinity.together.push_back({.topology_key = key, .affinity_class = 1, .friends = {}, .met = {1, 0}});
    bar(world, 1, "c0");
    return world;
}

ExplainedDomain first_domain(const World& world, const ClusterContext& surroundings = {}) {
    const model::Reason reason = refused(world).reason;
    return explain_tree(world.snapshot, world.gang, reason, surroundings).groups.at(0).domains.at(0);
}

}  // namespace

TEST_CASE("a refusal of pods that keep apart names no resource of which there is enough (D14)") {
    const World world = spread(hosts({8, 8}), 3);
    CHECK(refused(world).reason == model::Reason::impossible);
    CHECK(refused(world).sentence ==
          "group web needs 3 seats; the cluster has room for 2 when empty: 1 missing (kept apart by "
          "pod anti-affinity)");
    CHECK(first_domain(world).missing == "kept apart by pod anti-affinity");
}

TEST_CASE("a refusal names resource and anti-affinity if both leave too little (D14)") {
    const std::string both = "missing (nvidia.com/gpu; kept apart by pod anti-affinity)";
    CHECK(refused(spread(hosts({3, 1}), 5)).sentence ==
          "group web needs 5 seats; the cluster has room for 2 when empty: 3 " + both);
    // GPUs on the third host would help.
    CHECK(refused(spread(hosts({8, 8, 0}), 3)).sentence ==
          "group web needs 3 seats; the cluster has room for 2 when empty: 1 " + both);
    CHECK(first_domain(spread(hosts({8, 8, 0}), 3)).missing == gpu);
}

TEST_CASE("a refusal for lack of a resource alone doesn't name anti-affinity (D14)") {
    CHECK(refused(spread(hosts({1, 0}), 2)).sentence ==
          "group web needs 2 seats; the cluster has room for 1 when empty: 1 missing (nvidia.com/gpu)");
}

TEST_CASE("of several classes the one that lacks seats says what is missing (D14)") {
    PodSpec leader = pods(1, 8);
    leader.only = {"a0"};  // Fewest slots, but enough.
    World world = world_of(hosts({9, 8}), leaf("web", 4, {leader, of_class(pods(3, 1), 1)}));
    keep_apart(world, host, 1, 1);
    CHECK(refused(world).sentence ==
          "group web needs 4 seats; the cluster has room for 3 when empty: 1 missing (kept apart by "
          "pod anti-affinity)");
}

TEST_CASE("domains that other pods have to themselves lack no resource (D14)") {
    const World world = shut_out(8);
    CHECK(refused(world).reason == model::Reason::no_room);
    CHECK(refused(world).sentence ==
          "group web needs 2 seats in one example.com/rack; the best, b0/r0, has room for 0: 2 missing (kept out: "
          "other pods have the domain to themselves)");
    const ExplainedDomain domain = first_domain(world);
    CHECK(domain.missing == "kept out: other pods have the domain to themselves");
    CHECK(domain.room == 0);
    CHECK(domain.slots_when_empty == 2);
    CHECK(domain.blockers.at(0).kind == Blocker::Kind::barred);
}

TEST_CASE("domains that are full as well are called both (D14)") {
    CHECK(refused(shut_out(0)).sentence ==
          "group web needs 2 seats in one example.com/rack; the best, b0/r0, has room for 0: 2 missing "
          "(nvidia.com/gpu; kept out: other pods have the domain to themselves)");
}

TEST_CASE("pods that must be near others are not called apart (D14)") {
    const World world = attracted(4, 8);
    CHECK(refused(world).reason == model::Reason::no_room);
    CHECK(refused(world).sentence ==
          "group web needs 4 seats; the cluster has room for 2: 2 missing (nvidia.com/gpu; kept near other pods)");
    CHECK(first_domain(world).slots_when_empty == 2);
}

TEST_CASE("pods that keep apart in wider domains have room by count, but not apart (D14)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {8, 8});
    add_rack(nodes, "b0", "r1", "c", {8, 8});
    const World world = spread(nodes, 3, rack);
    CHECK(refused(world).sentence ==
          "group web needs 3 seats; the cluster has the room, but its pods are kept apart by pod anti-affinity");
    CHECK(first_domain(world).room == 3);
    CHECK(first_domain(world).missing == "kept apart by pod anti-affinity");
}

TEST_CASE("pods on hosts that have their one member aren't in its way (D14)") {
    std::vector<NodeSpec> nodes = hosts({4, 4});
    for (NodeSpec& node : nodes) {
        node.taken = {{gpu, 4}};
    }
    const World world = spread(nodes, 3);
    ClusterContext around;
    around.occupants.push_back({.kind = Occupant::Kind::running,
                                .pod = "default/p",
                                .gang = "",
                                .node = 0,
                                .requests = {{gpu, 4}},
                                .priority = 0});
    const auto tree = explain_tree(world.snapshot, world.gang, model::Reason::no_room, around);
    CHECK(tree.groups.at(0).domains.at(0).blockers.empty());
}

TEST_CASE("a gang that follows its anchor is kept near it (X5)") {
    World world = attracted(4, 8);
    world.gang.affinity.together.clear();
    const model::LevelRef level{.tree = 0, .depth = 1};
    world.gang.co_location = {.required = {level}, .preferred = {}, .seated = {*world.snapshot.node("a0")}};
    CHECK(refused(world).sentence.ends_with("2 missing (nvidia.com/gpu; kept near other pods)"));
}

}  // namespace echelon::solver::testing
