// Groups whose members share one NUMA zone (NU3): every decision is compared with one that tries everything.

#include "solver/violations.hpp"
#include "unit-tests/solver/support/zones.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

using model::Amounts;
using model::NodeId;
using model::ZoneScope;

constexpr const char* gpu = "example.com/gpu";
constexpr const char* host = "kubernetes.io/hostname";

bool is_placed(const Answer& answer) {
    return std::holds_alternative<Plan>(answer);
}

void put_into_zones(World& world, const std::vector<std::string>& groups) {
    for (model::GangGroup& group : world.gang.groups) {
        for (const std::string& name : groups) {
            group.is_in_one_zone = group.is_in_one_zone || group.key.name == name;
        }
    }
}

World world_of(const GroupSpec& group, const std::vector<std::vector<std::int64_t>>& zones) {
    std::vector<NodeSpec> nodes;
    for (std::size_t n = 0; n < zones.size(); ++n) {
        std::int64_t all = 0;
        for (const std::int64_t gpus : zones[n]) {
            all += gpus;
        }
        nodes.push_back({.name = "n" + std::to_string(n), .room = {{gpu, all}}});
    }
    World world = WorldBuilder({}, nodes).with(group);
    fill_classes(world);
    for (std::size_t n = 0; n < zones.size(); ++n) {
        std::vector<Amounts> available;
        for (const std::int64_t gpus : zones[n]) {
            available.push_back({{gpu, gpus}});
        }
        if (!available.empty()) {
            set_zones(world, zones_of("n" + std::to_string(n), ZoneScope::pod, available));
        }
    }
    return world;
}

GroupSpec leaf_of(const std::string& name, std::int64_t pods, std::int64_t gpus, std::int64_t minimum = -1) {
    return {.name = name,
            .minimum = minimum < 0 ? pods : minimum,
            .pods = {{.count = pods, .needs = {{gpu, gpus}}}},
            .required = {host}};
}

TEST_CASE("all members of a group go to one zone of one node (NU3)") {
    World world = world_of(leaf_of("g", 4, 1), {{2, 2}, {1, 4}});
    put_into_zones(world, {"g"});
    const Answer answer = world.solve();
    REQUIRE(is_placed(answer));
    for (const Seat& seat : std::get<Plan>(answer).seats) {
        CHECK(world.snapshot.node_names[seat.node] == "n1");
    }
    CHECK(std::get<Plan>(answer).seats.size() == 4);
    world = world_of(leaf_of("g", 5, 1), {{4, 4}, {1, 4}});
    CHECK(is_placed(world.solve()));
    put_into_zones(world, {"g"});
    const Answer refused = world.solve();
    REQUIRE_FALSE(is_placed(refused));
    CHECK(std::get<Refusal>(refused).is_proved());
}

TEST_CASE("the minimum goes together where all members don't fit (NU3)") {
    World world = world_of(leaf_of("g", 5, 1, 3), {{2, 2}, {4, 1}});
    put_into_zones(world, {"g"});
    const Answer answer = world.solve();
    REQUIRE(is_placed(answer));
    CHECK(std::get<Plan>(answer).seats.size() == 3);
    CHECK(std::get<Plan>(answer).message == "2 pods beyond the minimum wait for room");
}

TEST_CASE("nodes without zones that bind are left out, and a plan that divides a group is found (NU3)") {
    World world = world_of(leaf_of("g", 2, 1), {{2, 2}, {}});
    put_into_zones(world, {"g"});
    Plan divided;
    divided.seats = {{.member = 0, .node = 0}, {.member = 1, .node = 0}};
    CHECK(violations(world.snapshot, world.gang, divided).empty());
    world.snapshot.zoned.clear();
    CHECK_FALSE(is_placed(world.solve()));
    world = world_of(leaf_of("g", 3, 1), {{2, 2}});
    put_into_zones(world, {"g"});
    divided.seats = {{.member = 0, .node = 0}, {.member = 1, .node = 0}, {.member = 2, .node = 0}};
    CHECK(violations(world.snapshot, world.gang, divided).size() == 1);
}

// Tries every node for every member.
bool fits_somehow(const World& world, std::vector<NodeId>& node_of) {
    if (node_of.size() < world.gang.members.size()) {
        bool fits = false;
        for (NodeId node = 0; node < world.snapshot.node_count() && !fits; ++node) {
            node_of.push_back(node);
            fits = fits_somehow(world, node_of);
            node_of.pop_back();
        }
        return fits;
    }
    Plan plan;
    std::vector<std::vector<Amounts>> parts(world.snapshot.node_count());
    for (const model::GangGroup& group : world.gang.groups) {
        std::vector<Amounts> together(world.snapshot.node_count());
        for (auto m = group.first_member; group.is_leaf && m < group.last_member; ++m) {
            plan.seats.push_back({.member = m, .node = node_of[m]});
            const Amounts gpus = {{gpu, world.snapshot.pod_classes[world.gang.members[m].pod_class].requests.of(gpu)}};
            if (group.is_in_one_zone) {
                together[node_of[m]].add(gpus);
            } else {
                parts[node_of[m]].push_back(gpus);
            }
        }
        for (NodeId node = 0; node < together.size(); ++node) {
            if (!together[node].empty()) {
                parts[node].push_back(together[node]);
            }
        }
    }
    model::Snapshot plain = world.snapshot;
    plain.zoned.clear();
    if (!violations(plain, world.gang, plan).empty()) {
        return false;
    }
    bool fits = true;
    for (NodeId node = 0; node < parts.size() && fits; ++node) {
        std::vector<Amounts> zones;
        for (const model::Zone& zone : world.snapshot.zoned.at(node).zones->zones) {
            zones.push_back(zone.available);
        }
        fits = fit_somehow(zones, parts[node]);
    }
    REQUIRE(violations(world.snapshot, world.gang, plan).empty() == fits);
    return fits;
}

TEST_CASE("4,000 random gangs of two groups are decided as by trying every node and every zone (NU3)") {
    std::mt19937 random(3);
    const auto upto = [&](int most) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(most + 1)); };
    int placed = 0;
    for (int round = 0; round < 4'000; ++round) {
        CAPTURE(round);
        std::vector<std::vector<std::int64_t>> zones(static_cast<std::size_t>(1 + upto(1)));
        for (auto& of_node : zones) {
            of_node.resize(static_cast<std::size_t>(1 + upto(1)));
            for (auto& gpus : of_node) {
                gpus = 1 + upto(4);
            }
        }
        GroupSpec root{.name = "r", .minimum = 2};
        root.children = {leaf_of("a", 1 + upto(2), 1 + upto(1)), leaf_of("b", 1 + upto(2), 1 + upto(1))};
        if (upto(1) == 0) {
            root.children[1].required.clear();
        }
        World world = world_of(root, zones);
        put_into_zones(world, root.children[1].required.empty() ? std::vector<std::string>{"a"}
                                                                : std::vector<std::string>{"a", "b"});
        std::vector<NodeId> node_of;
        const bool fits = fits_somehow(world, node_of);
        const Answer answer = world.solve();
        REQUIRE(is_placed(answer) == fits);
        placed += fits ? 1 : 0;
        if (!fits) {
            REQUIRE(std::get<Refusal>(answer).is_proved());
        }
    }
    CHECK(placed > 800);
    CHECK(placed < 3'200);
}

TEST_CASE("members of a group in one zone don't fit by the sum of absurd amounts (BD1)") {
    const std::int64_t absurd = std::int64_t{1} << 60;
    for (const std::int64_t members : {8, 16}) {
        CAPTURE(members);
        const GroupSpec group{.name = "g",
                              .minimum = members,
                              .pods = {{.count = members, .needs = {{gpu, 1}, {"ephemeral-storage", absurd}}}},
                              .required = {host}};
        World world = WorldBuilder({}, {{.name = "n0", .room = {{gpu, 16}, {"ephemeral-storage", 100}}}}).with(group);
        fill_classes(world);
        set_zones(world, zones_of("n0", ZoneScope::pod, {{{gpu, 16}}}));
        put_into_zones(world, {"g"});
        CHECK_FALSE(is_placed(world.solve()));
    }
}

}  // namespace
}  // namespace echelon::solver::testing
