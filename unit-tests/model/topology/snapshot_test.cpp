#include "model/topology/snapshot.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

Cluster small_cluster() {
    return cluster({NodeSeen{racked("n2", "b0", "r1")}, NodeSeen{racked("n1", "b0", "r0")},
                    NodeSeen{node("n0", {{rack, "r9"}})}, NodeSeen{node("n3", {{block, "b0"}})},
                    TopologySeen{topology("fabric", {block, rack, host})}, GroupSeen{leaf("job", 1)},
                    PodSeen{member("job-0", "job", 2)}});
}

}  // namespace

TEST_CASE("a node is found by its name, with the index and without it") {
    auto snapshot = small_cluster().snapshot();
    for (const bool has_index : {true, false}) {
        if (!has_index)
            snapshot.rows.clear();
        for (NodeId id = 0; id < snapshot.node_count(); ++id) {
            CHECK(snapshot.node(snapshot.node_names[id]) == id);
        }
        CHECK(!snapshot.node("n9"));
        CHECK(!snapshot.node(""));
    }
}

TEST_CASE("taking a seat lowers the room, giving it back restores it") {
    auto snapshot = small_cluster().snapshot();
    const auto before = snapshot.room;
    const auto node = *snapshot.node("n1");
    snapshot.take(node, 0);
    CHECK(snapshot.room != before);
    snapshot.take(node, 0);
    snapshot.give_back(node, 0);
    snapshot.give_back(node, 0);
    CHECK(snapshot.room == before);
}

TEST_CASE("room that would overflow comes back all the same") {
    Snapshot snapshot;
    snapshot.room = {{std::numeric_limits<std::int64_t>::min() + 1}};
    snapshot.need = {{std::numeric_limits<std::int64_t>::max()}};
    const auto before = snapshot.room;
    snapshot.take(0, 0);
    snapshot.give_back(0, 0);
    CHECK(snapshot.room == before);
}

TEST_CASE("a missing level is a dash inside a path and never ends it (I2)") {
    const auto snapshot = small_cluster().snapshot();
    CHECK(snapshot.path(0, 1, *snapshot.node("n1")) == "b0/r0");
    CHECK(snapshot.path(0, 2, *snapshot.node("n1")) == "b0/r0/n1");
    CHECK(snapshot.path(0, 0, *snapshot.node("n0")) == "");
    CHECK(snapshot.path(0, 1, *snapshot.node("n0")) == "-/r9");
    CHECK(snapshot.path(0, 2, *snapshot.node("n0")) == "-/r9/n0");
    CHECK(snapshot.path(0, 1, *snapshot.node("n3")) == "b0");
    CHECK(snapshot.path(0, 2, *snapshot.node("n3")) == "b0/-/n3");
    const auto others = cluster({NodeSeen{racked("n0", "b0", "r0")}, NodeSeen{node("n1")},
                                 TopologySeen{topology("fabric", {block, rack, host})}})
                            .snapshot();
    CHECK(others.path(0, 2, *others.node("n1")) == "-/-/n1");
    const auto bare = cluster({NodeSeen{node("n1")}}).snapshot();
    CHECK(bare.path(0, 0, 0) == "n1");
}

TEST_CASE("a level is looked up in the named topology, else in the tree with most levels, then by name") {
    const auto snapshot =
        cluster({NodeSeen{racked("n0", "b0", "r0")}, TopologySeen{topology("zz", {block, rack, host})},
                 TopologySeen{topology("aa", {rack, host})}, TopologySeen{topology("ab", {rack, host})}})
            .snapshot();
    REQUIRE(snapshot.trees.size() == 3);
    CHECK(snapshot.trees[0].name == "zz");
    CHECK(snapshot.trees[1].name == "aa");
    CHECK(snapshot.level(rack) == LevelRef{0, 1});
    CHECK(snapshot.level(rack, "ab") == LevelRef{2, 0});
    CHECK(snapshot.level(host) == LevelRef{0, 2});
    CHECK(snapshot.level(host, "aa") == LevelRef{1, 1});
    CHECK(!snapshot.level(block, "aa"));
    CHECK(!snapshot.level(block, "nothing"));
    CHECK(!snapshot.level("example.com/unknown"));
}
