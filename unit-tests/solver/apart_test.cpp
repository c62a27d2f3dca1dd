// Pod affinity and anti-affinity (D14), gated members and placeholders (M3, H2), in hand-made worlds.

#include "solver/explain/outcome.hpp"
#include "solver/referee_work.hpp"
#include "solver/solve.hpp"
#include "solver/violations.hpp"
#include "unit-tests/solver/support/sentences.hpp"
#include "unit-tests/solver/support/world.hpp"

#include <set>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::solver::testing {
namespace {

const Plan& plan_of(const World& world, const Answer& answer) {
    if (const Refusal* refusal = std::get_if<Refusal>(&answer)) {
        FAIL(refusal->sentence);
    }
    const Plan& plan = std::get<Plan>(answer);
    CHECK(sentences(violations(world.snapshot, world.gang, plan)) == std::vector<std::string>{});
    return plan;
}

std::vector<NodeSpec> racks(int count, const std::vector<std::int64_t>& hosts) {
    std::vector<NodeSpec> nodes;
    for (int r = 0; r < count; ++r) {
        add_rack(nodes, "b0", fmt::format("r{:02}", r), fmt::format("n{:02}-", r), hosts);
    }
    return nodes;
}

PodSpec affinity_class(PodSpec pod, std::uint32_t number) {
    pod.affinity_class = number;
    return pod;
}

// One group per job, each in one rack, no two in the same one.
World exclusive_jobs(const std::vector<NodeSpec>& nodes, std::uint32_t jobs, std::int64_t size) {
    GroupSpec root{.name = "set", .minimum = jobs};
    for (std::uint32_t j = 1; j <= jobs; ++j) {
        root.children.push_back({.name = fmt::format("job{}", j),
                                 .minimum = size,
                                 .pods = {affinity_class(pods(size, 1), j)},
                                 .required = {rack}});
    }
    World world = WorldBuilder({block, rack}, nodes).with(root);
    for (std::uint32_t one = 1; one <= jobs; ++one) {
        for (std::uint32_t other = one + 1; other <= jobs; ++other) {
            keep_apart(world, rack, one, other);
        }
    }
    return world;
}

TEST_CASE("members that keep apart on hosts get a host each (D14)") {
    World world = WorldBuilder({block, rack}, racks(1, {8, 8, 8, 8}))
                      .with({.name = "web", .minimum = 4, .pods = {affinity_class(pods(4, 1), 1)}, .required = {rack}});
    keep_apart(world, host, 1, 1);
    const Answer answer = world.solve();
    std::set<model::NodeId> hosts;
    for (const Seat& seat : plan_of(world, answer).seats) {
        hosts.insert(seat.node);
    }
    CHECK(hosts.size() == 4);
}

TEST_CASE("one host too few for members that keep apart is a proof, whatever their sizes (D14)") {
    for (const std::int64_t leader : {1, 4}) {
        World world = WorldBuilder({block, rack}, racks(2, {8, 8, 8, 8}))
                          .with({.name = "web",
                                 .minimum = 5,
                                 .pods = {affinity_class(pods(4, 1), 1), affinity_class(pods(1, leader), 1)},
                                 .required = {rack}});
        keep_apart(world, host, 1, 1);
        const Answer answer = world.solve();
        REQUIRE(std::holds_alternative<Refusal>(answer));
        CHECK(std::get<Refusal>(answer).reason == model::Reason::impossible);
    }
}

TEST_CASE("a refusal by anti-affinity to running pods is NoRoom, not Impossible (D14)") {
    World world = WorldBuilder({block, rack}, racks(1, {8, 8}))
                      .with({.name = "web", .minimum = 2, .pods = {affinity_class(pods(2, 1), 1)}});
    keep_apart(world, host, 1, 1);
    bar(world, 1, "n00-1");
    const Answer answer = world.solve();
    REQUIRE(std::holds_alternative<Refusal>(answer));
    CHECK(std::get<Refusal>(answer).reason == model::Reason::no_room);
}

TEST_CASE("exclusive groups take a rack each, and extras stay in it (D14)") {
    const World world = exclusive_jobs(racks(4, {4, 4}), 4, 3);
    const Answer answer = world.solve();
    const Plan& plan = plan_of(world, answer);
    CHECK(plan.seats.size() == 12);
    std::set<std::string> used;
    for (const Seat& seat : plan.seats) {
        used.insert(world.snapshot.path(0, 1, seat.node));
    }
    CHECK(used.size() == 4);
}

TEST_CASE("more exclusive groups than racks don't fit, though their pods would (D14)") {
    const World world = exclusive_jobs(racks(3, {8, 8}), 4, 2);
    const Answer answer = world.solve();
    REQUIRE(std::holds_alternative<Refusal>(answer));
    CHECK(std::get<Refusal>(answer).reason == model::Reason::impossible);
}

TEST_CASE("racks of one name in two blocks are one place for pod anti-affinity (D14)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "x", {8});
    add_rack(nodes, "b1", "r0", "y", {8});
    const World same = exclusive_jobs(nodes, 2, 1);
    CHECK(std::holds_alternative<Refusal>(same.solve()));
    add_rack(nodes, "b1", "r1", "z", {8});
    const World other = exclusive_jobs(nodes, 2, 1);
    CHECK(plan_of(other, other.solve()).seats.size() == 2);
}

TEST_CASE("forty exclusive groups are placed within the budget (D14)") {
    const World world = exclusive_jobs(racks(44, {8, 8}), 40, 8);
    const Answer answer = world.solve();
    CHECK(plan_of(world, answer).seats.size() == 320);
}

TEST_CASE("a bound member keeps away members that conflict with it (D14)") {
    PodSpec bound = affinity_class(pods(1, 1), 1);
    bound.on = "n00-0";
    GroupSpec root{.name = "set", .minimum = 2};
    root.children = {{.name = "a", .pods = {bound}}, {.name = "b", .pods = {affinity_class(pods(1, 1), 2)}}};
    World world = WorldBuilder({block, rack}, racks(2, {8, 8})).with(root);
    keep_apart(world, rack, 1, 2);
    const Answer answer = world.solve();
    CHECK(world.node_of(plan_of(world, answer), "b-0").starts_with("n01"));
}

TEST_CASE("the referee sees pods that should keep apart side by side, barred seats, and followers alone (D14)") {
    World world =
        WorldBuilder({block, rack}, racks(2, {8, 8}))
            .with(
                {.name = "web", .minimum = 1, .pods = {affinity_class(pods(1, 1), 1), affinity_class(pods(1, 1), 2)}});
    const Plan beside{.seats = {{.member = 0, .node = 0}, {.member = 1, .node = 1}}, .message = {}, .steps = 0};
    CHECK(violations(world.snapshot, world.gang, beside).empty());
    keep_apart(world, rack, 1, 2);
    const auto found = violations(world.snapshot, world.gang, beside);
    REQUIRE(found.size() == 1);
    CHECK(found.front().kind == Violation::Kind::affinity);
    const Plan away{.seats = {{.member = 0, .node = 0}, {.member = 1, .node = 2}}, .message = {}, .steps = 0};
    CHECK(violations(world.snapshot, world.gang, away).empty());
    bar(world, 2, "n01-0");
    CHECK(violations(world.snapshot, world.gang, away).size() == 1);
    world.gang.affinity.barred.clear();
    world.gang.affinity.together.push_back({.topology_key = 0, .affinity_class = 2, .friends = {1}, .met = {0, 0}});
    CHECK(violations(world.snapshot, world.gang, away).size() == 1);
    world.gang.affinity.together.front().met = {0, 1};
    CHECK(violations(world.snapshot, world.gang, away).empty());
}

TEST_CASE("the first pod of an affinity group may be alone, and the others go beside it (D14)") {
    World world = WorldBuilder({block, rack}, racks(2, {8, 8}))
                      .with({.name = "web", .minimum = 1, .pods = {affinity_class(pods(2, 1), 1)}});
    keep_apart(world, rack, 2, 3);  // Of others; it numbers the racks.
    world.gang.affinity.together.push_back({.topology_key = 0, .affinity_class = 1, .friends = {1}, .met = {0, 0}});
    const auto judged = [&](std::vector<Seat> seats) {
        return violations(world.snapshot, world.gang, {.seats = std::move(seats), .message = {}, .steps = 0}).size();
    };
    CHECK(judged({{.member = 0, .node = 0}}) == 0);
    CHECK(judged({{.member = 0, .node = 0}, {.member = 1, .node = 1}}) == 0);
    CHECK(judged({{.member = 0, .node = 0}, {.member = 1, .node = 2}}) == 2);
    world.gang.affinity.together.front().met = {0, 1};
    CHECK(judged({{.member = 0, .node = 0}}) == 1);
    CHECK(judged({{.member = 0, .node = 2}}) == 0);
}

TEST_CASE("pods that only follow each other can't come, and those behind a pod that follows nobody can (D14)") {
    const PodSpec each[] = {affinity_class(pods(1, 1), 1), affinity_class(pods(1, 1), 2),
                            affinity_class(pods(1, 1), 3)};
    World world = WorldBuilder({block, rack}, racks(2, {8, 8}))
                      .with({.name = "web", .minimum = 3, .pods = {each[0], each[1], each[2]}});
    keep_apart(world, rack, 4, 5);  // Of others; it numbers the racks.
    const auto judged = [&] {
        const Plan plan{.seats = {{.member = 0, .node = 0}, {.member = 1, .node = 1}, {.member = 2, .node = 0}},
                        .message = {},
                        .steps = 0};
        return violations(world.snapshot, world.gang, plan).size();
    };
    auto& together = world.gang.affinity.together;
    together = {{.topology_key = 0, .affinity_class = 1, .friends = {2}, .met = {0, 0}},
                {.topology_key = 0, .affinity_class = 2, .friends = {1}, .met = {0, 0}}};
    CHECK(judged() == 2);
    together[1].met = {1, 0};
    CHECK(judged() == 0);
    together[1].met = {0, 0};
    together[1].friends = {3};
    CHECK(judged() == 0);
    together.push_back({.topology_key = 0, .affinity_class = 3, .friends = {3}, .met = {0, 0}});
    CHECK(judged() == 0);
    together.back().friends = {1, 2};
    CHECK(judged() == 3);
}

TEST_CASE("what the referee is asked for during a search is charged (BD4)") {
    World world = exclusive_jobs(racks(44, {8, 8}), 40, 8);
    const Answer answer = world.solve();
    const Operations work = referee_work(world.snapshot, world.gang);
    CHECK(work > world.gang.affinity.apart.size() * 16);
    CHECK(plan_of(world, answer).steps >= work / SearchBudget::operations_per_step);
}

TEST_CASE("a refusal by a level that replaces affinity is no proof (D14)") {
    World world = WorldBuilder({block, rack}, racks(1, {1}))
                      .with({.name = "web", .minimum = 2, .pods = {affinity_class(pods(2, 1), 1)}});
    world.gang.affinity.is_exact = false;
    const Answer answer = world.solve();
    REQUIRE(std::holds_alternative<Refusal>(answer));
    CHECK_FALSE(std::get<Refusal>(answer).is_proved());
}

TEST_CASE("gated siblings choose the larger rack, and hold nothing (M3)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {2});
    add_rack(nodes, "b0", "r1", "b", {4});
    GroupSpec group{.name = "job", .minimum = 2, .pods = {pods(2, 1)}, .required = {rack}};
    const World alone = WorldBuilder({block, rack}, nodes).with(group);
    CHECK(alone.node_of(plan_of(alone, alone.solve()), "job-0") == "a0");  // The tightest.
    PodSpec gated = pods(2, 1);
    gated.gated = true;
    group.pods.push_back(gated);
    const World world = WorldBuilder({block, rack}, nodes).with(group);
    const Answer answer = world.solve();
    CHECK(plan_of(world, answer).seats.size() == 2);
    CHECK(world.node_of(std::get<Plan>(answer), "job-0") == "b0");
    CHECK(std::get<Plan>(answer).message.empty());
}

TEST_CASE("gated siblings cost no member a seat (M3)") {
    std::vector<NodeSpec> nodes;
    add_rack(nodes, "b0", "r0", "a", {3});
    add_rack(nodes, "b0", "r1", "b", {2});
    PodSpec gated = pods(9, 1);
    gated.gated = true;
    const World world = WorldBuilder({block, rack}, nodes)
                            .with({.name = "job", .minimum = 1, .pods = {pods(3, 1), gated}, .required = {rack}});
    const Answer answer = world.solve();
    CHECK(plan_of(world, answer).seats.size() == 3);
}

TEST_CASE("a group that only gated siblings would complete gets no seat (M3)") {
    PodSpec gated = pods(1, 1);
    gated.gated = true;
    GroupSpec root{.name = "set", .minimum = 1};
    root.children = {{.name = "whole", .minimum = 2, .pods = {pods(2, 1)}},
                     {.name = "part", .minimum = 2, .pods = {pods(1, 1), gated}}};
    const World world = WorldBuilder({block, rack}, racks(1, {8, 8})).with(root);
    const Answer answer = world.solve();
    CHECK(plan_of(world, answer).seats.size() == 2);
    CHECK(world.seats_of(std::get<Plan>(answer), "part") == 0);
}

TEST_CASE("a leader has no seat in a rack without room for the workers that come later (H2)") {
    PodSpec placeholders = pods(7, 1);
    placeholders.placeholder = true;
    GroupSpec group{.name = "lws", .minimum = 8, .pods = {pods(1, 1), placeholders}, .required = {rack}};
    const World full = WorldBuilder({block, rack}, racks(2, {3, 4})).with(group);
    CHECK(std::holds_alternative<Refusal>(full.solve()));
    const World world = WorldBuilder({block, rack}, racks(2, {4, 4})).with(group);
    const Answer answer = world.solve();
    const Plan& plan = plan_of(world, answer);
    CHECK(plan.seats.size() == 8);
    CHECK(plan.message == "7 seats are held for pods that don't exist yet");
    CHECK(outcome(world.snapshot, world.gang, plan).front().placed == 1);
}

}  // namespace
}  // namespace echelon::solver::testing
