// Nodes are where a topology lists them, and an unusable part affects nothing else.

#include "model/topology/reported_placements.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

using Names = std::vector<std::string>;

Node machine(const std::string& name, const std::string& instance, Labels labels = {}) {
    auto made = node(name, std::move(labels));
    if (!instance.empty())
        made.annotations.emplace(instance_annotation, instance);
    return made;
}

Topology told(const std::string& name = "fabric") {
    auto made = topology(name, {block, rack});
    made.api_kind = "Topograph.topograph.run";
    made.places = {{"i-0", {"b0", "r0"}}, {"i-1", {"b0", "r1"}}, {"n2", {"", "r2"}}, {"i-9", {"b9", "r9"}}};
    return made;
}

Names paths_in(const Cluster& world) {
    const auto snapshot = world.snapshot();
    Names paths;
    const auto hosts = snapshot.trees[0].host_depth();
    for (NodeId node = 0; node < snapshot.node_count(); ++node)
        paths.push_back(snapshot.path(0, hosts, node));
    std::ranges::sort(paths);
    return paths;
}

std::string problem_of(Cluster& world, const std::string& level, const std::string& bound_to = {}) {
    auto group = leaf("job", 1);
    group.required = {level};
    world.apply(GroupSeen{group});
    world.apply(PodSeen{member("job-0", "job")});
    if (!bound_to.empty())
        world.apply(PodSeen{bound(member("job-1", "job"), bound_to)});
    const auto gang = world.gang(leaf_key("job"), world.snapshot());
    return gang.problem ? gang.problem->sentence : std::string();
}

}  // namespace

TEST_CASE("nodes are where a topology lists them, by instance or else by name, whatever their labels are") {
    auto world = cluster({NodeSeen{machine("n0", "i-0", {{rack, "another"}})}, NodeSeen{machine("n1", "i-1")},
                          NodeSeen{machine("n2", "")}, NodeSeen{machine("n3", "unheard-of", {{rack, "r0"}})},
                          TopologySeen{told()}});
    CHECK(paths_in(world) == Names{"-/-/n3", "-/r2/n2", "b0/r0/n0", "b0/r1/n1"});
    CHECK(world.snapshot().left_out.empty());
    // An instance that isn't known leaves the name; one that is goes before it.
    world.apply(NodeSeen{machine("n2", "i-9")});
    CHECK(paths_in(world) == Names{"-/-/n3", "b0/r0/n0", "b0/r1/n1", "b9/r9/n2"});
    world.apply(NodeSeen{machine("n2", "unheard-of")});
    CHECK(paths_in(world)[1] == "-/r2/n2");
    CHECK(world.node("n2")->annotations.at(std::string(instance_annotation)) == "unheard-of");
    world.apply(TopologyGone{TopologySource::object, "Topograph.topograph.run", "fabric"});
    CHECK(world.snapshot().trees[0].name != "fabric");
}

TEST_CASE("a changed instance of a node touches the gangs on it, and none if no topology reads instances") {
    auto world = cluster({NodeSeen{machine("n0", "i-0")}, NodeSeen{machine("n1", "")}, GroupSeen{leaf("a", 1)},
                          PodSeen{bound(member("a-0", "a"), "n0")}});
    CHECK(world.apply(NodeSeen{machine("n0", "i-1")}).gangs.empty());
    world.apply(TopologySeen{told()});
    CHECK(world.apply(NodeSeen{machine("n0", "i-0")}).gangs.contains(leaf_key("a")));
    CHECK(world.apply(NodeSeen{machine("n0", "i-0")}).gangs.empty());
}

TEST_CASE("a flaw affects the groups that need it, and no others") {
    auto topology = told();
    topology.flaws = {{.sentence = "instances[4] is odd", .levels = {block, "wider"}, .nodes = {"i-4", "n5"}}};
    auto world = cluster({NodeSeen{machine("n0", "i-0")}, NodeSeen{machine("n4", "i-4")}, NodeSeen{machine("n5", "")},
                          TopologySeen{topology}});
    const std::string sentence = "Topograph \"fabric\": instances[4] is odd";
    REQUIRE(world.snapshot().left_out.size() == 1);
    CHECK(world.snapshot().left_out[0].sentence == sentence);
    CHECK(world.snapshot().left_out[0].nodes.size() == 2);
    CHECK(world.topology_faults() == Names{sentence});
    CHECK(problem_of(world, rack) == "");
    CHECK(problem_of(world, block) == "");
    // A level that exists nowhere else, and a member inside.
    CHECK(problem_of(world, "wider").find(sentence) != std::string::npos);
    CHECK(problem_of(world, block, "n4").find(sentence) != std::string::npos);
}

TEST_CASE("a topology that names no existing node is a fault") {
    auto world = cluster({NodeSeen{machine("x0", "")}, TopologySeen{told()}});
    const std::string sentence =
        "Topograph \"fabric\": no node is called as one of its instances, neither by annotation "
        "\"topograph.run/instance\" nor by name";
    CHECK(world.topology_faults() == Names{sentence});
    world.apply(NodeSeen{machine("x0", "i-1")});
    CHECK(world.topology_faults().empty());
    CHECK(world.apply(NodeSeen{machine("x1", "")}).topology == false);
}

TEST_CASE("two topologies that list places are two trees") {
    auto other = told("other");
    other.levels = {block};
    other.places = {{"n0", {"left"}}, {"n1", {"right"}}};
    const auto world = cluster(
        {NodeSeen{machine("n0", "i-0")}, NodeSeen{machine("n1", "i-1")}, TopologySeen{told()}, TopologySeen{other}});
    const auto snapshot = world.snapshot();
    REQUIRE(snapshot.trees.size() == 2);
    CHECK(snapshot.trees[0].name == "fabric");
    CHECK(snapshot.trees[1].domains[0].size() == 2);
    CHECK(snapshot.trees[1].paths[0][1] == "right");
}
