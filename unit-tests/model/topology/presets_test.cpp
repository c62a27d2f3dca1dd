#include "model/topology/presets.hpp"

#include "unit-tests/model/support/facts.hpp"

#include <doctest/doctest.h>

using namespace echelon::model;

namespace {

using Keys = std::vector<std::string>;

std::vector<Levels> presets_of(const std::vector<Labels>& label_sets) {
    std::vector<Node> nodes;
    for (const auto& labels : label_sets) {
        nodes.push_back(facts::node("n" + std::to_string(nodes.size()), labels));
    }
    return preset_levels(facts::labels_of(nodes), std::vector<NodeView>(nodes.begin(), nodes.end()));
}

const std::string region = "topology.kubernetes.io/region";
const std::string zone = "topology.kubernetes.io/zone";
const std::string hostname = "kubernetes.io/hostname";

}  // namespace

TEST_CASE("without any known label there are hosts only") {
    const auto trees = presets_of({{{"a", "b"}}});
    REQUIRE(trees.size() == 1);
    CHECK(trees[0].keys == Keys{hostname});
    CHECK(presets_of({}).size() == 1);
}

TEST_CASE("region and zone are above the fabric, and only levels that occur are used") {
    const auto trees = presets_of({{{zone, "z"}, {"topology.kubernetes.io/rack", "r"}}});
    REQUIRE(trees.size() == 1);
    CHECK(trees[0].keys == Keys{zone, "topology.kubernetes.io/rack", hostname});
    CHECK(presets_of({{{region, "r"}, {zone, "z"}}})[0].keys == Keys{region, zone, hostname});
}

TEST_CASE("Topograph tiers count down to the closest, whatever their number") {
    const auto trees = presets_of({{{"fabric.topograph.run/tier-0", "a"}, {"fabric.topograph.run/tier-2", "c"}},
                                   {{"fabric.topograph.run/tier-10", "d"}, {"fabric.topograph.run/tier-x", "e"}}});
    CHECK(trees[0].keys ==
          Keys{"fabric.topograph.run/tier-10", "fabric.topograph.run/tier-2", "fabric.topograph.run/tier-0", hostname});
}

TEST_CASE("leaf or core distinguishes Topograph 0.3 from 0.1, which share the label spine") {
    const std::string prefix = "network.topology.nvidia.com/";
    CHECK(presets_of({{{prefix + "leaf", "l"}, {prefix + "spine", "s"}, {prefix + "core", "c"}}})[0].keys ==
          Keys{prefix + "core", prefix + "spine", prefix + "leaf", hostname});
    CHECK(presets_of({{{prefix + "block", "b"}, {prefix + "spine", "s"}, {prefix + "datacenter", "d"}}})[0].keys ==
          Keys{prefix + "datacenter", prefix + "spine", prefix + "block", hostname});
}

TEST_CASE("each fabric family that nodes carry is a tree, with region and zone around it (Z24)") {
    const auto trees = presets_of({{{"topology.k8s.aws/network-node-layer-1", "a"},
                                    {"topology.k8s.aws/network-node-layer-3", "c"},
                                    {zone, "z"},
                                    {"topology.kubernetes.io/rack", "r"}}});
    REQUIRE(trees.size() == 2);
    CHECK(trees[0].keys ==
          Keys{zone, "topology.k8s.aws/network-node-layer-1", "topology.k8s.aws/network-node-layer-3", hostname});
    CHECK(trees[1].keys == Keys{zone, "topology.kubernetes.io/rack", hostname});
    const std::string prefix = "network.topology.nvidia.com/";
    CHECK(presets_of({{{prefix + "spine", "s"}}}).size() == 1);
    CHECK(presets_of({{{prefix + "spine", "s"}, {prefix + "leaf", "l"}}}).size() == 1);
    CHECK(presets_of({{{prefix + "spine", "s"}, {prefix + "leaf", "l"}}, {{prefix + "block", "b"}}}).size() == 2);
}

TEST_CASE("each cloud's labels are read widest first") {
    CHECK(presets_of({{{"cloud.google.com/gce-topology-block", "b"},
                       {"cloud.google.com/gce-topology-host", "h"},
                       {"cloud.google.com/gce-topology-subblock", "s"}}})[0]
              .keys == Keys{"cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock",
                            "cloud.google.com/gce-topology-host", hostname});
    CHECK(
        presets_of({{{"oci.oraclecloud.com/host.rack_id", "r"}, {"oci.oraclecloud.com/host.network_block_id", "b"}}})[0]
            .keys == Keys{"oci.oraclecloud.com/host.network_block_id", "oci.oraclecloud.com/host.rack_id", hostname});
    CHECK(
        presets_of({{{"cloud.provider.com/topology-block", "b"}, {"cloud.provider.com/topology-rack", "r"}}})[0].keys ==
        Keys{"cloud.provider.com/topology-block", "cloud.provider.com/topology-rack", hostname});
}

TEST_CASE("an accelerator family that nests in the fabric becomes a level of it") {
    const std::string leaf = "network.topology.nvidia.com/leaf";
    const std::string spine = "network.topology.nvidia.com/spine";
    const std::string domain = "network.topology.nvidia.com/accelerator";
    const auto trees = presets_of({{{spine, "s0"}, {leaf, "l0"}, {domain, "a"}},
                                   {{spine, "s0"}, {leaf, "l1"}, {domain, "a"}},
                                   {{spine, "s1"}, {leaf, "l2"}, {domain, "b"}}});
    REQUIRE(trees.size() == 1);
    CHECK(trees[0].keys == Keys{spine, domain, leaf, hostname});
}

TEST_CASE("an accelerator family that crosses the fabric is a separate tree") {
    const std::string leaf = "network.topology.nvidia.com/leaf";
    const std::string domain = "network.topology.nvidia.com/accelerator";
    SUBCASE("domains overlap") {
        const auto trees = presets_of({{{leaf, "l0"}, {domain, "a"}},
                                       {{leaf, "l0"}, {domain, "b"}},
                                       {{leaf, "l1"}, {domain, "b"}},
                                       {{leaf, "l1"}, {domain, "a"}}});
        REQUIRE(trees.size() == 2);
        CHECK(trees[0].keys == Keys{leaf, hostname});
        CHECK(trees[1].keys == Keys{domain, hostname});
    }
    SUBCASE("region and zone are around it, too") {
        const auto trees = presets_of({{{zone, "z"}, {leaf, "l0"}, {domain, "a"}}, {{zone, "z"}, {leaf, "l1"}}});
        REQUIRE(trees.size() == 2);
        CHECK(trees[1].keys == Keys{zone, domain, hostname});
    }
    SUBCASE("a node of the fabric has no accelerator") {
        CHECK(presets_of({{{leaf, "l0"}, {domain, "a"}}, {{leaf, "l0"}}}).size() == 2);
    }
}

TEST_CASE("a clique names two levels, its cluster before the last dot and itself (Z21)") {
    const auto trees = presets_of({{{"nvidia.com/gpu.clique", "uuid.a.1"}}, {{"nvidia.com/gpu.clique", "uuid.a.2"}}});
    REQUIRE(trees.size() == 1);
    CHECK(trees[0].keys == Keys{"nvidia.com/gpu.clique/cluster", "nvidia.com/gpu.clique", hostname});
    const auto node = facts::node("n", {{"nvidia.com/gpu.clique", "uuid.a.1"}});
    CHECK(place_at(node, "nvidia.com/gpu.clique/cluster") == "uuid.a");
    CHECK(place_at(node, "nvidia.com/gpu.clique") == "uuid.a.1");
    CHECK(!place_at(facts::node("n", {{"nvidia.com/gpu.clique", "nodot"}}), "nvidia.com/gpu.clique/cluster"));
}

TEST_CASE("an empty label places a node nowhere") {
    CHECK(!place_at(facts::node("n", {{"example.com/rack", ""}}), "example.com/rack"));
    CHECK(presets_of({{{zone, ""}}})[0].keys == Keys{hostname});
}

TEST_CASE("labels that decide which presets apply are known as such") {
    CHECK(is_preset_label(zone));
    CHECK(is_preset_label("fabric.topograph.run/tier-7"));
    CHECK(is_preset_label("nvidia.com/gpu.clique"));
    CHECK(!is_preset_label("fabric.topograph.run/tier-"));
    CHECK(!is_preset_label("example.com/rack"));
}
