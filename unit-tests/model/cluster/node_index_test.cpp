#include "model/cluster/node_index.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

std::int64_t room(const Snapshot& snapshot, const std::string& resource, const std::string& node) {
    const auto at = std::ranges::find(snapshot.resources, resource);
    REQUIRE(at != snapshot.resources.end());
    return snapshot.room[static_cast<std::size_t>(at - snapshot.resources.begin())][*snapshot.node(node)];
}

PodClass requesting(const Amounts& requests) {
    PodClass pod_class;
    pod_class.requests = requests;
    return pod_class;
}

const Amounts two_gpus = {{"gpu", 2}, {"pods", 1}};

}  // namespace

TEST_CASE("what pods take of a node is counted even before the node is known") {
    NodeIndex land;
    land.add_usage("n0", two_gpus);
    CHECK(land.current().node_count() == 0);
    land.see(node("n0"));
    CHECK(room(land.current(), "gpu", "n0") == 6);
    land.forget("n0");
    CHECK(land.current().node_count() == 0);
    land.see(node("n0"));
    CHECK(room(land.current(), "gpu", "n0") == 6);
    land.remove_usage("n0", two_gpus);
    CHECK(room(land.current(), "gpu", "n0") == 8);
    CHECK(room(land.current(), "pods", "n0") == 110);
}

TEST_CASE("each node has each host port once") {
    const Amounts port = {{"host port TCP 80", 1}, {"pods", 1}};
    NodeIndex land;
    land.see(node("n0"));
    land.see(node("n1"));
    land.add_usage("n0", port);
    const auto of_nodes = land.current().resources;  // No member takes the port.
    const auto pod_class = land.intern(requesting(port));
    CHECK(room(land.current(), "host port TCP 80", "n0") == 0);
    CHECK(room(land.current(), "host port TCP 80", "n1") == 1);
    CHECK(land.left_on("n0", {{"host port TCP 80", 1}}).front().second == 0);
    CHECK(land.allocatable_of("n0", "host port TCP 80") == 1);
    land.remove_usage("n0", port);
    CHECK(room(land.current(), "host port TCP 80", "n0") == 1);
    land.drop(pod_class);
    CHECK(land.current().resources == of_nodes);
}

TEST_CASE("host ports beyond the rows of the snapshot are left to kube-scheduler") {
    NodeIndex land;
    land.see(node("n0"));
    const auto of_nodes = land.current().resources.size();
    std::vector<NodeIndex::PodClassEntry> pod_classes;
    for (int port = 1; port <= 300; ++port)
        pod_classes.push_back(land.intern(requesting({{fmt::format("host port TCP {}", port), 1}, {"pods", 1}})));
    const auto& snapshot = land.current();
    CHECK(snapshot.resources.size() == of_nodes + 256);
    CHECK(std::ranges::all_of(snapshot.eligible, [](const auto& row) { return row[0] == 1; }));
    for (auto pod_class : pod_classes)
        land.drop(pod_class);
}

TEST_CASE("a node that shrinks below what is taken has negative room") {
    NodeIndex land;
    land.see(node("n0", {}, 8));
    land.add_usage("n0", two_gpus);
    CHECK(room(land.current(), "gpu", "n0") == 6);
    land.see(node("n0", {}, 1));
    CHECK(room(land.current(), "gpu", "n0") == -1);
}

TEST_CASE("the delta of a node says what changed and whether refused gangs may fit now") {
    NodeIndex land;
    auto n0 = node("n0");
    auto news = land.see(n0);
    CHECK(news.is_changed);
    CHECK(news.may_free_room);
    news = land.see(n0);
    CHECK(!news.is_changed);
    CHECK(!news.may_free_room);
    n0.uid = "other";
    CHECK(!land.see(n0).is_changed);
    n0.unschedulable = true;
    news = land.see(n0);
    CHECK(news.is_changed);
    CHECK(!news.may_free_room);
    n0.unschedulable = false;
    CHECK(land.see(n0).may_free_room);
    n0.allocatable.set("gpu", 4);
    news = land.see(n0);
    CHECK(news.is_changed);
    CHECK(!news.may_free_room);
    n0.allocatable.set("gpu", 5);
    CHECK(land.see(n0).may_free_room);
    n0.labels["a"] = "b";
    news = land.see(n0);
    CHECK(news.is_relabelled);
    CHECK(news.may_free_room);
    news = land.forget("n0");
    CHECK(news.is_changed);
    CHECK(!news.may_free_room);
    CHECK(!land.forget("n0").is_changed);
}

TEST_CASE("a delta says when an asked key comes to the nodes or leaves them") {
    NodeIndex land;
    land.ask({{rack, 1}}, 1);
    CHECK(!land.see(node("n0")).changes_known_levels);
    CHECK(land.see(node("n1", {{rack, "r0"}})).changes_known_levels);
    CHECK(!land.see(node("n2", {{rack, "r0"}})).changes_known_levels);
    CHECK(!land.forget("n1").changes_known_levels);
    CHECK(land.see(node("n2")).changes_known_levels);
    CHECK(!land.current().level(rack));
}

TEST_CASE("pod classes are sorted, whatever the order of arrival, and go with their last user") {
    PodClass small;
    small.requests = two_gpus;
    PodClass large;
    large.requests = {{"gpu", 4}, {"example.com/nic", 1}};
    PodClass picky = small;
    picky.node_selector = {{"disk", "ssd"}};

    NodeIndex one;
    one.see(node("n0"));
    one.see(node("n1", {{"disk", "ssd"}}));
    const auto a = one.intern(large);
    static_cast<void>(one.current());
    static_cast<void>(one.intern(picky));
    static_cast<void>(one.intern(small));

    NodeIndex other;
    static_cast<void>(other.intern(small));
    static_cast<void>(other.intern(picky));
    static_cast<void>(other.intern(large));
    other.see(node("n1", {{"disk", "ssd"}}));
    other.see(node("n0"));

    CHECK(one.current().pod_classes == other.current().pod_classes);
    CHECK(one.current().eligible == other.current().eligible);
    CHECK(one.current().need == other.current().need);
    CHECK(one.current().resources == std::vector<std::string>{"cpu", "example.com/nic", "gpu", "pods"});
    one.drop(a);
    CHECK(one.current().pod_classes.size() == 2);
    CHECK(one.current().resources == std::vector<std::string>{"cpu", "gpu", "pods"});
    CHECK(one.current().need[0].size() == 3);
}

TEST_CASE(
    "of resources that no node has a bounded number takes memory, and pods that ask for others fit nowhere (BD3)") {
    const auto asking_for = [](int number) {
        PodClass pod_class;
        pod_class.requests = {{"example.com/r" + std::to_string(1'000 + number), 1}, {"pods", 1}};
        return pod_class;
    };
    NodeIndex land;
    land.see(node("n0"));
    for (int number = 0; number < 1'000; ++number)
        static_cast<void>(land.intern(asking_for(number)));
    CHECK(land.current().resources.size() == 256 + 3);  // With those of the node.
    CHECK(land.current().eligible[255] == std::vector<std::uint8_t>{1});
    CHECK(land.current().eligible[999] == std::vector<std::uint8_t>{0});
    auto better = node("n0");
    better.allocatable.set("example.com/r1999", 4);
    land.see(better);
    land.see(node("n1"));
    CHECK(land.current().resources.back() == "pods");
    CHECK(land.current().eligible[999] == std::vector<std::uint8_t>{1, 1});  // Where it has room is another question.
    CHECK(land.current().eligible[998] == std::vector<std::uint8_t>{0, 0});
    land.see(node("n0"));
    CHECK(land.current().eligible[999] == std::vector<std::uint8_t>{0, 0});
}

TEST_CASE("eligibility follows the node, also while its number is about to change") {
    PodClass picky;
    picky.requests = two_gpus;
    picky.node_selector = {{"disk", "ssd"}};
    NodeIndex land;
    land.see(node("n5", {{"disk", "ssd"}}));
    static_cast<void>(land.intern(picky));
    CHECK(land.current().eligible[0] == std::vector<std::uint8_t>{1});
    land.see(node("n1", {{"disk", "ssd"}}));
    auto n5 = node("n5", {{"disk", "ssd"}});
    n5.ready = false;
    land.see(n5);
    CHECK(land.current().eligible[0] == std::vector<std::uint8_t>{1, 0});
    CHECK(land.current().usable == std::vector<std::uint8_t>{1, 0});
    land.see(node("n1"));
    CHECK(land.current().eligible[0] == std::vector<std::uint8_t>{0, 0});
}

TEST_CASE("a topology that changes gives other trees and other numbers") {
    NodeIndex land;
    land.see(racked("n0", "b1", "r0"));
    land.see(racked("n1", "b0", "r0"));
    CHECK(land.current().node_names == std::vector<echelon::base::Text>{"n0", "n1"});
    CHECK(land.see(topology("fabric", {block, rack, host})));
    CHECK(!land.see(topology("fabric", {block, rack, host})));
    CHECK(land.current().node_names == std::vector<echelon::base::Text>{"n1", "n0"});
    CHECK(land.forget(TopologySource::object, "Topology.kueue.x-k8s.io", "fabric"));
    CHECK(land.current().node_names == std::vector<echelon::base::Text>{"n0", "n1"});
}

TEST_CASE("trees of labels follow the labels while objects that place nodes change") {
    NodeIndex land;
    land.see(node("n0", {{"example.com/row", "a"}}));
    land.see(node("n1", {{"example.com/row", "b"}}));
    DeclaredDomain rack;
    rack.name = "rack";
    rack.api_kind = "HyperNode.topology.volcano.sh";
    rack.tier = 1;
    const auto change_object = [&](const std::string& member) {
        rack.members = {{}};
        rack.members.front().name = member;
        REQUIRE(land.see(rack));
    };
    std::uint64_t version = 0;
    const auto ask = [&](const std::map<std::string, std::size_t>& asked) { land.ask(asked, ++version); };
    const auto row_of = [&](const std::string& name) {
        const auto& snapshot = land.current();
        for (const auto& tree : snapshot.trees) {
            if (const auto depth = tree.depth_of("example.com/row"))
                return tree.path_of(*depth, tree.domain_of[*depth][*snapshot.node(name)]);
        }
        return std::string("none");
    };
    ask({{"example.com/row", 1}});
    change_object("n0");
    CHECK(row_of("n0") == "a");
    change_object("n1");
    CHECK(row_of("n0") == "a");
    CHECK(row_of("n1") == "b");
    SUBCASE("a label changes") {
        land.see(node("n1", {{"example.com/row", "a"}}));
        CHECK(row_of("n1") == "a");
    }
    SUBCASE("a label changes while nobody asks for it, and before the nodes are numbered again") {
        ask({});
        land.see(node("n1", {{"example.com/row", "a"}}));
        ask({{"example.com/row", 1}});
        CHECK(row_of("n1") == "a");
    }
    SUBCASE("nodes come and go") {
        land.see(node("n2", {{"example.com/row", "c"}}));
        land.forget("n0");
        change_object("n2");
        CHECK(row_of("n1") == "b");
        CHECK(row_of("n2") == "c");
    }
}
