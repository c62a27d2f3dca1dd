// I10: nodes that come and go one by one, each numbered among those that stay.

#include "model/cluster/cluster.hpp"
#include "unit-tests/model/support/facts.hpp"
#include "unit-tests/model/support/same.hpp"

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

constexpr const char* zone = "topology.kubernetes.io/zone";

class Dice {
public:
    explicit Dice(std::uint32_t seed) : engine_(seed) {}
    std::size_t below(std::size_t bound) { return engine_() % bound; }  // Same sequence on every platform.

private:
    std::mt19937 engine_;
};

// What all nodes of a world have in common.
struct World {
    std::vector<Event> events;      // Topologies, groups, pods.
    std::vector<const char*> keys;  // Labels that nodes may have.
};

World world_of(std::uint32_t seed) {
    World world{.events = {}, .keys = {block, rack}};
    if (seed % 2 == 0)
        world.events.emplace_back(TopologySeen{topology("fabric", {block, rack, "kubernetes.io/hostname"})});
    if (seed % 3 == 0)
        world.keys.push_back(zone);  // A tree of a second source.
    if (seed % 5 == 0)
        world.keys.push_back("network.topology.nvidia.com/accelerator");  // All nodes are numbered anew.
    auto asks = leaf("asks", 2);
    asks.preferred = {"example.com/island"};
    if (seed % 7 < 3) {
        world.events.emplace_back(GroupSeen{asks});
        world.keys.push_back("example.com/island");
    }
    for (int number = 0; number < 12; ++number) {
        auto pod = member("asks-" + std::to_string(number), "asks");
        if (number > 1)
            pod.node = "n" + std::to_string(number);
        world.events.emplace_back(PodSeen{pod});
    }
    return world;
}

Node random_node(Dice& dice, const World& world, const std::string& name) {
    auto seen = node(name, {}, static_cast<std::int64_t>(dice.below(9)));
    for (const auto* key : world.keys) {
        if (dice.below(5) > 0)
            seen.labels[key] = "v" + std::to_string(dice.below(3) * 9);  // v0, v9, v18: not in the order of bytes.
    }
    if (dice.below(9) == 0)
        seen.allocatable.set("example.com/nic", 4);
    seen.unschedulable = dice.below(6) == 0;
    return seen;
}

}  // namespace

TEST_CASE("after nodes came and went the snapshot is as if it had been made from those that are there (I10)") {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const auto world = world_of(seed);
        auto cluster = facts::cluster(world.events);
        std::map<std::string, Node> there;
        Snapshot copy;
        for (int step = 0; step < 60; ++step) {
            for (auto changes = dice.below(3) + 1; changes-- > 0;) {
                const auto name = "n" + std::to_string(dice.below(30));
                if (dice.below(3) == 0) {
                    cluster.apply(NodeGone{name});
                    there.erase(name);
                } else {
                    const auto seen = random_node(dice, world, name);
                    cluster.apply(NodeSeen{seen});
                    there.insert_or_assign(name, seen);
                }
            }
            auto events = world.events;
            for (const auto& [name, seen] : there)
                events.emplace_back(NodeSeen{seen});
            static_cast<void>(cluster.resolve());  // Numbers the nodes. The copy follows later, and at once.
            if (dice.below(3) == 0)
                continue;
            static_cast<void>(cluster.renew(copy));
            REQUIRE(written(copy) == written(facts::cluster(events).snapshot()));
        }
    }
}

TEST_CASE("a node that comes or goes moves rows of the copy, which isn't made anew") {
    auto cluster = facts::cluster({TopologySeen{topology("fabric", {block, rack})}, GroupSeen{leaf("a", 1)},
                                   NodeSeen{racked("n1", "b0", "r0")}, NodeSeen{racked("n3", "b0", "r0")},
                                   NodeSeen{racked("n5", "b0", "r1")}});
    Snapshot copy;
    CHECK(cluster.renew(copy).is_all);
    cluster.apply(PodSeen{bound(pod("p"), "n5")});
    cluster.apply(NodeSeen{racked("n4", "b0", "r0")});
    const auto came = cluster.renew(copy);
    CHECK(!came.is_all);
    REQUIRE(came.moves.size() == 1);
    CHECK(came.moves.front().comes());
    CHECK(came.nodes == std::vector<NodeId>{*copy.node("n5"), *copy.node("n4")});
    cluster.apply(PodGone{"uid-p"});
    cluster.apply(NodeGone{"n1"});
    const auto gone = cluster.renew(copy);
    CHECK(!gone.is_all);
    REQUIRE(gone.moves.size() == 1);
    CHECK(!gone.moves.front().comes());
    CHECK(gone.nodes == std::vector<NodeId>{*copy.node("n5")});
    // More moves than are worth it.
    for (int number = 10; number < 20; ++number)
        cluster.apply(NodeSeen{racked("n" + std::to_string(number), "b0", "r0")});
    CHECK(cluster.renew(copy).is_all);
    CHECK(written(copy) == written(cluster.snapshot()));
}

TEST_CASE("gangs on a node that comes back are looked at again, and no others") {
    auto cluster = facts::cluster({TopologySeen{topology("fabric", {block, rack})}, GroupSeen{leaf("a", 1)},
                                   GroupSeen{leaf("b", 1)}, NodeSeen{racked("n1", "b0", "r0")},
                                   NodeSeen{racked("n2", "b0", "r1")}});
    auto on = [](const std::string& name, const std::string& group, const std::string& where) {
        auto pod = member(name, group);
        pod.node = where;
        return PodSeen{pod};
    };
    cluster.apply(on("a-0", "a", "n1"));
    cluster.apply(on("b-0", "b", "n2"));
    static_cast<void>(cluster.resolve());
    cluster.apply(NodeGone{"n1"});
    static_cast<void>(cluster.resolve());
    cluster.apply(NodeSeen{racked("n1", "b0", "r2")});
    const auto impact = cluster.resolve();
    CHECK(!impact.all_gangs);
    CHECK(impact.gangs == std::set<GroupKey>{leaf_key("a")});
}
