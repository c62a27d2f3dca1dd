#include "model/topology/trees.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

using Names = std::vector<std::string>;

struct World {
    std::vector<Node> nodes;

    [[nodiscard]] std::vector<NodeView> all() const { return {nodes.begin(), nodes.end()}; }
    // As a snapshot numbers them along `levels`.
    [[nodiscard]] std::vector<NodeView> numbered(const Levels& levels) const {
        std::vector<NodeView> ordered;
        for (const auto id : build_tree(levels, all()).order) {
            ordered.emplace_back(nodes[id]);
        }
        return ordered;
    }
};

Names names_of(const std::vector<NodeView>& nodes) {
    Names names;
    for (const auto& node : nodes) {
        names.emplace_back(node.name());
    }
    return names;
}

const Levels fabric = {"fabric", {block, rack, host}};

}  // namespace

TEST_CASE("nodes are numbered depth-first by name, whatever the order they came in") {
    World world{
        {racked("n9", "b0", "r0"), racked("n1", "b1", "r0"), racked("n5", "b0", "r1"), racked("n2", "b0", "r0")}};
    const Names expected = {"n2", "n9", "n5", "n1"};
    CHECK(names_of(world.numbered(fabric)) == expected);
    std::ranges::reverse(world.nodes);
    CHECK(names_of(world.numbered(fabric)) == expected);
}

TEST_CASE("nodes and domains are in natural order, so that neighbouring ranks get neighbouring nodes") {
    const World world{{racked("n10", "b0", "r2"), racked("n9", "b0", "r2"), racked("n1", "b0", "r10")}};
    CHECK(names_of(world.numbered(fabric)) == Names{"n9", "n10", "n1"});
}

TEST_CASE("equal rack names below two blocks are two domains, each a range (D4, I1)") {
    const World world{{racked("n0", "b0", "r0"), racked("n1", "b0", "r0"), racked("n2", "b1", "r0")}};
    const auto tree = build_tree(fabric, world.numbered(fabric));
    CHECK(tree.paths[0] == Names{"b0", "b1"});
    CHECK(tree.paths[1] == Names{"b0/r0", "b1/r0"});
    CHECK(tree.domains[1][0].first == 0);
    CHECK(tree.domains[1][0].last == 2);
    CHECK(tree.domains[1][1].parent == 1);
    CHECK(tree.domains[0][1].parent == nowhere);
    CHECK(tree.domains[2].size() == 3);
    CHECK(tree.path_of(2, 0).empty());  // Of hosts, only `Snapshot::path` makes them.
}

TEST_CASE("labels need not nest, a rack that straddles two blocks is cut (D5)") {
    const World world{{racked("n0", "b0", "shared"), racked("n1", "b1", "shared")}};
    const auto tree = build_tree(fabric, world.numbered(fabric));
    CHECK(tree.paths[1] == Names{"b0/shared", "b1/shared"});
}

TEST_CASE("a node without a label is in no domain of that level, but in narrower ones and in its host (I2)") {
    const World world{{node("n0", {{block, "b0"}}), node("n1", {{rack, "r0"}}), node("n2"), racked("n3", "b0", "r0")}};
    const auto numbered = world.numbered(fabric);
    const auto tree = build_tree(fabric, numbered);
    CHECK(tree.paths[0] == Names{"b0"});
    CHECK(tree.paths[1] == Names{"-/r0", "b0/r0"});
    CHECK(tree.domains[1][0].parent == nowhere);
    CHECK(tree.domains[2].size() == 4);
    for (NodeId id = 0; id < numbered.size(); ++id) {
        CAPTURE(numbered[id].name());
        CHECK((tree.domain_of[0][id] == nowhere) == !numbered[id].labels.value_of(block));
        CHECK((tree.domain_of[1][id] == nowhere) == !numbered[id].labels.value_of(rack));
        CHECK(tree.domain_of[2][id] != nowhere);
    }
}

TEST_CASE("every domain is the range of exactly its nodes, at every level of every tree") {
    World world;
    for (int n = 0; n < 60; ++n) {
        auto& added = world.nodes.emplace_back(node("n" + std::to_string(n)));
        if (n % 7 != 0)
            added.labels[block] = "b" + std::to_string(n % 3);
        if (n % 5 != 0)
            added.labels[rack] = "r" + std::to_string(n % 4);
        added.labels["example.com/island"] = "i" + std::to_string((n * 13) % 6);
    }
    const auto numbered = world.numbered(fabric);
    for (const auto& levels : {fabric, Levels{"islands", {"example.com/island", host}}}) {
        const auto tree = build_tree(levels, numbered);
        CAPTURE(levels.name);
        for (std::size_t depth = 0; depth < levels.keys.size(); ++depth) {
            std::size_t inside = 0;
            for (std::uint32_t index = 0; index < tree.domains[depth].size(); ++index) {
                const auto& domain = tree.domains[depth][index];
                CHECK(domain.first < domain.last);
                for (auto position = domain.first; position < domain.last; ++position) {
                    CHECK(tree.domain_of[depth][tree.order[position]] == index);
                }
                inside += domain.last - domain.first;
            }
            const auto placed = std::ranges::count_if(tree.domain_of[depth], [](auto d) { return d != nowhere; });
            CHECK(inside == static_cast<std::size_t>(placed));
        }
    }
    const auto first = build_tree(fabric, numbered);
    CHECK(std::ranges::is_sorted(first.order));
}

TEST_CASE("topology objects come before configured levels, and those before presets") {
    const World world{{node("n0", {{block, "b"}, {rack, "r"}, {"topology.kubernetes.io/zone", "z"}})}};
    auto object = topology("objects", {block, host});
    Topology configured{"configured", TopologySource::configuration, {}, {rack}, {}};
    const auto chosen = [&](const std::vector<const Topology*>& topologies) {
        return choose_levels(topologies, labels_of(world.nodes), world.all()).front().keys;
    };
    CHECK(chosen({&object, &configured}) == Names{block, host});
    CHECK(chosen({&configured}) == Names{rack, host});
    CHECK(chosen({}) == Names{"topology.kubernetes.io/zone", host});
    object.problem = "spec.levels is empty";
    CHECK(chosen({&object, &configured}) == Names{rack, host});
}

TEST_CASE("the host is the implied last level, and every key counts once") {
    const auto declared = topology("odd", {block, block, host, rack});
    CHECK(choose_levels(std::vector{&declared}, {}, {}).front().keys == Names{block, host});
}

TEST_CASE("the first tree is the one with most levels, then the first by name") {
    const auto deep = topology("z-deep", {block, rack});
    const auto shallow = topology("a-shallow", {block});
    const auto twin = topology("b-shallow", {rack});
    const auto trees = choose_levels(std::vector{&twin, &shallow, &deep}, {}, {});
    REQUIRE(trees.size() == 3);
    CHECK(trees[0].name == "z-deep");
    CHECK(trees[1].name == "a-shallow");
    CHECK(trees[2].name == "b-shallow");
}

TEST_CASE("an asked key that only nodes carry is a separate tree, and a key of no node is none (D12)") {
    const World world{{node("n0", {{"example.com/island", "i0"}, {rack, "r0"}})}};
    const std::vector<Levels> declared = {{"fabric", {rack, host}}};
    const auto singles = single_label_levels(declared, {"example.com/island", "example.com/none", rack, host},
                                             labels_of(world.nodes), world.all());
    REQUIRE(singles.size() == 1);
    CHECK(singles[0] == Levels{"example.com/island", {"example.com/island", host}});
}

TEST_CASE(
    "nodes decide only whether some node has a cluster of cliques, if that level is asked and not declared (Z21)") {
    const std::string cluster{clique_cluster_level};
    const LabelCounts labels = {{"nvidia.com/gpu.clique", 1}, {rack, 1}};
    const std::vector<Levels> fabric_alone = {{"fabric", {rack, host}}};
    const std::vector<Levels> cliques = {{"cliques", {cluster, "nvidia.com/gpu.clique", host}}};
    CHECK(nodes_decide_single_levels(fabric_alone, {cluster}, labels));
    CHECK_FALSE(nodes_decide_single_levels(cliques, {cluster}, labels));
    CHECK_FALSE(nodes_decide_single_levels(fabric_alone, {cluster}, {{rack, 1}}));
    CHECK_FALSE(nodes_decide_single_levels(fabric_alone, {rack, "example.com/island"}, labels));
}

TEST_CASE("a renumbered tree is the tree of the nodes in their new order") {
    const World world{
        {racked("n0", "b1", "r0"), racked("n1", "b0", "r1"), racked("n2", "b0", "r0"), node("n3", {{rack, "r0"}})}};
    const Levels islands = {"racks", {rack, host}};
    const auto order = build_tree(fabric, world.all()).order;
    for (const auto& levels : {fabric, islands}) {
        CAPTURE(levels.name);
        auto moved = build_tree(levels, world.all());
        renumber(moved, order);
        const auto expected = build_tree(levels, world.numbered(fabric));
        CHECK(moved.order == expected.order);
        CHECK(moved.domain_of == expected.domain_of);
    }
}
