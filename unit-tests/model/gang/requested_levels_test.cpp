#include "model/gang/requested_levels.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

constexpr const char* island = "example.com/island";

// One rack of one block, with an island that no topology lists.
std::vector<Event> world_with(const Group& group) {
    auto n0 = racked("n0", "b0", "r0");
    n0.labels[island] = "i0";
    return {NodeSeen{n0}, TopologySeen{topology("fabric", {block, rack, host})}, GroupSeen{group},
            PodSeen{member("job-0", "job")}};
}

Group job() {
    return leaf("job", 1);
}

}  // namespace

TEST_CASE("required and preferred levels are found in the topology that lists them") {
    auto group = job();
    group.required = {block};
    group.preferred = {rack};
    const auto gang = gang_of(cluster(world_with(group)), leaf_key("job"));
    CHECK(!gang.problem);
    CHECK(gang.groups[0].required == std::vector{LevelRef{0, 0}});
    CHECK(gang.groups[0].preferred == std::vector{LevelRef{0, 1}});
    CHECK(gang.warnings.empty());
}

TEST_CASE("several required levels all hold, each once (D3)") {
    auto group = job();
    group.required = {rack, block, rack};
    const auto gang = gang_of(cluster(world_with(group)), leaf_key("job"));
    CHECK(gang.groups[0].required == std::vector{LevelRef{0, 1}, LevelRef{0, 0}});
}

TEST_CASE("an unknown required level is Invalid, naming the level (D11)") {
    auto group = job();
    group.required = {"example.com/nowhere"};
    CHECK(problem_of(cluster(world_with(group)), leaf_key("job")) ==
          "Invalid: group \"default/job\": required level \"example.com/nowhere\" is in no topology, and no node has a "
          "value for it");
}

TEST_CASE("an unknown preferred level is dropped with a warning (D11)") {
    auto group = job();
    group.preferred = {"example.com/nowhere"};
    const auto gang = gang_of(cluster(world_with(group)), leaf_key("job"));
    CHECK(!gang.problem);
    CHECK(gang.groups[0].preferred.empty());
    REQUIRE(gang.warnings.size() == 1);
    CHECK(contains(gang.warnings[0], "example.com/nowhere"));
}

TEST_CASE("a key that only nodes carry is a level in a separate tree (D12)") {
    auto group = job();
    group.required = {island};
    const auto world = cluster(world_with(group));
    const auto snapshot = world.snapshot();
    REQUIRE(snapshot.trees.size() == 2);
    CHECK(snapshot.trees[1].keys == std::vector<std::string>{island, host});
    CHECK(world.gang(leaf_key("job"), snapshot).groups[0].required == std::vector{LevelRef{1, 0}});
}

TEST_CASE("a preferred level at or above the required one has no effect, with a warning (D10)") {
    auto group = job();
    group.required = {rack};
    for (const auto* key : {block, rack}) {
        group.preferred = {key};
        const auto gang = gang_of(cluster(world_with(group)), leaf_key("job"));
        CHECK(gang.groups[0].preferred.empty());
        CHECK(gang.warnings.size() == 1);
    }
    group.preferred = {host};
    CHECK(gang_of(cluster(world_with(group)), leaf_key("job")).groups[0].preferred.size() == 1);
}

TEST_CASE("multiples of 0 and 1 mean no rule, an unknown level is Invalid (D13)") {
    auto group = job();
    group.multiples = {{rack, 4}, {block, 1}};
    const auto gang = gang_of(cluster(world_with(group)), leaf_key("job"));
    REQUIRE(gang.groups[0].multiples.size() == 1);
    CHECK(gang.groups[0].multiples[0] == std::pair{LevelRef{0, 1}, std::int64_t{4}});
    for (const std::int64_t multiple : {1, 2}) {
        group.multiples = {{"example.com/nowhere", multiple}};
        CHECK(contains(problem_of(cluster(world_with(group)), leaf_key("job")), "Invalid"));
    }
}

TEST_CASE("a limit is looked up like a required level (D16)") {
    auto group = job();
    group.most_per_domain = {{rack, 1}};
    const auto gang = gang_of(cluster(world_with(group)), leaf_key("job"));
    CHECK(!gang.problem);
    REQUIRE(gang.domain_limits.size() == 1);
    CHECK(gang.domain_limits[0].group == 0);
    CHECK(gang.domain_limits[0].level == LevelRef{0, 1});
    CHECK(gang.domain_limits[0].most == 1);
    group.most_per_domain = {{"example.com/nowhere", 1}};
    CHECK(contains(problem_of(cluster(world_with(group)), leaf_key("job")),
                   "required level \"example.com/nowhere\" is in no topology, and no node has a value for it"));
    group.most_per_domain = {{"ClusterTopologyLayer", 4}};
    CHECK(contains(problem_of(cluster(world_with(group)), leaf_key("job")), "at most 4 in the whole cluster"));
}

TEST_CASE("the shares of a pair are what is declared, and a replica of several pods stays in one domain (D17)") {
    auto root = composite("root", 2);
    root.paired = rack;
    auto prefill = leaf("prefill", 2, "root");
    prefill.expected = 4;
    auto narrow = leaf("d0", 1, "decode");
    narrow.required = {host};
    auto wide = leaf("d1", 1, "decode");
    wide.required = {block};
    const auto world = [&](const Group& top) {
        return std::vector<Event>{NodeSeen{racked("n0", "b0", "r0")},
                                  TopologySeen{topology("fabric", {block, rack, host})},
                                  GroupSeen{top},
                                  GroupSeen{prefill},
                                  GroupSeen{composite("decode", 2, "root")},
                                  GroupSeen{narrow},
                                  GroupSeen{wide},
                                  PodSeen{member("p-0", "prefill")},
                                  PodSeen{member("d0-0", "d0")},
                                  PodSeen{member("d1-0", "d1")}};
    };
    const auto gang = gang_of(cluster(world(root)), composite_key("root"));
    REQUIRE(gang.pairings.size() == 1);
    CHECK(gang.pairings[0].group == 0);
    CHECK(gang.pairings[0].level == LevelRef{0, 1});
    REQUIRE(gang.groups[0].children.size() == 2);
    for (std::size_t child = 0; child < 2; ++child) {
        const bool is_leaf = gang.groups[gang.groups[0].children[child]].is_leaf;
        CHECK(gang.pairings[0].replicas[child] == (is_leaf ? 4 : 2));
    }
    for (const auto& group : gang.groups) {
        if (group.key == leaf_key("d0"))
            CHECK(group.required == std::vector{LevelRef{0, 2}});
        if (group.key == leaf_key("d1"))
            CHECK(group.required == std::vector{LevelRef{0, 0}, LevelRef{0, 1}});
    }
    root.paired = "example.com/nowhere";
    CHECK(contains(problem_of(cluster(world(root)), composite_key("root")), "example.com/nowhere"));
}

TEST_CASE("only the named topology is searched") {
    auto group = job();
    group.required = {rack};
    group.topology = "fabric";
    CHECK(problem_of(cluster(world_with(group)), leaf_key("job")) == "");
    group.topology = "absent";
    CHECK(contains(problem_of(cluster(world_with(group)), leaf_key("job")), "there is no topology \"absent\""));
    group.topology = "fabric";
    group.required = {island};
    CHECK(contains(problem_of(cluster(world_with(group)), leaf_key("job")), "isn't in topology \"fabric\""));
}

TEST_CASE("a level that only an unusable topology lists is Invalid, naming the fault (Z7)") {
    auto group = job();
    group.required = {island};
    auto events = world_with(group);
    auto faulty = topology("islands", {island, island});
    faulty.problem = "spec.levels[1].nodeLabel is listed twice";
    events.emplace_back(TopologySeen{faulty});
    CHECK(contains(problem_of(cluster(events), leaf_key("job")), "\"islands\", which can't be used: spec.levels[1]"));
    SUBCASE("groups that don't touch it are unaffected") {
        group.required = {rack};
        events[2] = GroupSeen{group};
        CHECK(problem_of(cluster(events), leaf_key("job")) == "");
    }
}

TEST_CASE("a level that an unusable topology lists, too, has a warning and is named in a refusal (Z7)") {
    auto faulty = topology("broken", {block, rack, rack});
    faulty.api_kind = "Topology.kueue.x-k8s.io";
    faulty.problem = "spec.levels[2].nodeLabel is listed twice";
    const std::vector<std::string> warning = {
        "group \"default/job\": level \"example.com/rack\" is also in topology \"broken\", which can't be used: "
        "spec.levels[2].nodeLabel is listed twice"};
    auto group = job();
    const auto asked = [&] {
        auto events = world_with(group);
        events.emplace_back(TopologySeen{faulty});
        return gang_of(cluster(events), leaf_key("job"));
    };
    SUBCASE("a required level") {
        group.required = {rack};
        CHECK(asked().warnings == warning);
        CHECK(asked().left_out ==
              std::vector<std::string>{"Topology \"broken\": spec.levels[2].nodeLabel is listed twice"});
        CHECK(asked().groups[0].required == std::vector{LevelRef{0, 1}});
    }
    SUBCASE("a multiple") {
        group.multiples = {{rack, 2}};
        CHECK(asked().warnings == warning);
        CHECK(asked().left_out.size() == 1);
    }
    SUBCASE("a preferred level refuses nobody") {
        group.preferred = {rack};
        CHECK(asked().warnings == warning);
        CHECK(asked().left_out.empty());
    }
    SUBCASE("hosts are the same in every topology, and the named one alone counts") {
        faulty.levels = {rack, host};
        group.required = {host};
        CHECK(asked().warnings.empty());
        group.required = {rack};
        group.topology = "fabric";
        CHECK(asked().warnings.empty());
        CHECK(asked().left_out.empty());
    }
}

TEST_CASE("the level of NUMA zones takes no multiple, limit or pair (NU3)") {
    const auto fault = [](auto change) {
        auto group = job();
        change(group);
        return problem_of(cluster(world_with(group)), leaf_key("job"));
    };
    const std::string zone(zone_level);
    const std::string problem =
        "Invalid: group \"default/job\": level \"echelon.sh/numa\" can only be required, it "
        "takes no multiple, limit or pair";
    CHECK(fault([&](Group& group) { group.multiples = {{zone, 2}}; }) == problem);
    CHECK(fault([&](Group& group) { group.most_per_domain = {{zone, 1}}; }) == problem);
    CHECK(fault([&](Group& group) { group.paired = zone; }) == problem);
}

TEST_CASE("a level that several topologies list is taken from the deepest, with a warning") {
    auto group = job();
    group.required = {rack};
    auto events = world_with(group);
    events.emplace_back(TopologySeen{topology("racks", {rack, host})});
    const auto gang = gang_of(cluster(events), leaf_key("job"));
    CHECK(gang.groups[0].required == std::vector{LevelRef{0, 1}});
    REQUIRE(gang.warnings.size() == 1);
    CHECK(contains(gang.warnings[0], "\"racks\""));
}

TEST_CASE("warnings of a dialect are passed on with the group's name") {
    auto group = job();
    group.warnings = {"the annotation is unreadable"};
    CHECK(gang_of(cluster(world_with(group)), leaf_key("job")).warnings ==
          std::vector<std::string>{"group \"default/job\": the annotation is unreadable"});
}

TEST_CASE("no warning when two topologies have the same level, down to it") {
    auto group = job();
    group.required = {rack};
    auto events = world_with(group);
    events.emplace_back(TopologySeen{topology("copy", {block, rack, host})});
    CHECK(gang_of(cluster(events), leaf_key("job")).warnings.empty());
}

TEST_CASE("a level is found by its alias, and a key goes before an alias of another topology") {
    auto group = job();
    auto fabric = topology("fabric", {block, rack, host});
    fabric.aliases = {{"rack", rack}, {"node", host}};
    auto events = world_with(group);
    events[1] = TopologySeen{fabric};
    const auto required = [&](const char* level, const char* named) {
        group.required = {level};
        group.topology = named;
        events[2] = GroupSeen{group};
        const auto gang = gang_of(cluster(events), leaf_key("job"));
        return gang.problem ? std::vector<LevelRef>{} : gang.groups[0].required;
    };
    CHECK(required("rack", "") == std::vector{LevelRef{0, 1}});
    CHECK(required("rack", "fabric") == std::vector{LevelRef{0, 1}});
    CHECK(required("node", "") == std::vector{LevelRef{0, 2}});
    CHECK(required("block", "").empty());
    events.emplace_back(TopologySeen{topology("racks", {"rack", host})});
    CHECK(required("rack", "") == std::vector{LevelRef{1, 0}});
    CHECK(required("rack", "fabric") == std::vector{LevelRef{0, 1}});
}

TEST_CASE("a preferred level by alias is dropped with a warning once the alias has changed") {
    auto group = job();
    group.preferred = {"rack"};
    auto fabric = topology("fabric", {block, rack, host});
    fabric.aliases = {{"rack", rack}};
    auto events = world_with(group);
    events[1] = TopologySeen{fabric};
    auto world = cluster(events);
    CHECK(gang_of(world, leaf_key("job")).groups[0].preferred == std::vector{LevelRef{0, 1}});
    fabric.aliases = {{"cabinet", rack}};
    CHECK(world.apply(TopologySeen{fabric}).topology);
    CHECK(gang_of(world, leaf_key("job")).warnings.size() == 1);
}

TEST_CASE("the first label of a level that has a value places a node") {
    auto group = job();
    group.required = {rack};
    auto fabric = topology("fabric", {block, rack, host});
    fabric.labels = {{rack, {rack, "old.example.com/rack"}}};
    auto world = cluster({TopologySeen{fabric}, GroupSeen{group}, NodeSeen{racked("n0", "b0", "r0")},
                          NodeSeen{node("n1", {{block, "b0"}, {rack, ""}, {"old.example.com/rack", "r0"}})},
                          NodeSeen{node("n2", {{block, "b0"}, {rack, "r1"}, {"old.example.com/rack", "r0"}})}});
    const auto places = [&] {
        const auto snapshot = world.snapshot();
        std::vector<std::string> paths;
        for (const auto* name : {"n0", "n1", "n2"})
            paths.push_back(snapshot.path(0, 1, *snapshot.node(name)));
        return paths;
    };
    CHECK(places() == std::vector<std::string>{"b0/r0", "b0/r0", "b0/r1"});
    // A label that is read only in second place moves a node, too.
    world.apply(NodeSeen{node("n1", {{block, "b0"}, {"old.example.com/rack", "r7"}})});
    CHECK(places() == std::vector<std::string>{"b0/r0", "b0/r7", "b0/r1"});
}

TEST_CASE("built-in layers: the whole cluster is no constraint, the node is the host") {
    auto group = job();
    group.required = {"ClusterTopologyLayer", "NodeTopologyLayer"};
    group.preferred = {"ClusterTopologyLayer"};
    auto gang = gang_of(cluster(world_with(group)), leaf_key("job"));
    CHECK(!gang.problem);
    CHECK(gang.groups[0].required == std::vector{LevelRef{0, 2}});
    CHECK(gang.groups[0].preferred.empty());
    CHECK(gang.warnings.empty());
    group.multiples = {{"NodeTopologyLayer", 4}};
    gang = gang_of(cluster(world_with(group)), leaf_key("job"));
    CHECK(gang.groups[0].multiples[0] == std::pair{LevelRef{0, 2}, std::int64_t{4}});
    group.multiples = {{"ClusterTopologyLayer", 4}};
    CHECK(contains(problem_of(cluster(world_with(group)), leaf_key("job")), "a multiple of 4 in the whole cluster"));
}

TEST_CASE("of two topologies with one name the dialect's own goes first, else the smaller precedence (Z22)") {
    auto group = job();
    group.required = {rack};
    group.topology = "fabric";
    auto kueue = topology("fabric", {block, rack, host});
    auto kai = topology("fabric", {rack, block, host});
    kai.api_kind = "Topology.kai.scheduler";
    kai.precedence = 1;
    auto events = world_with(group);
    events[1] = TopologySeen{kai};
    events.emplace_back(TopologySeen{kueue});
    const auto required = [&](const char* api_group) {
        group.topology_group = api_group;
        events[2] = GroupSeen{group};
        const auto world = cluster(events);
        const auto snapshot = world.snapshot();
        const auto level = world.gang(leaf_key("job"), snapshot).groups[0].required.at(0);
        return snapshot.trees[level.tree].api_kind;
    };
    CHECK(required("kai.scheduler") == "Topology.kai.scheduler");
    CHECK(required("kueue.x-k8s.io") == "Topology.kueue.x-k8s.io");
    CHECK(required("") == "Topology.kueue.x-k8s.io");
    CHECK(required("grove.io") == "Topology.kueue.x-k8s.io");
}

TEST_CASE("a group that names an unusable topology gets its fault") {
    auto group = job();
    group.required = {rack};
    group.topology = "broken";
    auto events = world_with(group);
    auto broken = topology("broken", {});
    broken.problem = "spec.levels is empty";
    events.emplace_back(TopologySeen{broken});
    CHECK(contains(problem_of(cluster(events), leaf_key("job")),
                   "topology \"broken\" can't be used: spec.levels is empty"));
}
