// Families of labels and kinds of objects in one cluster (Z24): labels and objects of other nodes don't change the
// domains of a node.

#include "unit-tests/model/support/facts.hpp"

#include <set>
#include <utility>

#include <doctest/doctest.h>

using namespace echelon::model;
using namespace echelon::model::facts;

namespace {

using Keys = std::vector<std::string>;

const std::string region = "topology.kubernetes.io/region";
const std::string zone = "topology.kubernetes.io/zone";
const std::string plain_rack = "topology.kubernetes.io/rack";
const std::string plain_block = "topology.kubernetes.io/block";

// Label keys, widest first.
const std::vector<Keys> families = {
    {"fabric.topograph.run/tier-2", "fabric.topograph.run/tier-1", "fabric.topograph.run/tier-0"},
    {"network.topology.nvidia.com/core", "network.topology.nvidia.com/spine", "network.topology.nvidia.com/leaf"},
    {"network.topology.nvidia.com/datacenter", "network.topology.nvidia.com/spine",
     "network.topology.nvidia.com/block"},
    {"topology.k8s.aws/network-node-layer-1", "topology.k8s.aws/network-node-layer-2",
     "topology.k8s.aws/network-node-layer-3"},
    {"cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock",
     "cloud.google.com/gce-topology-host"},
    {"oci.oraclecloud.com/host.network_block_id", "oci.oraclecloud.com/host.rack_id"},
    {plain_block, plain_rack},
    {"cloud.provider.com/topology-block", "cloud.provider.com/topology-rack"},
    {"accelerator.topograph.run/domain", "accelerator.topograph.run/sub-domain"},
    {"network.topology.nvidia.com/accelerator"},
    {"nvidia.com/gpu.clique"},
    {"topology.k8s.aws/capacity-block-id", "topology.k8s.aws/ultraserver-id"},
};

// Two zones with two widest domains each, and domains of one name in all of them.
std::vector<Event> nodes_of(const Keys& family) {
    std::vector<Event> events;
    for (int at = 0; at < 8; ++at) {
        Labels labels = {{zone, "z" + std::to_string(at / 4)}};
        for (std::size_t level = 0; level < family.size(); ++level) {
            const bool is_widest = level == 0 && family.size() > 1;
            labels[family[level]] = is_widest ? "b" + std::to_string(at / 2 % 2) : "same.1";
        }
        events.emplace_back(NodeSeen{node("n" + std::to_string(at), std::move(labels))});
    }
    return events;
}

Event stranger(Labels labels) {
    return NodeSeen{node("stranger", std::move(labels))};
}

Event hyper_node(std::string tier_name) {
    DeclaredDomain domain;
    domain.name = "leaf";
    domain.api_kind = "HyperNode.topology.volcano.sh";
    domain.tier_name = std::move(tier_name);
    domain.members.emplace_back().name = "stranger";
    return DomainSeen{std::move(domain)};
}

Event told(Keys levels) {
    auto topology = facts::topology("document", levels);
    topology.api_kind = "Topology.topograph.run";
    topology.places["stranger"] = Keys(levels.size(), "same.1");
    return TopologySeen{std::move(topology)};
}

struct Addition {
    std::string name;
    std::vector<Event> events;
};

// None of it names a node of `nodes_of(family)`, nor a narrower level of it.
std::vector<Addition> additions_to(const Keys& family) {
    std::vector<Addition> all = {
        {"a bare node", {stranger({})}},
        {"a node in a region", {stranger({{region, "r0"}, {zone, "z0"}})}},
        {"a node of the narrowest level alone", {stranger({{family.back(), "same.1"}})}},
        {"an object of zones", {TopologySeen{topology("zones", {zone})}}},
        {"an object of levels that nobody carries", {TopologySeen{topology("none", {"x.io/a", "x.io/b", zone})}}},
        {"an object of other levels above",
         {TopologySeen{topology("a", {"x.io/a", "x.io/b", "x.io/c", family.back()})}}},
        {"a region elsewhere, and an object of other levels above",
         {stranger({{region, "r0"}, {zone, "z9"}}), TopologySeen{topology("a", {"x.io/a", "x.io/b", family.back()})}}},
        {"configured levels", {TopologySeen{{"c", TopologySource::configuration, {}, {"x.io/a", zone}, {}}}}},
        {"a HyperNode", {stranger({}), hyper_node("")}},
        {"a HyperNode named as the level", {stranger({}), hyper_node(family.back())}},
        {"a document of Topograph", {stranger({}), told({"fabric.topograph.run/tier-0"})}},
        {"a document of the same levels", {stranger({}), told(family)}},
    };
    for (const auto& other : families) {
        if (other == family)
            continue;
        Labels labels;
        for (const auto& key : other) {
            labels[key] = "same.1";
            all.push_back({"a node with " + key, {stranger({{key, "same.1"}})}});
        }
        all.push_back({"a node of the family of " + other.front(), {stranger(labels)}});
        if (std::ranges::find(family, other.back()) == family.end())
            all.push_back({"an object of the family of " + other.front(),
                           {TopologySeen{topology("o", other)}, stranger(labels)}});
    }
    return all;
}

// Which of the nodes n0 to n7 are together at a level: for each the first that shares its domain, -1: in none.
std::vector<int> partition_of(const Cluster& cluster, const std::string& level) {
    const auto snapshot = cluster.snapshot();
    const auto found = snapshot.level(level);
    if (!found)
        return {};
    const auto& domain_of = snapshot.trees[found->tree].domain_of[found->depth];
    std::vector<int> first;
    for (int at = 0; at < 8; ++at) {
        const auto domain_at = [&](int each) { return domain_of[*snapshot.node("n" + std::to_string(each))]; };
        int same = at;
        while (same > 0 && domain_at(same - 1) == domain_at(at)) {
            --same;
        }
        for (int each = at; each-- > 0;) {
            same = domain_at(each) == domain_at(at) ? each : same;
        }
        first.push_back(domain_at(at) == nowhere ? -1 : same);
    }
    return first;
}

// A gang that asks for the level: only then does an unlisted label become one.
std::vector<Event> with_gang(std::vector<Event> events, const std::string& level) {
    auto group = leaf("job", 2);
    group.required = {level};
    events.emplace_back(GroupSeen{group});
    events.emplace_back(PodSeen{member("job-0", "job")});
    return events;
}

}  // namespace

TEST_CASE("labels and objects of other nodes change no domain of a node (Z24)") {
    for (const auto& family : families) {
        auto levels = family;
        levels.push_back(zone);
        for (const auto& level : levels) {
            auto alone = with_gang(nodes_of(family), level);
            const auto expected = partition_of(cluster(alone), level);
            REQUIRE(expected.size() == 8);
            for (const auto& addition : additions_to(family)) {
                auto events = alone;
                events.insert(events.end(), addition.events.begin(), addition.events.end());
                CAPTURE(level);
                CAPTURE(addition.name);
                CHECK(partition_of(cluster(events), level) == expected);
            }
        }
    }
}

TEST_CASE("a required rack holds within one zone, with labels of another family elsewhere (Z24)") {
    const auto alone = with_gang(nodes_of({plain_block, plain_rack}), plain_rack);
    CHECK(partition_of(cluster(alone), plain_rack) == std::vector{0, 0, 2, 2, 4, 4, 6, 6});
    for (const auto& addition : std::vector<Event>{stranger({{"topology.k8s.aws/network-node-layer-3", "l"}}),
                                                   hyper_node(""), TopologySeen{topology("zones", {zone})}}) {
        auto events = alone;
        events.push_back(addition);
        CHECK(partition_of(cluster(events), plain_rack) == std::vector{0, 0, 2, 2, 4, 4, 6, 6});
    }
}

TEST_CASE("an object that lists fewer levels of a key takes no node from labels with more levels (Z24)") {
    auto events = with_gang(nodes_of({plain_block, plain_rack}), plain_rack);
    events.emplace_back(TopologySeen{topology("racks", {plain_rack})});
    CHECK(partition_of(cluster(events), plain_rack) == std::vector{0, 0, 2, 2, 4, 4, 6, 6});
    events.emplace_back(TopologySeen{{"blocks", TopologySource::configuration, {}, {plain_block, plain_rack}, {}}});
    CHECK(partition_of(cluster(events), plain_rack) == std::vector{0, 0, 2, 2, 4, 4, 6, 6});
    // A node elsewhere adds a wider level, which these nodes lack.
    events.emplace_back(stranger({{region, "r0"}}));
    CHECK(partition_of(cluster(events), plain_rack) == std::vector{0, 0, 2, 2, 4, 4, 6, 6});
}

TEST_CASE("another name of a level means the same domains as the key, also in other trees (Z24)") {
    auto racks = topology("racks", {plain_rack});
    racks.aliases = {{"rackLayer", plain_rack}};
    auto events = with_gang(nodes_of({plain_block, plain_rack}), "rackLayer");
    events.emplace_back(TopologySeen{racks});
    CHECK(partition_of(cluster(events), "rackLayer") == std::vector{0, 0, 2, 2, 4, 4, 6, 6});
    // Where only the object places a node, it does so by either name.
    events.emplace_back(NodeSeen{node("n0", {{plain_rack, "alone"}})});
    CHECK(partition_of(cluster(events), "rackLayer") == std::vector{0, 1, 2, 2, 4, 4, 6, 6});
}

TEST_CASE("one key in trees over different nodes is one level, and each node belongs to its own tree (Z24)") {
    auto events = with_gang({}, rack);
    events.emplace_back(NodeSeen{node("n0", {{block, "b0"}, {rack, "r0"}})});
    events.emplace_back(NodeSeen{node("n1", {{block, "b1"}, {rack, "r0"}})});
    events.emplace_back(NodeSeen{node("n2", {{zone, "z0"}, {"x.io/row", "b0"}, {rack, "r0"}})});
    events.emplace_back(NodeSeen{node("n3", {{zone, "z0"}, {"x.io/row", "b0"}, {rack, "r0"}})});
    for (int at = 4; at < 8; ++at) {
        events.emplace_back(NodeSeen{node("n" + std::to_string(at), {{zone, "z0"}})});
    }
    events.emplace_back(TopologySeen{topology("blocks", {block, rack})});
    events.emplace_back(TopologySeen{topology("rows", {zone, "x.io/row", rack})});
    const auto together = cluster(events);
    CHECK(partition_of(together, rack) == std::vector{0, 1, 2, 2, -1, -1, -1, -1});
    const auto snapshot = together.snapshot();
    const auto level = *snapshot.level(rack);
    const auto& paths = snapshot.trees[level.tree].paths[level.depth];
    CHECK(std::set<std::string>(paths.begin(), paths.end()) == std::set<std::string>{"b0/r0", "b1/r0", "z0/b0/r0"});
    CHECK(gang_of(together, leaf_key("job")).groups.front().required == std::vector{level});
}

TEST_CASE("a zone is one zone for nodes of all families (Z24)") {
    std::vector<Event> events = with_gang(nodes_of({plain_block, plain_rack}), zone);
    for (int at = 4; at < 8; ++at) {
        events.emplace_back(
            NodeSeen{node("n" + std::to_string(at), {{zone, "z0"}, {"topology.k8s.aws/network-node-layer-1", "l"}})});
    }
    CHECK(partition_of(cluster(events), zone) == std::vector(8, 0));
}
