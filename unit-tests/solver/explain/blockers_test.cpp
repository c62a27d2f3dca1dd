#include "solver/explain/blockers.hpp"

#include "unit-tests/solver/support/world.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include <doctest/doctest.h>

namespace echelon::solver::testing {
namespace {

using model::Blocker;

// A rack of hosts a0, a1 ... with 8 GPUs each and a pod class of 8 GPUs that may use all of them.
struct Rack {
    explicit Rack(const std::vector<std::int64_t>& gpus) {
        std::vector<NodeSpec> nodes;
        add_rack(nodes, "b0", "r0", "a", gpus);
        world = WorldBuilder({block, rack}, nodes).with({.name = "default/train", .pods = {pods(1, 8)}});
        for (const std::string& name : world.snapshot.node_names) {
            facts.emplace_back().name = name;
        }
    }

    // Every GPU is taken.
    void fill() {
        for (std::size_t r = 0; r < world.snapshot.resources.size(); ++r) {
            std::ranges::fill(world.snapshot.room[r], world.snapshot.resources[r] == gpu ? 0 : 100);
        }
    }
    [[nodiscard]] Blocked blocked(const std::vector<Occupant>& occupants = {}) const {
        std::vector<model::NodeId> nodes(world.snapshot.node_count());
        std::iota(nodes.begin(), nodes.end(), 0U);
        const auto gpus = std::ranges::find(world.snapshot.resources, gpu) - world.snapshot.resources.begin();
        return blockers_in(world.snapshot, world.snapshot.room, nodes, 0, world.gang.affinity, 0,
                           static_cast<std::size_t>(gpus), OccupantsByNode(occupants, nodes.size()), facts);
    }

    World world;
    std::vector<model::Node> facts;
};

Occupant running(const std::string& pod, const std::string& gang, model::NodeId node, std::int64_t gpus) {
    return {.kind = Occupant::Kind::running,
            .pod = pod,
            .gang = gang,
            .node = node,
            .requests = {{gpu, gpus}},
            .priority = 0};
}

}  // namespace

TEST_CASE("of reserved room only nodes that fit a member count, by the gang that has the reservation") {
    Rack hosts({8, 8, 8});
    hosts.fill();
    Occupant kept = running("a0", "default/large", 0, 8);
    kept.kind = Occupant::Kind::claimed;
    kept.priority = 5;
    Occupant little = kept;
    little.node = 1;
    little.requests = {{gpu, 4}};
    const Blocked blocked = hosts.blocked({kept, little, running("default/web", "", 2, 8)});
    const auto claimed = std::ranges::find(blocked.blockers, Blocker::Kind::claimed, &Blocker::kind);
    REQUIRE(claimed != blocked.blockers.end());
    CHECK(claimed->owner == "default/large");
    CHECK(claimed->count == 1);
    CHECK(claimed->amount == 8);
    CHECK(claimed->room == 1);
    CHECK(claimed->priority == 5);
    CHECK(blocked.blockers.size() == 2);
    CHECK(hosts.blocked({little}).blockers.empty());
}

TEST_CASE("unusable nodes are listed by cause; nodes too small for any member aren't listed") {
    Rack hosts({8, 8, 8, 8, 8, 8, 0});
    hosts.world.snapshot.eligible[0] = {1, 0, 0, 0, 0, 0, 0};
    hosts.world.snapshot.pod_classes[0].node_selector = {{"pool", "gpu"}};
    for (model::Node& node : hosts.facts) {
        node.labels = {{"pool", node.name == "a5" ? "cpu" : "gpu"}};
    }
    hosts.facts[1].unschedulable = true;
    hosts.facts[2].ready = false;
    hosts.facts[3].deleting = true;
    hosts.facts[4].taints = {{"maintenance", "", model::TaintEffect::no_schedule}};
    hosts.facts[6].ready = false;
    const Blocked blocked = hosts.blocked();
    REQUIRE(blocked.blockers.size() == 5);
    const std::vector<Blocker::Kind> kinds = {Blocker::Kind::cordoned, Blocker::Kind::not_ready, Blocker::Kind::leaving,
                                              Blocker::Kind::tainted, Blocker::Kind::outside_selector};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const auto found = std::ranges::find(blocked.blockers, kinds[i], &Blocker::kind);
        REQUIRE(found != blocked.blockers.end());
        CHECK(found->is_about_nodes());
        CHECK(found->count == 1);
        CHECK(found->room == 1);
        CHECK(found->names.at(0).name == "a" + std::to_string(i + 1));
    }
}

TEST_CASE("a node that kube-scheduler's filters refused differs from one that the pods exclude") {
    Rack hosts({8});
    hosts.world.snapshot.eligible[0][0] = 0;
    REQUIRE(hosts.blocked().blockers.size() == 1);
    CHECK(hosts.blocked().blockers[0].kind == Blocker::Kind::rejected);
    hosts.facts.clear();
    CHECK(hosts.blocked().blockers.at(0).kind == Blocker::Kind::outside_selector);
}

TEST_CASE("nodes barred by pod affinity of other pods are listed as such") {
    Rack hosts({8, 8});
    hosts.world.gang.affinity.barred = {{0, 1}};
    REQUIRE(hosts.blocked().blockers.size() == 1);
    CHECK(hosts.blocked().blockers[0].kind == Blocker::Kind::barred);
    CHECK(hosts.blocked().blockers[0].names.at(0).name == "a1");
}

TEST_CASE("of members that keep apart by host, a cordoned host would hold one (D14)") {
    Rack hosts({8, 8});
    hosts.world.snapshot.need[0].assign(hosts.world.snapshot.need[0].size(), 1);
    hosts.world.snapshot.eligible[0][1] = 0;
    CHECK(hosts.blocked().blockers.at(0).room == 8);
    keep_apart(hosts.world, host, 0, 0);
    CHECK(hosts.blocked().blockers.at(0).room == 1);
}

TEST_CASE("the blocker that frees most room comes first, a few are listed, and the rest are counted") {
    Rack hosts(std::vector<std::int64_t>(10, 8));
    std::vector<Occupant> occupants;
    for (model::NodeId node = 0; node < 10; ++node) {
        const std::string gang = node < 3 ? "default/large" : "default/g" + std::to_string(node);
        occupants.push_back(running("default/p" + std::to_string(node), gang, node, 8));
    }
    hosts.fill();
    const Blocked blocked = hosts.blocked(occupants);
    REQUIRE(blocked.blockers.size() == 6);
    CHECK(blocked.left_out == 2);
    CHECK(blocked.blockers[0].owner == "default/large");
    CHECK(blocked.blockers[0].room == 3);
    CHECK(blocked.blockers[0].amount == 24);
    CHECK(blocked.blockers[0].names.size() == 3);
    CHECK(blocked.blockers[1].room == 1);
}

TEST_CASE("pods that use nothing of the scarce resource, and free no room, are no blockers") {
    Rack hosts({8});
    hosts.fill();
    CHECK(hosts.blocked({running("default/idle", "", 0, 0)}).blockers.empty());
}

TEST_CASE("two blockers on one node are both listed, though neither alone makes room") {
    Rack hosts({8});
    hosts.fill();
    const Blocked blocked =
        hosts.blocked({running("default/a-0", "default/a", 0, 4), running("default/b-0", "default/b", 0, 4)});
    REQUIRE(blocked.blockers.size() == 2);
    CHECK(blocked.blockers[0].room == 0);
    CHECK(blocked.blockers[0].amount == 4);
}

}  // namespace echelon::solver::testing
