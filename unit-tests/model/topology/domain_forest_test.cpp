#include "model/topology/domain_forest.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

using Names = std::vector<std::string>;

DomainMember node_named(const std::string& name) {
    DomainMember member;
    member.name = name;
    return member;
}

DomainMember domain_named(const std::string& name) {
    auto member = node_named(name);
    member.kind = DomainMember::Kind::domain;
    return member;
}

DomainMember nodes_labelled(const std::string& label, const std::string& value) {
    DomainMember member;
    member.labels.labels = {{.key = label, .op = Requirement::Operator::in, .values = {value}}};
    return member;
}

// Counts how often a pattern is applied.
DomainMember nodes_with_prefix(const std::string& prefix, int& judged) {
    DomainMember member;
    member.pattern = {prefix, [prefix, &judged](std::string_view name) {
                          ++judged;
                          return name.starts_with(prefix);
                      }};
    return member;
}

DeclaredDomain domain(const std::string& name, std::int64_t tier, std::vector<DomainMember> members,
                      const std::string& tier_name = {}) {
    DeclaredDomain domain;
    domain.name = name;
    domain.api_kind = "HyperNode.topology.volcano.sh";
    domain.tier = tier;
    domain.tier_name = tier_name;
    domain.members = std::move(members);
    return domain;
}

DeclaredDomain over(const std::string& name, std::int64_t tier, const Names& below, const std::string& tier_name = {}) {
    std::vector<DomainMember> members;
    for (const auto& each : below)
        members.push_back(domain_named(each));
    return domain(name, tier, members, tier_name);
}

DeclaredDomain holding(const std::string& name, std::int64_t tier, const Names& nodes,
                       const std::string& tier_name = {}) {
    std::vector<DomainMember> members;
    for (const auto& each : nodes)
        members.push_back(node_named(each));
    return domain(name, tier, members, tier_name);
}

Cluster world_of(const std::vector<DeclaredDomain>& domains, int nodes = 6) {
    std::vector<Event> events;
    for (int i = 0; i < nodes; ++i)
        events.emplace_back(NodeSeen{node("n" + std::to_string(i))});
    for (const auto& each : domains)
        events.emplace_back(DomainSeen{each});
    return cluster(events);
}

// Path of each node down to its host, in the first tree.
Names paths_in(const Cluster& world) {
    const auto snapshot = world.snapshot();
    Names paths;
    const auto hosts = snapshot.trees[0].host_depth();
    for (NodeId node = 0; node < snapshot.node_count(); ++node)
        paths.push_back(snapshot.path(0, hosts, node));
    std::ranges::sort(paths);
    return paths;
}

Names faults_in(const Cluster& world) {
    Names sentences;
    for (const auto& part : world.snapshot().left_out)
        sentences.push_back(part.sentence);
    return sentences;
}

// Two leaves under one spine: tiers 1 and 2.
const std::vector<DeclaredDomain> fabric = {holding("leaf0", 1, {"n0", "n1"}, "leaf"),
                                            holding("leaf1", 1, {"n2", "n3"}, "leaf"),
                                            over("spine", 2, {"leaf0", "leaf1"}, "spine")};

std::vector<DeclaredDomain> with(std::vector<DeclaredDomain> domains, const std::vector<DeclaredDomain>& more) {
    domains.insert(domains.end(), more.begin(), more.end());
    return domains;
}

// The group's required levels as keys of the first tree, or its fault.
std::string asked(Cluster& world, const std::string& level, const Names& bound_to = {}) {
    auto group = leaf("job", 1);
    group.required = {level};
    world.apply(GroupSeen{group});
    world.apply(PodSeen{member("job-0", "job")});
    int index = 1;
    for (const auto& node : bound_to)
        world.apply(PodSeen{bound(member("job-" + std::to_string(index++), "job"), node)});
    const auto snapshot = world.snapshot();
    const auto gang = world.gang(leaf_key("job"), snapshot);
    if (gang.problem)
        return gang.problem->sentence;
    std::string keys;
    for (const auto at : gang.groups[0].required)
        keys += (keys.empty() ? "" : " ") + snapshot.trees[at.tree].keys[at.depth];
    return keys.empty() ? "everywhere" : keys;
}

}  // namespace

TEST_CASE("HyperNodes are one tree with a level for each tier, and a node in no HyperNode is outside it") {
    const auto world = world_of(fabric);
    CHECK(paths_in(world) ==
          Names{"-/-/n4", "-/-/n5", "spine/leaf0/n0", "spine/leaf0/n1", "spine/leaf1/n2", "spine/leaf1/n3"});
    CHECK(world.snapshot().trees[0].keys == Names{"hypernode-tier/2", "hypernode-tier/1", host});
    CHECK(world.snapshot().trees[0].name == "hypernodes");
    CHECK(faults_in(world).empty());
}

TEST_CASE("a level is asked for by tier, at most, or by the name of a tier") {
    auto world = world_of(fabric);
    CHECK(asked(world, tier_level(1)) == "hypernode-tier/1");
    CHECK(asked(world, tier_level(2)) == "hypernode-tier/2");
    CHECK(asked(world, "leaf") == "hypernode-tier/1");
    CHECK(asked(world, "spine") == "hypernode-tier/2");
    CHECK(asked(world, std::string(narrowest_tier_level)) == "hypernode-tier/1");
    // Z6: above the greatest tier of all is the whole cluster.
    CHECK(asked(world, tier_level(3)) == "everywhere");
    CHECK(asked(world, tier_level(0)) ==
          "group \"default/job\": required level \"hypernode-tier/0\" is below every tier");
    CHECK(asked(world, "rack") ==
          "group \"default/job\": required level \"rack\" is in no topology, and no node has a value for it");
    // A tier between two that exist is the lower one.
    auto gapped = world_of({holding("leaf0", 1, {"n0"}), over("core", 5, {"leaf0"})});
    CHECK(asked(gapped, tier_level(4)) == "hypernode-tier/1");
    CHECK(asked(gapped, tier_level(5)) == "hypernode-tier/5");
    auto none = world_of({});
    CHECK(contains(asked(none, tier_level(1)), "can't be looked up, there is no HyperNode"));
}

TEST_CASE("a tree of fewer tiers gives its root at the tiers that it lacks (Z6)") {
    auto world = world_of(with(fabric, {holding("nvl", 1, {"n4"}, "nvl"), over("block", 2, {"nvl"}, "leaf"),
                                        over("core", 3, {"block"}, "spine")}));
    CHECK(paths_in(world) == Names{"-/-/-/n5", "-/spine/leaf0/n0", "-/spine/leaf0/n1", "-/spine/leaf1/n2",
                                   "-/spine/leaf1/n3", "core/block/nvl/n4"});
    const auto snapshot = world.snapshot();
    const auto& widest = snapshot.trees[0].domains[0];
    REQUIRE(widest.size() == 2);
    CHECK(snapshot.trees[0].paths[0] == Names{"core", "-/spine"});
    CHECK(widest[1].last - widest[1].first == 4);
    // A name at two tiers of two trees is a separate level: the domains that have it.
    CHECK(asked(world, "leaf") == "leaf");
    const auto named = world.snapshot();
    const auto level = *named.level("leaf");
    CHECK(named.trees[level.tree].paths[level.depth] == Names{"block", "leaf0", "leaf1"});
    // No group asks for the level any more, so there is no tree.
    CHECK(asked(world, tier_level(1)) == "hypernode-tier/1");
    CHECK(world.snapshot().trees.size() == 1);
}

TEST_CASE("members are chosen by the labels and names that nodes have now") {
    int judged = 0;
    const std::vector<DeclaredDomain> domains = {domain("rack0", 1, {nodes_labelled(rack, "r0")}),
                                                 domain("rack1", 1, {nodes_with_prefix("gpu-", judged)})};
    auto world = cluster({NodeSeen{node("a", {{rack, "r0"}})}, NodeSeen{node("b")}, NodeSeen{node("gpu-0")},
                          DomainSeen{domains[0]}, DomainSeen{domains[1]}});
    CHECK(paths_in(world) == Names{"-/b", "rack0/a", "rack1/gpu-0"});
    const auto judged_once = judged;
    world.apply(NodeSeen{node("b", {{rack, "r0"}})});
    world.apply(NodeSeen{node("a", {{rack, "r7"}})});
    CHECK(paths_in(world) == Names{"-/a", "rack0/b", "rack1/gpu-0"});
    CHECK(judged == judged_once);
    world.apply(NodeSeen{node("gpu-1")});
    CHECK(paths_in(world) == Names{"-/a", "rack0/b", "rack1/gpu-0", "rack1/gpu-1"});
    CHECK(judged == judged_once + 1);
    // A pattern that comes later judges the names of nodes that were away meanwhile, too.
    world.apply(NodeGone{"gpu-0"});
    CHECK(paths_in(world).size() == 3);
    world.apply(DomainSeen{domain("rack1", 1, {nodes_with_prefix("gpu", judged)})});
    CHECK(paths_in(world) == Names{"-/a", "rack0/b", "rack1/gpu-1"});
    world.apply(NodeSeen{node("gpu-0")});
    CHECK(paths_in(world) == Names{"-/a", "rack0/b", "rack1/gpu-0", "rack1/gpu-1"});
    world.apply(DomainGone{"rack1"});
    CHECK(paths_in(world) == Names{"-/a", "-/gpu-0", "-/gpu-1", "rack0/b"});
}

TEST_CASE("each fault is contained, and names the object") {
    struct Row {
        std::string title;
        std::vector<DeclaredDomain> more;
        Names paths;  // Of n0, n2, n4 and n5.
        Names faults;
    };
    const Row rows[] = {
        {"cycle",
         {holding("x", 1, {"n4"}), over("a", 2, {"b", "x"}), over("b", 2, {"a"})},
         {"-/-/n5", "-/x/n4", "spine/leaf0/n0", "spine/leaf1/n2"},
         {"HyperNode \"a\": it is below itself, through \"b\""}},
        {"a larger cycle",
         {over("a", 2, {"b"}), over("b", 2, {"c", "e"}), over("c", 2, {"a"}), over("d", 2, {"e"}), over("e", 2, {"d"})},
         {"-/-/n4", "-/-/n5", "spine/leaf0/n0", "spine/leaf1/n2"},
         {"HyperNode \"a\": it is below itself, through \"b\" and 1 more",
          "HyperNode \"d\": it is below itself, through \"e\""}},
        {"member of itself",
         {domain("a", 2, {domain_named("a"), node_named("n4")})},
         {"-/-/n4", "-/-/n5", "spine/leaf0/n0", "spine/leaf1/n2"},
         {"HyperNode \"a\": it is below itself"}},
        {"two parents",
         {holding("x", 1, {"n4"}), over("a", 2, {"x"}), over("b", 2, {"x"})},
         {"-/-/n5", "-/x/n4", "spine/leaf0/n0", "spine/leaf1/n2"},
         {"HyperNode \"x\": it is a member of \"a\" and \"b\", so it is below neither"}},
        {"tiers out of order",
         {holding("x", 2, {"n4"}), over("a", 2, {"x"})},
         {"-/-/n5", "spine/leaf0/n0", "spine/leaf1/n2", "x/-/n4"},
         {"HyperNode \"a\": its member \"x\" is of tier 2, which isn't below its own tier 2"}},
        {"a node in two domains of one tier",
         {holding("x", 1, {"n0", "n4"})},
         {"-/-/n5", "-/x/n4", "spine/-/n0", "spine/leaf1/n2"},
         {"HyperNode \"leaf0\": its node \"n0\" is in \"x\" of the same tier, too, so it is in neither"}},
        {"missing members",
         {domain("x", 1, {node_named("n4"), node_named("gone"), domain_named("nothing")})},
         {"-/-/n5", "-/x/n4", "spine/leaf0/n0", "spine/leaf1/n2"},
         {"HyperNode \"x\": its node \"gone\" doesn't exist, and 1 more of its members are empty"}},
        {"one name at two tiers of one tree",
         {holding("x", 1, {"n4"}, "row"), over("a", 2, {"x"}, "row")},
         {"-/-/n5", "a/x/n4", "spine/leaf0/n0", "spine/leaf1/n2"},
         {"HyperNode \"x\": its tierName \"row\" is that of tier 2 in the same tree, too (\"a\")"}},
    };
    for (const auto& row : rows) {
        CAPTURE(row.title);
        const auto world = world_of(with(fabric, row.more));
        auto paths = paths_in(world);
        std::erase_if(paths, [](const auto& path) { return path.ends_with("n1") || path.ends_with("n3"); });
        CHECK(paths == row.paths);
        CHECK(faults_in(world) == row.faults);
        // Groups that don't touch it are unaffected.
        auto again = world_of(with(fabric, row.more));
        CHECK(asked(again, "hypernode-tier/1", {"n3"}) == "hypernode-tier/1");
        CHECK(asked(again, "hypernode-tier/2", {"n3"}) == "hypernode-tier/2");
    }
}

TEST_CASE("a member that can't be read is empty, a domain that can't be read is none") {
    auto broken = domain("x", 1, {node_named("n4"), {}}, "row");
    broken.members[1].problem = "spec.members[1].selector is missing";
    auto world = world_of(with(fabric, {broken}));
    CHECK(faults_in(world) == Names{"HyperNode \"x\": spec.members[1].selector is missing"});
    CHECK(asked(world, "hypernode-tier/1", {"n4"}) == "hypernode-tier/1");
    broken.problem = "spec.tier: must be an integer, not \"1\"";
    world = world_of(with(fabric, {broken}));
    CHECK(paths_in(world)[0] == "-/-/n4");
    CHECK(contains(asked(world, "row"), "exists only in parts that are left out: HyperNode \"x\": spec.tier"));
}

TEST_CASE("a level that exists only in what is left out is Invalid, naming the fault (Z7)") {
    auto world = world_of(with(fabric, {over("a", 3, {"b", "spine"}, "core"), over("b", 3, {"a"}, "core")}));
    const std::string fault = "exists only in parts that are left out: HyperNode \"a\": it is below itself";
    CHECK(contains(asked(world, tier_level(3)), fault));
    CHECK(contains(asked(world, "core"), fault));
    CHECK(asked(world, tier_level(2)) == "hypernode-tier/2");
    CHECK(asked(world, tier_level(4)) == "everywhere");
    auto group = leaf("job", 1);
    group.preferred = {"core"};
    world.apply(GroupSeen{group});
    const auto gang = gang_of(world, leaf_key("job"));
    CHECK(!gang.problem);
    REQUIRE(gang.warnings.size() == 1);
    CHECK(contains(gang.warnings[0], fault));
}

TEST_CASE("a level that exists elsewhere is searched there, and the fault is noted for the refusal (Z7)") {
    auto world = world_of(with(fabric, {holding("x", 1, {"n0", "n4"})}));
    CHECK(asked(world, tier_level(1)) == "hypernode-tier/1");
    CHECK(gang_of(world, leaf_key("job")).left_out.size() == 1);
    CHECK(asked(world, tier_level(2)) == "hypernode-tier/2");
    CHECK(gang_of(world, leaf_key("job")).left_out.empty());
}

TEST_CASE("a member bound inside the fault makes its group Invalid (Z7)") {
    auto world = world_of(with(fabric, {holding("x", 1, {"n0", "n4"})}));
    CHECK(asked(world, tier_level(1), {"n1"}) == "hypernode-tier/1");
    CHECK(asked(world, tier_level(1), {"n0"}) ==
          "group \"default/job\": its member \"default/job-1\" sits on node \"n0\", which has no domain at level "
          "\"hypernode-tier/1\": HyperNode \"leaf0\": its node \"n0\" is in \"x\" of the same tier, too, so it is in "
          "neither");
    CHECK(asked(world, tier_level(2)) == "hypernode-tier/2");
    // With two parents: nodes below it have only its own tier.
    auto torn = world_of(with(fabric, {over("other", 2, {"leaf0"})}));
    CHECK(asked(torn, tier_level(1), {"n0"}) == "hypernode-tier/1");
    CHECK(contains(asked(torn, tier_level(2), {"n0"}), "so it is below neither"));
}

TEST_CASE("a label that HyperNodes are named after is found through them, not as a separate level") {
    auto world = world_of({domain("rack-r0", 1, {nodes_labelled(rack, "r0")}, rack)}, 0);
    world.apply(NodeSeen{node("a", {{rack, "r0"}})});
    world.apply(NodeSeen{node("b", {{rack, "r1"}})});
    CHECK(asked(world, rack) == "hypernode-tier/1");
}

TEST_CASE("objects in any order give the same trees") {
    auto domains = with(fabric, {holding("x", 1, {"n0", "n4"}), over("a", 3, {"spine", "x"}), over("b", 3, {"a"})});
    const auto first = world_of(domains);
    std::ranges::reverse(domains);
    const auto second = world_of(domains);
    CHECK(paths_in(first) == paths_in(second));
    CHECK(first.snapshot().left_out == second.snapshot().left_out);
}

TEST_CASE("a topology that has changed names the gangs with pods where it moved, once") {
    auto world = world_of(fabric);
    for (const auto& [name, host] : {std::pair("job", "n0"), std::pair("other", "n2"), std::pair("later", "")}) {
        world.apply(GroupSeen{leaf(name, 1)});
        world.apply(PodSeen{bound(member(std::string(name) + "-0", name), host)});
    }
    CHECK(world.resolve().all_gangs);  // There was none.
    CHECK(world.apply(DomainSeen{holding("leaf0", 1, {"n1"}, "leaf")}).topology);
    auto resolved = world.resolve();
    CHECK(!resolved.all_gangs);
    CHECK(resolved.gangs == std::set{leaf_key("job")});
    CHECK(world.resolve().gangs.empty());
    // A wider domain is another path, too.
    world.apply(DomainSeen{over("spine", 2, {"leaf0"}, "spine")});
    world.apply(DomainSeen{over("spine2", 2, {"leaf1"}, "spine")});
    resolved = world.resolve();
    CHECK(!resolved.all_gangs);
    CHECK(resolved.gangs == std::set{leaf_key("other")});
    // The same once more, and another fault on nodes without pods.
    CHECK(!world.apply(DomainSeen{over("spine", 2, {"leaf0"}, "spine")}).topology);
    world.apply(DomainSeen{over("spine2", 2, {"leaf1", "leaf2"}, "spine")});
    CHECK(world.apply(DomainSeen{holding("leaf2", 1, {"n4", "n5"}, "leaf")}).topology);
    resolved = world.resolve();
    CHECK(!resolved.all_gangs);
    CHECK(resolved.gangs.empty());
}

TEST_CASE("other levels and other faults may mean every gang") {
    auto world = world_of(fabric);
    CHECK(world.resolve().all_gangs);
    world.apply(DomainSeen{over("core", 3, {"spine"})});
    CHECK(world.resolve().all_gangs);
    world.apply(DomainSeen{holding("x", 1, {"n0", "n4"}, "leaf")});  // Two domains of one tier.
    CHECK(world.resolve().all_gangs);
    world.apply(DomainSeen{holding("x", 1, {"n1", "n4"}, "leaf")});  // Another node in two of them.
    CHECK(world.resolve().all_gangs);
    world.apply(DomainSeen{holding("x", 1, {"n1", "n5"}, "leaf")});  // The same fault, another move.
    CHECK(!world.resolve().all_gangs);
    world.apply(NodeGone{"n3"});  // That a HyperNode names: it is missing there.
    CHECK(world.resolve().all_gangs);
}
