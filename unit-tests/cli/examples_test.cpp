// The manifests of examples/ are placed as their first lines say, on two blocks of three racks of four hosts.

#include "cli/plan.hpp"
#include "kube/manifests.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace echelon;

namespace {

std::string cluster_text() {
    std::string text = R"(apiVersion: kueue.x-k8s.io/v1beta1
kind: Topology
metadata: {name: fabric}
spec: {levels: [{nodeLabel: topology.kubernetes.io/block}, {nodeLabel: topology.kubernetes.io/rack}]}
)";
    const auto hyper = [&text](const std::string& name, int tier, const std::string& members) {
        text += fmt::format(
            "---\napiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\nmetadata: {{name: {}}}\n"
            "spec: {{tier: {}, members: [{}]}}\n",
            name, tier, members);
    };
    const auto member = [](const std::string& kind, const std::string& name) {
        return fmt::format("{{type: {}, selector: {{exactMatch: {{name: {}}}}}}}, ", kind, name);
    };
    for (int block = 0; block < 2; ++block) {
        std::string leaves;
        for (int rack = 0; rack < 3; ++rack) {
            std::string hosts;
            for (int host = 0; host < 4; ++host) {
                const auto name = fmt::format("n{}{}{}", block, rack, host);
                text += fmt::format(
                    "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {}, labels: "
                    "{{topology.kubernetes.io/block: b{}, topology.kubernetes.io/rack: r{}}}}}\n"
                    "status: {{allocatable: {{cpu: \"64\", nvidia.com/gpu: \"8\", pods: \"110\"}}, "
                    "conditions: [{{type: Ready, status: \"True\"}}]}}\n",
                    name, block, rack);
                hosts += member("Node", name);
            }
            const auto leaf = fmt::format("leaf-{}{}", block, rack);
            hyper(leaf, 1, hosts);
            leaves += member("HyperNode", leaf);
        }
        hyper(fmt::format("spine-{}", block), 2, leaves);
    }
    return text;
}

report::PlanReport plan_of(const std::string& file) {
    auto cluster = kube::read_manifest_text(cluster_text(), "the cluster");
    REQUIRE_MESSAGE(cluster, (cluster ? "" : cluster.error().sentence));
    const auto example = kube::read_manifests({std::string(ECHELON_SOURCE_DIR) + "/examples/" + file});
    REQUIRE_MESSAGE(example, (example ? "" : example.error().sentence));
    CHECK(example->skipped_kinds.empty());
    cluster->events.insert(cluster->events.end(), example->events.begin(), example->events.end());
    const auto report = cli::decide(cluster->events);
    REQUIRE(report);
    return *report;
}

}  // namespace

TEST_CASE("the examples are placed whole") {
    struct Row {
        std::string file;
        std::string gang;
        std::size_t seats;  // Of pods that exist.
    };
    for (const auto& [file, gang, seats] : {Row{"gang.yaml", "default/train", 4},
                                            {"gang-by-labels.yaml", "default/ring", 4},
                                            {"gang-object.yaml", "default/answer", 8},
                                            {"volcano.yaml", "default/ring", 4},
                                            {"kueue.yaml", "default/job-sweep", 4},
                                            {"job-set.yaml", "default/shards", 2}}) {
        CAPTURE(file);
        const auto report = plan_of(file);
        REQUIRE(report.gangs.size() == 1);
        CAPTURE(report.gangs.front().message);
        CHECK(report.gangs.front().gang == gang);
        CHECK(report.gangs.front().is_placed());
        CHECK(report.gangs.front().seats.size() == seats);
    }
}
