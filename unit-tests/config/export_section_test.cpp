// The section `export`, and profiles that may be empty beside it.

#include "config/settings.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::config {
namespace {

const std::string heading = "apiVersion: config.echelon.sh/v1alpha1\nkind: EchelonConfiguration\n";

std::string fault_of(const std::string& yaml) {
    const auto parsed = parse(yaml);
    if (parsed)
        return "none";
    return parsed.error().size() == 1 ? to_line("f", parsed.error().front()) : "several";
}

TEST_CASE("a topology is exported beside profiles, or alone (Z34)") {
    const auto alone = parse(heading + "profiles: []\nexport: {kind: HyperNode, name: fabric, from: machines}\n");
    REQUIRE(alone);
    REQUIRE(alone->topology_export);
    CHECK(*alone->topology_export == TopologyExport{.kind = "HyperNode", .name = "fabric", .from = "machines"});
    CHECK(exports_alone(*alone));
    const auto beside = parse(heading + "profiles: [{schedulerName: a}]\nexport: {kind: KaiTopology, name: fabric}\n");
    REQUIRE(beside);
    CHECK(beside->topology_export->from.empty());
    CHECK_FALSE(exports_alone(*beside));
    CHECK_FALSE(exports_alone(Settings{}));
}

TEST_CASE("what an export lacks is named with its line (Z34)") {
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"{name: a}", "f:4: export.kind: is missing"},
        {"{kind: HyperNode}", "f:4: export.name: is missing"},
        {"{kind: Topology, name: a}",
         "f:4: export.kind: must be one of HyperNode, KueueTopology, ClusterNetworkTopology, KaiTopology, not "
         "\"Topology\""},
        {"{kind: HyperNode, name: A b}",
         "f:4: export.name: must be lower case letters, digits, \"-\" and \".\", at most 63"},
        {"{kind: ClusterNetworkTopology, name: fabric}",
         "f:4: export.name: must be default: Koordinator reads no other"},
        {"{kind: HyperNode, name: a, to: b}", "f:4: export.to: isn't a known key"},
    };
    for (const auto& [text, fault] : rows) {
        CAPTURE(text);
        CHECK(fault_of(heading + "profiles: []\nexport: " + text + "\n") == fault);
    }
    CHECK(fault_of(heading + "profiles: []\nexport: {kind: ClusterNetworkTopology, name: default}\n") == "none");
}

}  // namespace
}  // namespace echelon::config
