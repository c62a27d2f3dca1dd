// Pods are packed into NUMA zones exactly (NU2): every decision is compared with one that tries everything.

#include "unit-tests/solver/support/zones.hpp"

#include "solver/violations.hpp"

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

bool is_placed(const Answer& answer) {
    return std::holds_alternative<Plan>(answer);
}

std::string sentence_of(const Answer& answer) {
    const auto* refusal = std::get_if<Refusal>(&answer);
    return refusal == nullptr ? "" : refusal->sentence;
}

// One node of two zones with 4 GPUs each, and a gang of equal pods.
World two_zones(std::int64_t pods, std::int64_t gpus) {
    WorldBuilder builder({}, {{.name = "n0", .room = {{gpu, 8}}}});
    World world = builder.with({.name = "g", .minimum = pods, .pods = {{.count = pods, .needs = {{gpu, gpus}}}}});
    fill_classes(world);
    set_zones(world, zones_of("n0", ZoneScope::pod, {{{gpu, 4}}, {{gpu, 4}}}));
    return world;
}

TEST_CASE("a pod needs one zone that has all of it (NU2)") {
    CHECK(is_placed(two_zones(1, 4).solve()));
    CHECK(is_placed(two_zones(2, 4).solve()));
    CHECK(is_placed(two_zones(4, 2).solve()));
    CHECK(is_placed(two_zones(2, 3).solve()));
    CHECK(sentence_of(two_zones(1, 5).solve()) ==
          "group g needs 1 seat; the cluster has room for 0 when empty: 1 missing (one NUMA zone of example.com/gpu)");
    CHECK_FALSE(is_placed(two_zones(1, 8).solve()));
}

TEST_CASE("what is given out now is no proof that the gang never fits (NU2)") {
    World world = two_zones(2, 4);
    model::NodeZones zones = *world.snapshot.zoned.at(0).zones;
    zones.zones[1].available.set(gpu, 3);
    set_zones(world, zones);
    const Answer answer = world.solve();
    REQUIRE_FALSE(is_placed(answer));
    CHECK(std::get<Refusal>(answer).reason == model::Reason::no_room);
    CHECK(sentence_of(answer) ==
          "group g needs 2 seats; the cluster has room for 1: 1 missing (one NUMA zone of example.com/gpu)");
}

TEST_CASE("pods that the zones don't show yet count, wherever the kubelet puts them (NU2)") {
    World world = two_zones(2, 3);
    world.snapshot.zoned.at(0).add({{{gpu, 2}}}, 1);
    CHECK_FALSE(is_placed(world.solve()));
    world = two_zones(2, 3);
    world.snapshot.zoned.at(0).add({{{gpu, 1}}}, 2);
    CHECK(is_placed(world.solve()));
    world.snapshot.zoned.at(0).add({{{gpu, 1}}}, 1);
    CHECK_FALSE(is_placed(world.solve()));
    world.snapshot.zoned.at(0).add({{{gpu, 1}}}, -1);
    CHECK(is_placed(world.solve()));
}

TEST_CASE("zones that lack a pod's resources, and pods that aren't aligned, are not judged (NU2)") {
    World world = two_zones(1, 8);
    set_zones(world, zones_of("n0", ZoneScope::pod, {{{"cpu", 4000}}, {{"cpu", 4000}}}));
    CHECK(is_placed(world.solve()));
}

TEST_CASE("by scope container each container may have another zone (NU2)") {
    World world = two_zones(1, 8);
    model::PodClass& pod_class = world.snapshot.pod_classes.front();
    pod_class.alignment.edit().containers = {{.requests = {{gpu, 4}}}, {.requests = {{gpu, 4}}}};
    CHECK_FALSE(is_placed(world.solve()));
    set_zones(world, zones_of("n0", ZoneScope::container, {{{gpu, 4}}, {{gpu, 4}}}));
    CHECK(is_placed(world.solve()));
    pod_class.alignment.edit().containers = {{.requests = {{gpu, 5}}}, {.requests = {{gpu, 3}}}};
    CHECK_FALSE(is_placed(world.solve()));
}

// ---- Random worlds.

struct RandomZones {
    World world;
    std::vector<model::PodClassId> pods;  // Of the gang.
};

RandomZones random_zones(std::mt19937& random) {
    const auto upto = [&](int most) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(most + 1)); };
    std::vector<NodeSpec> nodes;
    std::vector<model::NodeZones> zones;
    const auto node_count = 1 + upto(2);
    for (std::int64_t n = 0; n < node_count; ++n) {
        std::vector<Amounts> available(static_cast<std::size_t>(1 + upto(2)));
        Room room;
        for (Amounts& zone : available) {
            zone = {{"cpu", 1000 * (1 + upto(3))}, {gpu, upto(3)}};
            room["cpu"] += zone.of("cpu");
            room[gpu] += zone.of(gpu);
        }
        room["cpu"] += 500 - 1000 * (upto(3) / 3);  // Nearly what the zones have in all.
        nodes.push_back({.name = "n" + std::to_string(n), .labels = {"r" + std::to_string(n / 2)}, .room = room});
        if (upto(5) > 0) {
            zones.push_back(
                zones_of(nodes.back().name, upto(1) > 0 ? ZoneScope::pod : ZoneScope::container, available));
        }
    }
    GroupSpec group{.name = "g"};
    if (upto(2) == 0) {
        group.required = {"rack"};
    }
    const auto class_count = 1 + upto(1);
    for (std::int64_t c = 0; c < class_count; ++c) {
        group.pods.push_back(
            {.count = 1 + upto(1 + static_cast<int>(class_count == 1)),
             .needs = {{"cpu", upto(1) == 0 ? 1000 * (1 + upto(2)) : 500 * (1 + upto(4))}, {gpu, upto(2)}}});
        group.minimum = c == 0 ? group.pods.back().count : group.minimum + group.pods.back().count;
    }
    RandomZones out{.world = WorldBuilder({"rack"}, nodes).with(group), .pods = {}};
    fill_classes(out.world);
    for (model::PodClass& pod_class : out.world.snapshot.pod_classes) {
        pod_class.alignment.edit().is_guaranteed = upto(3) > 0;
        if (upto(2) == 0) {  // Two containers, the second with a CPU and a device at most.
            Amounts second = {{"cpu", std::min<std::int64_t>(pod_class.requests.of("cpu"), 1000 * upto(1))},
                              {gpu, std::min<std::int64_t>(pod_class.requests.of(gpu), upto(1))}};
            const Amounts first = {{"cpu", pod_class.requests.of("cpu") - second.of("cpu")},
                                   {gpu, pod_class.requests.of(gpu) - second.of(gpu)}};
            pod_class.alignment.edit().containers = {{.requests = first}, {.requests = second}};
        }
    }
    for (const model::NodeZones& each : zones) {
        set_zones(out.world, each);
        if (upto(3) == 0) {
            out.world.snapshot.zoned.at(*out.world.snapshot.node(each.node)).add({{{gpu, 1}}}, 1 + upto(1));
        }
    }
    for (const model::Member& member : out.world.gang.members) {
        out.pods.push_back(member.pod_class);
    }
    return out;
}

Plan plan_of(const std::vector<NodeId>& node_of) {
    Plan plan;
    for (std::uint32_t m = 0; m < node_of.size(); ++m) {
        plan.seats.push_back({.member = m, .node = node_of[m]});
    }
    return plan;
}

// By the rules of amounts and levels, as the referee judges them without zones.
bool is_valid_without_zones(const World& world, const Plan& plan) {
    model::Snapshot plain = world.snapshot;
    plain.zoned.clear();
    return violations(plain, world.gang, plan).empty();
}

bool zones_hold_all(const RandomZones& random, const std::vector<NodeId>& node_of) {
    for (NodeId node = 0; node < random.world.snapshot.node_count(); ++node) {
        std::vector<model::PodClassId> here;
        for (std::size_t m = 0; m < node_of.size(); ++m) {
            if (node_of[m] == node) {
                here.push_back(random.pods[m]);
            }
        }
        if (!zones_hold(random.world.snapshot, node, here)) {
            return false;
        }
    }
    return true;
}

// Tries every node for every pod. Compares the referee with the exhaustive answer on the way.
bool fits_somehow(const RandomZones& random, std::vector<NodeId>& node_of) {
    if (node_of.size() == random.pods.size()) {
        const Plan plan = plan_of(node_of);
        const bool is_valid = is_valid_without_zones(random.world, plan);
        const bool fits = is_valid && zones_hold_all(random, node_of);
        if (is_valid) {
            REQUIRE(violations(random.world.snapshot, random.world.gang, plan).empty() == fits);
        }
        return fits;
    }
    bool fits = false;
    for (NodeId node = 0; node < random.world.snapshot.node_count() && !fits; ++node) {
        node_of.push_back(node);
        fits = fits_somehow(random, node_of);
        node_of.pop_back();
    }
    return fits;
}

TEST_CASE("20,000 random worlds are decided as by trying every node and every zone (NU2)") {
    std::mt19937 random(20);
    int placed = 0;
    int refused_by_zones = 0;
    for (int round = 0; round < 20'000; ++round) {
        CAPTURE(round);
        const RandomZones world = random_zones(random);
        std::vector<NodeId> node_of;
        const bool fits = fits_somehow(world, node_of);
        const Answer answer = world.world.solve();
        CAPTURE(sentence_of(answer));
        REQUIRE(is_placed(answer) == fits);
        if (fits) {
            ++placed;
            REQUIRE(violations(world.world.snapshot, world.world.gang, std::get<Plan>(answer)).empty());
            continue;
        }
        REQUIRE(std::get<Refusal>(answer).reason != model::Reason::out_of_budget);
        World plain = world.world;
        plain.snapshot.zoned.clear();
        refused_by_zones += is_placed(plain.solve()) ? 1 : 0;
    }
    CHECK(placed > 4'000);  // Both answers are common, and zones are often the reason.
    CHECK(refused_by_zones > 1'000);
}

}  // namespace
}  // namespace echelon::solver::testing
