// The tree of a refusal: which group is the culprit, what is short where, and what is in the way.

#include "solver/explain/explain_tree.hpp"

#include "unit-tests/solver/support/world.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

using model::Blocker;
using model::ExplainedDomain;
using model::ExplainedGroup;
using model::Explanation;
using model::Reason;
using Status = ExplainedGroup::Status;

// The explanation of the world's refusal; the world must be refused.
Explanation explained(const World& world, const ClusterContext& surroundings = {}) {
    const Answer answer = world.solve();
    const auto* refusal = std::get_if<Refusal>(&answer);
    REQUIRE(refusal != nullptr);
    CAPTURE(refusal->sentence);
    return explain_tree(world.snapshot, world.gang, refusal->reason, surroundings);
}

const ExplainedGroup& row_of(const Explanation& explanation, const std::string& group) {
    const auto found = std::ranges::find(explanation.groups, group, &ExplainedGroup::group);
    REQUIRE_MESSAGE(found != explanation.groups.end(), group);
    return *found;
}

const Blocker* blocker_of(const ExplainedDomain& domain, Blocker::Kind kind, const std::string& owner = {}) {
    const auto found = std::ranges::find_if(
        domain.blockers, [&](const Blocker& blocker) { return blocker.kind == kind && blocker.owner == owner; });
    return found == domain.blockers.end() ? nullptr : &*found;
}

Occupant occupant(const World& world, Occupant::Kind kind, const std::string& pod, const std::string& gang,
                  const std::string& node, std::int64_t gpus, std::int64_t priority = 0) {
    return {.kind = kind,
            .pod = pod,
            .gang = gang,
            .node = *world.snapshot.node(node),
            .requests = {{gpu, gpus}, {"pods", 1}},
            .priority = priority};
}

// Two racks of three hosts with eight GPUs each; `taken` are used on a0.
std::vector<NodeSpec> two_racks(std::int64_t taken_on_each_of_a) {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {8, 8, 8});
    add_rack(nodes, "b0", "r1", "c", {8, 8, 8});
    for (NodeSpec& node : nodes) {
        const std::int64_t taken = node.name.starts_with("a") ? taken_on_each_of_a : 8;
        node.room[gpu] -= taken;
        node.taken[gpu] = taken;
    }
    return nodes;
}

}  // namespace

TEST_CASE("a gang held out by another gang's promise reads the name of that gang and how much room it holds") {
    const World world = WorldBuilder({block, rack}, two_racks(4))
                            .with({.name = "default/train", .minimum = 2, .pods = {pods(2, 8)}, .required = {rack}});
    ClusterContext around;
    for (const char* node : {"a0", "a1", "a2"}) {
        around.occupants.push_back(
            occupant(world, Occupant::Kind::held, std::string("default/p-") + node, "default/other", node, 4, 7));
    }
    const Explanation explanation = explained(world, around);
    REQUIRE(explanation.groups.size() == 1);
    const ExplainedGroup& row = explanation.groups[0];
    CHECK(row.status == Status::culprit);
    CHECK(row.level == rack);
    CHECK(row.needed == 2);
    CHECK(row.at_once == 0);
    REQUIRE(row.domains.size() == 2);
    CHECK(row.domains_left_out == 0);
    CHECK(row.domains[0].path == "b0/r0");
    CHECK(row.domains[0].room == 0);
    CHECK(row.domains[0].slots_when_empty == 2);
    CHECK(row.domains[0].missing == gpu);
    const Blocker* holder = blocker_of(row.domains[0], Blocker::Kind::held, "default/other");
    REQUIRE(holder != nullptr);
    CHECK(holder->count == 3);
    CHECK(holder->amount == 12);
    CHECK(holder->room == 3);
    CHECK(holder->priority == 7);
    CHECK(row.domains[1].blockers.empty());
    REQUIRE(row.sizes.size() == 1);
    CHECK(row.sizes[0].requests.of(gpu) == 8);
    CHECK(row.sizes[0].needed == 2);
}

TEST_CASE("running pods are counted, the largest of them named, with their highest priority") {
    const World world =
        WorldBuilder({block, rack}, two_racks(8))
            .with({.name = "default/train", .minimum = 3, .pods = {pods(3, 8)}, .required = {block, rack}});
    ClusterContext around;
    for (int i = 0; i < 8; ++i) {
        around.occupants.push_back(
            occupant(world, Occupant::Kind::running, "default/small-" + std::to_string(i), "", "a0", 1, i));
    }
    around.occupants.push_back(occupant(world, Occupant::Kind::running, "default/large", "", "a1", 8, 3));
    around.occupants.push_back(occupant(world, Occupant::Kind::running, "default/x-0", "default/x", "a2", 8, 3));
    const Explanation explanation = explained(world, around);
    const ExplainedDomain& best = explanation.groups.at(0).domains.at(0);
    CHECK(best.path == "b0/r0");
    const Blocker* running = blocker_of(best, Blocker::Kind::running_pods);
    REQUIRE(running != nullptr);
    CHECK(running->count == 9);
    CHECK(running->amount == 16);
    CHECK(running->room == 2);
    CHECK(running->priority == 7);
    REQUIRE(running->names.size() == 3);
    CHECK(running->names[0].name == "default/large");
    CHECK(running->names[0].amount == 8);
    CHECK(running->names[1].name == "default/small-0");
    const Blocker* gang = blocker_of(best, Blocker::Kind::running_gang, "default/x");
    REQUIRE(gang != nullptr);
    CHECK(gang->room == 1);
    CHECK(best.blockers[0].room >= best.blockers[1].room);
}

TEST_CASE("nodes without the label of the level are counted and named (D6)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {8});
    add_rack(nodes, "b0", "", "x", {8, 8, 8, 8});
    const World world = WorldBuilder({block, rack}, nodes)
                            .with({.name = "default/train", .minimum = 2, .pods = {pods(2, 8)}, .required = {rack}});
    const Explanation explanation = explained(world);
    const ExplainedGroup& row = explanation.groups.at(0);
    CHECK(row.nodes_without_level == 4);
    CHECK(row.nodes_named == std::vector<std::string>{"x0", "x1", "x2"});
    CHECK(row.domains.at(0).room == 1);
    CHECK(row.at_once == 1);
}

TEST_CASE("Impossible is explained on the empty cluster: pods and holds aren't to blame") {
    World world = WorldBuilder({block, rack}, two_racks(8))
                      .with({.name = "default/train", .minimum = 4, .pods = {pods(4, 8)}, .required = {rack}});
    ClusterContext around;
    around.occupants.push_back(occupant(world, Occupant::Kind::running, "default/x-0", "default/x", "a2", 8));
    const Explanation explanation = explained(world, around);
    CHECK(explanation.reason == Reason::impossible);
    const ExplainedGroup& row = explanation.groups.at(0);
    CHECK(row.status == Status::culprit);
    CHECK(row.at_once == 3);
    CHECK(row.domains.at(0).room == 3);
    CHECK(row.domains[0].slots_when_empty == 3);
    CHECK(row.domains[0].blockers.empty());
}

TEST_CASE("the cause is at the culprit, its ancestors wait for it, and its siblings fit (S33)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {8, 8, 8});
    add_rack(nodes, "b0", "r1", "c", {8, 8});
    const World world =
        WorldBuilder({block, rack}, nodes)
            .with({.name = "default/chat",
                   .minimum = 2,
                   .children =
                       {{.name = "default/prefill", .minimum = 2, .pods = {pods(2, 8)}, .required = {rack}},
                        {.name = "default/decode",
                         .minimum = 2,
                         .children =
                             {{.name = "default/decode-0", .minimum = 4, .pods = {pods(4, 8)}, .required = {rack}},
                              {.name = "default/decode-1", .minimum = 1, .pods = {pods(1, 8)}, .required = {rack}}}}},
                   .required = {block}});
    const Explanation explanation = explained(world);
    REQUIRE(explanation.groups.size() == 5);
    CHECK(explanation.groups[0].group == "default/chat");
    CHECK(explanation.groups[0].status == Status::waits);
    CHECK(explanation.groups[0].blamed_group == "default/decode-0");
    CHECK(row_of(explanation, "default/prefill").status == Status::fits);
    CHECK(row_of(explanation, "default/prefill").domain == "b0/r1");
    CHECK(row_of(explanation, "default/decode").status == Status::waits);
    CHECK(row_of(explanation, "default/decode").level == block);
    const ExplainedGroup& culprit = row_of(explanation, "default/decode-0");
    CHECK(culprit.status == Status::culprit);
    CHECK(culprit.depth == 2);
    CHECK(culprit.at_once == 3);
    CHECK(culprit.domains.at(0).path == "b0/r0");
    CHECK(row_of(explanation, "default/decode-1").status == Status::fits);
}

TEST_CASE("siblings that fit alone but not at once: the best plan and what it crowds out") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {8, 8, 8});
    add_rack(nodes, "b0", "r1", "c", {8});
    const World world =
        WorldBuilder({block, rack}, nodes)
            .with({.name = "default/pair",
                   .minimum = 2,
                   .children = {{.name = "default/one", .minimum = 2, .pods = {pods(2, 8)}, .required = {rack}},
                                {.name = "default/two", .minimum = 3, .pods = {pods(3, 8)}, .required = {rack}}}});
    const Explanation explanation = explained(world);
    REQUIRE(explanation.groups.size() == 3);
    CHECK(explanation.groups[0].status == Status::culprit);
    CHECK(explanation.groups[0].at_once == 1);
    const auto crowded = std::ranges::find(explanation.groups, Status::is_crowded_out, &ExplainedGroup::status);
    REQUIRE(crowded != explanation.groups.end());
    CHECK(std::ranges::count(explanation.groups, Status::fits, &ExplainedGroup::status) == 1);
    const std::string other = crowded->group == "default/one" ? "default/two" : "default/one";
    CHECK(std::ranges::any_of(crowded->domains, [&](const ExplainedDomain& domain) {
        return blocker_of(domain, Blocker::Kind::sibling, other) != nullptr;
    }));
}

TEST_CASE("a group whose members don't exist yet fits if there is room for it") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {8, 8, 8});
    World world = WorldBuilder({block, rack}, nodes)
                      .with({.name = "default/pair",
                             .minimum = 2,
                             .children = {{.name = "default/one", .minimum = 2, .pods = {pods(2, 8)}},
                                          {.name = "default/two", .minimum = 2, .pods = {pods(2, 8)}}},
                             .required = {rack}});
    for (model::Member& member : world.gang.members)
        member.is_placeholder = true;
    const Explanation explanation = explained(world);
    CHECK(explanation.groups.at(0).at_once == 1);
    const auto crowded = std::ranges::find(explanation.groups, Status::is_crowded_out, &ExplainedGroup::status);
    REQUIRE(crowded != explanation.groups.end());
    CHECK(crowded->needed == 2);
    CHECK(std::ranges::count(explanation.groups, Status::fits, &ExplainedGroup::status) == 1);
}

TEST_CASE("K of N: how many replicas fit at once is exact, and like replicas share a row") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {8, 8});
    add_rack(nodes, "b0", "r1", "c", {8, 8});
    GroupSpec root{.name = "default/serve", .minimum = 3};
    for (int i = 0; i < 6; ++i) {
        root.children.push_back(
            {.name = "default/replica-" + std::to_string(i), .minimum = 2, .pods = {pods(2, 8)}, .required = {rack}});
    }
    const Explanation explanation = explained(WorldBuilder({block, rack}, nodes).with(root));
    CHECK(explanation.groups.at(0).status == Status::culprit);
    CHECK(explanation.groups[0].at_once == 2);
    CHECK(explanation.groups[0].existing == 6);
    REQUIRE(explanation.groups.size() == 3);
    CHECK(explanation.groups[1].status == Status::fits);
    CHECK(explanation.groups[1].alike == 1);
    CHECK(explanation.groups[2].status == Status::is_crowded_out);
    CHECK(explanation.groups[2].alike == 3);
}

TEST_CASE("mixed sizes: the hardest size comes first, with its own room") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {8, 4, 4, 4});
    const World world = WorldBuilder({block, rack}, nodes)
                            .with({.name = "default/mixed",
                                   .minimum = 6,
                                   .pods = {pods(4, 2), {.count = 2, .needs = {{gpu, 8}}, .name = "big"}},
                                   .required = {rack}});
    const Explanation explanation = explained(world);
    const ExplainedGroup& row = explanation.groups.at(0);
    REQUIRE(row.sizes.size() == 2);
    CHECK(row.sizes[0].requests.of(gpu) == 8);
    CHECK(row.sizes[0].needed == 2);
    CHECK(row.sizes[0].room == 1);
    CHECK(row.sizes[1].requests.of(gpu) == 2);
    CHECK(row.sizes[1].room == 4);
    CHECK(row.domains.at(0).room == 5);
    CHECK(row.at_once == 5);
}

TEST_CASE("counts may suffice where the sizes don't pack: at_once tells the truth") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {8, 8});
    const World world = WorldBuilder({block, rack}, nodes)
                            .with({.name = "default/odd",
                                   .minimum = 3,
                                   .pods = {pods(2, 5), {.count = 1, .needs = {{gpu, 4}}, .name = "four"}},
                                   .required = {rack}});
    const Explanation explanation = explained(world);
    CHECK(explanation.groups.at(0).at_once == 2);
    CHECK(explanation.groups[0].domains.at(0).room == 3);
    CHECK(explanation.groups[0].domains[0].missing.empty());
}

TEST_CASE("members that run already pin the domain, and others aren't offered (D7)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {8, 0});
    add_rack(nodes, "b0", "r1", "c", {8, 8, 8});
    const World world = WorldBuilder({block, rack}, nodes)
                            .with({.name = "default/job",
                                   .minimum = 2,
                                   .children = {{.name = "default/one",
                                                 .minimum = 1,
                                                 .pods = {{.count = 1, .needs = {{gpu, 8}}, .on = "a1"}}},
                                                {.name = "default/two", .minimum = 2, .pods = {pods(2, 8)}}},
                                   .required = {rack}});
    const Explanation explanation = explained(world);
    CHECK(row_of(explanation, "default/one").status == Status::satisfied);
    const ExplainedGroup& row = row_of(explanation, "default/two");
    CHECK(row.status == Status::culprit);
    CHECK(row.level == rack);
    REQUIRE(row.domains.size() == 1);
    CHECK(row.domains[0].path == "b0/r0");
    CHECK(row.domains[0].room == 1);
}

TEST_CASE("bound members in two domains of a required level: both are named (D8)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {8});
    add_rack(nodes, "b0", "r1", "c", {8});
    const World world = WorldBuilder({block, rack}, nodes)
                            .with({.name = "default/torn",
                                   .minimum = 3,
                                   .pods = {{.count = 1, .needs = {{gpu, 8}}, .on = "a0"},
                                            {.count = 1, .needs = {{gpu, 8}}, .on = "c0", .name = "second"},
                                            pods(1, 1)},
                                   .required = {rack}});
    const Explanation explanation = explain_tree(world.snapshot, world.gang, Reason::no_room, {});
    CHECK(explanation.groups.at(0).status == Status::culprit);
    CHECK(explanation.groups[0].split == "b0/r0 and b0/r1");
}

TEST_CASE("an incomplete gang names the group that lacks members, and says nothing about room") {
    World world = WorldBuilder({block, rack}, two_racks(0))
                      .with({.name = "default/job",
                             .minimum = 2,
                             .children = {{.name = "default/one", .minimum = 1, .pods = {pods(1, 8)}},
                                          {.name = "default/two", .minimum = 3, .pods = {pods(2, 8)}}}});
    world.gang.problem = model::Problem{Reason::incomplete, "group default/two has 2 of 3 pods"};
    const Explanation explanation = explained(world);
    CHECK(explanation.reason == Reason::incomplete);
    CHECK(explanation.groups.at(0).status == Status::waits);
    CHECK(explanation.groups[0].blamed_group == "default/two");
    CHECK(row_of(explanation, "default/two").status == Status::incomplete);
    CHECK(row_of(explanation, "default/two").existing == 2);
    CHECK(row_of(explanation, "default/one").status == Status::not_tried);
}

TEST_CASE("an Invalid gang has no tree: its sentence is all there is to say") {
    World world = WorldBuilder({block, rack}, two_racks(0)).with({.name = "default/job", .pods = {pods(1, 8)}});
    CHECK(explain_tree(world.snapshot, world.gang, Reason::invalid, {}).groups.empty());
}

TEST_CASE("an explanation is bounded, however many groups, domains and pods there are, and says what it left out") {
    std::vector<NodeSpec> nodes;
    for (int r = 0; r < 40; ++r) {
        add_rack(nodes, "b0", "r" + std::to_string(r), "n" + std::to_string(r) + "-", {8});
    }
    GroupSpec root{.name = "default/wide", .minimum = 60};
    for (int i = 0; i < 60; ++i) {
        root.children.push_back(
            {.name = "default/g" + std::to_string(i), .minimum = i + 2, .pods = {pods(i + 2, 8)}, .required = {rack}});
    }
    const World world = WorldBuilder({block, rack}, nodes).with(root);
    const Explanation explanation = explained(world);
    CHECK(explanation.groups.size() == 32);
    CHECK(explanation.groups_left_out == 29);
    CHECK(explanation.groups[0].group == "default/wide");
    const ExplainedGroup& row = row_of(explanation, "default/g0");
    CHECK(row.domains.size() == 3);
    CHECK(row.domains_left_out == 37);
}

}  // namespace echelon::solver::testing
