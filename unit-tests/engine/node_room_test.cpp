// After any change of the cluster, of holds and of refusals, the snapshot of the planner equals one made from scratch.

#include "engine/reserve/node_room.hpp"

#include "engine/reserve/taken_room.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::engine {
namespace {

constexpr std::uint32_t node_names = 12;
constexpr std::uint32_t pod_names = 40;

class Dice {
public:
    explicit Dice(std::uint32_t seed) : engine_(seed) {}
    std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(engine_() % end); }
    bool one_in(std::uint32_t sides) { return below(sides) == 0; }

private:
    std::mt19937 engine_;
};

std::string any_node(Dice& dice) {
    return fmt::format("n{}", dice.below(node_names));
}

model::Amounts any_amounts(Dice& dice) {
    model::Amounts amounts{{"cpu", dice.below(4) + 1}, {"gpu", dice.below(3)}};
    if (dice.one_in(10))
        amounts.set(fmt::format("example.com/r{}", dice.below(3)), 1);
    return amounts;
}

model::Node random_node(Dice& dice) {
    model::Node node;
    node.name = any_node(dice);
    node.labels = {{"rack", fmt::format("r{}", dice.below(3))}, {"pool", dice.one_in(2) ? "a" : "b"}};
    node.allocatable = any_amounts(dice);
    node.unschedulable = dice.one_in(4);
    return node;
}

model::Pod random_pod(Dice& dice) {
    model::Pod pod;
    const auto number = dice.below(pod_names);
    pod.uid = fmt::format("u{}", number);
    pod.ns = "default";
    pod.name = fmt::format("p{}", number);
    pod.scheduler_name = "default-scheduler";
    pod.pod_class.requests = any_amounts(dice);
    if (dice.one_in(3))
        pod.pod_class.node_selector = {{"pool", "a"}};
    if (dice.one_in(2))
        pod.node = any_node(dice);
    if (dice.one_in(2))
        pod.membership = model::Membership{{"podgroup", fmt::format("default/g{}", dice.below(4))}, {}, 0, ""};
    return pod;
}

struct World {
    explicit World(std::uint32_t seed) : dice(seed), facts(made()) {
        model::Topology topology;
        topology.name = "fabric";
        topology.source = model::TopologySource::configuration;
        topology.levels = {"rack", "kubernetes.io/hostname"};
        static_cast<void>(facts.cluster.apply(model::TopologySeen{topology}));
    }
    static Facts made() {
        Options options;
        options.profiles["default-scheduler"] = {};
        return {
            .options = options, .cluster = model::Cluster(model::Profiles{{"default-scheduler", {}}}), .unsynced = {}};
    }

    void change() {
        switch (dice.below(12)) {
            case 0:
                static_cast<void>(facts.cluster.apply(model::NodeGone{any_node(dice)}));
                break;
            case 1:
            case 2:
                static_cast<void>(facts.cluster.apply(model::NodeSeen{random_node(dice)}));
                break;
            case 3:
                static_cast<void>(facts.cluster.apply(model::PodGone{fmt::format("u{}", dice.below(pod_names))}));
                break;
            case 4:
                ledger.release(fmt::format("u{}", dice.below(pod_names)));
                break;
            case 5:
            case 6:
                hold();
                break;
            case 7:
                ledger.set_leaving(any_gang(), dice.one_in(2) ? std::map<std::string, model::Amounts>{}
                                                              : std::map{std::pair(any_node(dice), any_amounts(dice))});
                break;
            default:
                static_cast<void>(facts.cluster.apply(model::PodSeen{random_pod(dice)}));
        }
    }
    model::GroupKey any_gang() { return {"podgroup", fmt::format("default/g{}", dice.below(4))}; }
    void hold() {
        ledger.put(fmt::format("u{}", dice.below(pod_names)),
                   {.node = any_node(dice), .requests = any_amounts(dice), .owner = any_gang()});
    }
    // What planning does to the snapshot.
    void plan() {
        auto& snapshot = room.planning();
        const auto gang = any_gang();
        const OpenedHolds opened(snapshot, ledger, gang);
        TakenRoom taken(snapshot);
        if (!snapshot.pod_classes.empty() && snapshot.node_count() > 0)
            taken.take(dice.below(static_cast<std::uint32_t>(snapshot.node_count())), 0);
        if (dice.one_in(2))
            ledger.put(fmt::format("u{}", dice.below(pod_names)), {any_node(dice), any_amounts(dice), gang});
    }

    Dice dice;
    Facts facts;
    Ledger ledger;
    NodeRoom room{facts, ledger};
};

auto rows(const model::Snapshot& snapshot) {
    return std::tie(snapshot.node_names, snapshot.usable, snapshot.resources, snapshot.room, snapshot.capacity,
                    snapshot.pod_classes, snapshot.need, snapshot.eligible);
}

TEST_CASE("the snapshot that planning keeps is as one from scratch after any change") {
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        World world(seed);
        for (int step = 0; step < 400; ++step) {
            CAPTURE(step);
            for (auto changes = world.dice.below(4); changes > 0; --changes)
                world.change();
            if (world.dice.one_in(3))
                world.plan();
            const auto& kept = world.room.planning();
            const auto anew = world.room.snapshot();
            REQUIRE(rows(kept) == rows(anew));
            for (const auto& name : anew.node_names)
                REQUIRE(kept.node(name) == anew.node(name));
            REQUIRE(std::ranges::equal(kept.trees, anew.trees, {}, &model::Tree::domain_of, &model::Tree::domain_of));
        }
    }
}

TEST_CASE("one pod more costs the kept snapshot one node") {
    World world(1);
    for (int number = 0; number < 10; ++number) {
        auto node = random_node(world.dice);
        node.name = fmt::format("n{}", number);
        static_cast<void>(world.facts.cluster.apply(model::NodeSeen{node}));
    }
    static_cast<void>(world.room.planning());
    auto pod = random_pod(world.dice);
    pod.node = "n3";
    pod.membership.reset();
    pod.pod_class.requests = {{"cpu", 1}};
    static_cast<void>(world.facts.cluster.apply(model::PodSeen{pod}));
    auto copy = world.room.snapshot();
    const auto delta = world.facts.cluster.renew(copy);
    CHECK(!delta.is_all);
    CHECK(!delta.are_pod_classes);
    CHECK(delta.nodes == std::vector<model::NodeId>{*copy.node("n3")});
    CHECK(delta.hosts.empty());
}

}  // namespace
}  // namespace echelon::engine
