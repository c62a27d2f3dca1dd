// Gangs whose devices are matched one by one (DR3): every decision is compared with one that tries everything.

#include "solver/violations.hpp"
#include "unit-tests/solver/support/devices.hpp"
#include "unit-tests/solver/support/world.hpp"
#include "unit-tests/solver/support/zones.hpp"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

using model::ClaimAsk;
using model::DeviceChoice;
using model::NodeDevices;
using model::NodeId;

bool is_placed(const Answer& answer) {
    return std::holds_alternative<Plan>(answer);
}

void set_devices(World& world, NodeId node, const NodeDevices& devices) {
    world.snapshot.matched.insert_or_assign(node, model::MatchedNode{.devices = devices});
}

// A gang of as many pods as there are claims, each with one of them. Pods of equal claims are of one class.
World gang_of(const std::vector<ClaimAsk>& claims, const std::vector<NodeDevices>& nodes) {
    std::vector<NodeSpec> specs;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        specs.push_back({.name = "n" + std::to_string(n), .room = {{"cpu", 100}}});
    }
    GroupSpec group{.name = "g", .minimum = static_cast<std::int64_t>(claims.size())};
    for (std::size_t c = 0; c < claims.size(); ++c) {
        const auto same = std::ranges::find(claims, claims[c]) - claims.begin();
        group.pods.push_back({.needs = {{"cpu", 1 + same}}});
    }
    World world = WorldBuilder({}, specs).with(group);
    for (const model::Member& member : world.gang.members) {
        const auto at = static_cast<std::size_t>(&member - world.gang.members.data());
        world.snapshot.pod_classes[member.pod_class].devices = model::DeviceAsks{claims[at]};
    }
    for (NodeId node = 0; node < nodes.size(); ++node) {
        set_devices(world, node, nodes[node]);
    }
    return world;
}

bool devices_serve(const World& world, const std::vector<NodeId>& node_of) {
    for (const auto& [node, matched] : world.snapshot.matched) {
        std::vector<ClaimAsk> claims;
        const auto add = [&claims](const model::DeviceAsks& asks) {
            claims.insert(claims.end(), asks.begin(), asks.end());
        };
        for (std::size_t m = 0; m < node_of.size(); ++m) {
            if (node_of[m] == node) {
                add(*world.snapshot.pod_classes[world.gang.members[m].pod_class].devices);
            }
        }
        if (claims.empty()) {
            continue;
        }
        for (const auto& [asks, pods] : matched.expected) {
            for (std::int64_t i = 0; i < pods; ++i) {
                add(asks);
            }
        }
        if (!EveryWay(*matched.devices, claims).exists()) {
            return false;
        }
    }
    return true;
}

// Tries every node for every pod. Compares the referee with the exhaustive answer on the way.
bool fits_somehow(const World& world, std::vector<NodeId>& node_of) {
    if (node_of.size() == world.gang.members.size()) {
        Plan plan;
        for (std::uint32_t m = 0; m < node_of.size(); ++m) {
            plan.seats.push_back({.member = m, .node = node_of[m]});
        }
        const bool fits = devices_serve(world, node_of);
        REQUIRE(violations(world.snapshot, world.gang, plan).empty() == fits);
        return fits;
    }
    bool fits = false;
    for (NodeId node = 0; node < world.snapshot.node_count() && !fits; ++node) {
        node_of.push_back(node);
        fits = fits_somehow(world, node_of);
        node_of.pop_back();
    }
    return fits;
}

TEST_CASE("20,000 random gangs are decided as by trying every node and every device (DR3)") {
    RandomMatchings random(7);
    int placed = 0;
    for (int round = 0; round < 20'000; ++round) {
        CAPTURE(round);
        RandomMatching first = random.next();
        std::vector<NodeDevices> nodes = {first.node};
        if (round % 3 > 0) {
            nodes.push_back(random.next().node);
        }
        if (round % 5 == 0) {
            nodes.push_back(first.node);  // Equal nodes share what was found out.
        }
        World world = gang_of(first.claims, nodes);
        if (round % 4 == 0) {
            world.snapshot.matched.at(0).add({random.next().claims.front()}, 1 + round % 2);
        }
        std::vector<NodeId> node_of;
        const bool fits = fits_somehow(world, node_of);
        const Answer answer = world.solve();
        CAPTURE(is_placed(answer) ? "" : std::get<Refusal>(answer).sentence);
        REQUIRE(is_placed(answer) == fits);
        if (fits) {
            ++placed;
            REQUIRE(violations(world.snapshot, world.gang, std::get<Plan>(answer)).empty());
        } else {
            REQUIRE(std::get<Refusal>(answer).reason != model::Reason::out_of_budget);
        }
    }
    CHECK(placed > 3'000);  // Both answers are common.
    CHECK(placed < 17'000);
}

TEST_CASE("a refusal says which devices are missing together, and seats that are promised count (DR7)") {
    NodeDevices node{.kinds = {"devices of class gpu"}, .attributes = {"d/root"}, .counters = {}, .devices = {}};
    for (const char* root : {"a", "a", "a", "b", "b", "b"}) {
        node.devices.push_back({.takers = 1, .values = {root}});
    }
    const ClaimAsk pair{.requests = {{DeviceChoice{.kind = "devices of class gpu", .count = 2, .rules = {0}}}},
                        .rules = {{.attribute = "d/root"}}};
    CHECK(is_placed(gang_of({pair, pair}, {node}).solve()));
    const Answer refused = gang_of({pair, pair, pair}, {node}).solve();
    REQUIRE_FALSE(is_placed(refused));
    CHECK(std::get<Refusal>(refused).sentence ==
          "group g needs 3 seats; the cluster has room for 2 when empty: 1 missing (devices of class gpu with equal "
          "d/root)");
    World beside = gang_of({pair, pair}, {node});
    beside.snapshot.matched.at(0).add({pair}, 1);
    CHECK_FALSE(is_placed(beside.solve()));
    beside.snapshot.matched.at(0).add({pair}, -1);
    CHECK(is_placed(beside.solve()));
    beside.snapshot.take(0, beside.gang.members[0].pod_class);
    CHECK_FALSE(is_placed(beside.solve()));
    beside.snapshot.give_back(0, beside.gang.members[0].pod_class);
    CHECK(is_placed(beside.solve()));
}

TEST_CASE("a class that doesn't exist is NoRoom, since it may be created, one without devices is Impossible (DR4)") {
    const std::string exists = "devices of class gpu";
    const std::string absent = exists + ", which doesn't exist";
    for (const std::string& name : {exists, absent}) {
        World world = WorldBuilder({block, rack}, {{.name = "a0", .labels = {"b0", "r0"}, .room = {{name, 0}}}})
                          .with({.name = "g", .minimum = 1, .pods = {{.count = 1, .needs = {{name, 1}}}}});
        fill_classes(world);
        const Answer answer = world.solve();
        REQUIRE_FALSE(is_placed(answer));
        const auto& refusal = std::get<Refusal>(answer);
        CHECK(refusal.reason == (name == absent ? model::Reason::no_room : model::Reason::impossible));
        CHECK(refusal.is_proved());
        CHECK(refusal.sentence == "group g needs 1 seat; the cluster has room for 0" +
                                      std::string(name == absent ? "" : " when empty") + ": 1 missing (" + name + ")");
    }
}

}  // namespace
}  // namespace echelon::solver::testing
