// Which zones does a snapshot have, and which pods count until the zones show them (NU1, NU2).

#include "model/cluster/cluster.hpp"
#include "unit-tests/model/support/facts.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

NodeZones zones(std::int64_t left, const std::string& node = "n0") {
    return {.node = node,
            .is_single_numa_node = true,
            .scope = ZoneScope::pod,
            .zones = {{.name = "node-0", .allocatable = {{"gpu", 4}}, .available = {{"gpu", left}}},
                      {.name = "node-1", .allocatable = {{"gpu", 4}}, .available = {{"gpu", 4}}}}};
}

// Pods of one GPU that count on the node beside its zones.
std::int64_t unreported(const Cluster& cluster, const std::string& node = "n0") {
    const Snapshot snapshot = cluster.snapshot();
    const auto zoned = snapshot.zoned.find(*snapshot.node(node));
    REQUIRE(zoned != snapshot.zoned.end());
    const auto found = zoned->second.unreported.find(ZoneParts{{{"gpu", 1}}});
    return found == zoned->second.unreported.end() ? 0 : found->second;
}

}  // namespace

TEST_CASE("a snapshot has the zones of known nodes with the policy single-numa-node (NU1)") {
    Cluster world = cluster({NodeZonesSeen{zones(3, "n1")}, NodeSeen{node("n0")}});
    CHECK(world.snapshot().zoned.empty());
    const Change change = world.apply(NodeSeen{node("n1")});
    CHECK(world.snapshot().zoned.size() == 1);
    CHECK(*world.snapshot().zoned.at(*world.snapshot().node("n1")).zones == zones(3, "n1"));
    NodeZones other = zones(3, "n1");
    other.is_single_numa_node = false;
    world.apply(NodeZonesSeen{other});
    CHECK(world.snapshot().zoned.empty());
    world.apply(NodeZonesSeen{zones(2, "n1")});
    CHECK(world.snapshot().zoned.size() == 1);
    world.apply(NodeGone{"n0"});
    CHECK(*world.snapshot().zoned.at(*world.snapshot().node("n1")).zones == zones(2, "n1"));
    world.apply(NodeZonesGone{"n1"});
    CHECK(world.snapshot().zoned.empty());
}

TEST_CASE("new zones may free room, equal ones are no news (NU2)") {
    Cluster world = cluster({NodeSeen{node("n0")}});
    Change change = world.apply(NodeZonesSeen{zones(3)});
    CHECK(change.may_free_room);
    CHECK(change.nodes == std::set<std::string>{"n0"});
    change = world.apply(NodeZonesSeen{zones(3)});
    CHECK_FALSE(change.may_free_room);
    CHECK(change.nodes.empty());
    change = world.apply(NodeZonesGone{"n0"});
    CHECK(change.may_free_room);
    change = world.apply(NodeZonesGone{"n0"});
    CHECK(change.nodes.empty());
}

TEST_CASE("a pod that is bound counts until the zones there change or it ends (NU2)") {
    Cluster world = cluster({NodeSeen{node("n0")}, NodeZonesSeen{zones(4)}, PodSeen{bound(pod("old"), "n0")}});
    CHECK(unreported(world) == 0);  // It was bound when it was first seen: the zones show it.
    world.apply(PodSeen{pod("a")});
    world.apply(PodSeen{pod("b")});
    world.apply(PodSeen{bound(pod("a"), "n0")});
    CHECK(unreported(world) == 1);
    world.apply(PodSeen{bound(pod("b"), "n0")});
    CHECK(unreported(world) == 2);
    world.apply(NodeZonesSeen{zones(4)});
    CHECK(unreported(world) == 2);

    Cluster copy = cluster(world.events());
    CHECK(unreported(copy) == 2);

    world.apply(PodGone{"uid-b"});
    CHECK(unreported(world) == 1);
    world.apply(NodeZonesSeen{zones(3)});
    CHECK(unreported(world) == 0);
    world.apply(PodGone{"uid-a"});
    CHECK(unreported(world) == 0);
}

TEST_CASE("a kept copy follows zones, and counts what its owner takes and gives back (NU2)") {
    Cluster world = cluster({NodeSeen{node("n0")}, NodeSeen{node("n1")}, GroupSeen{leaf("g", 1)},
                             PodSeen{member("g-0", "g")}, NodeZonesSeen{zones(4)}});
    Snapshot copy;
    static_cast<void>(world.renew(copy));
    const NodeId node = *copy.node("n0");
    REQUIRE(copy.pod_classes.size() == 1);
    copy.take(node, 0);
    copy.take(node, 0);
    CHECK(copy.zoned.at(node).unreported.begin()->second == 2);
    copy.give_back(node, 0);
    copy.give_back(node, 0);
    CHECK(copy.zoned.at(node).unreported.empty());
    copy.give_back(node, 0);
    CHECK(copy.zoned.at(node).unreported.empty());  // Its zone is unknown.

    copy.take(node, 0);
    world.apply(NodeZonesSeen{zones(2)});
    const SnapshotDelta delta = world.renew(copy);
    CHECK(delta.nodes == std::vector<NodeId>{node});
    CHECK(*copy.zoned.at(node).zones == zones(2));
    CHECK(copy.zoned.at(node).unreported.empty());
    world.apply(NodeSeen{facts::node("m0")});  // A node that comes before it.
    static_cast<void>(world.renew(copy));
    REQUIRE(*copy.node("n0") != node);
    CHECK(*copy.zoned.at(*copy.node("n0")).zones == zones(2));
    CHECK(copy.zoned.size() == 1);
    world.apply(NodeZonesGone{"n0"});
    static_cast<void>(world.renew(copy));
    CHECK(copy.zoned.empty());
}
