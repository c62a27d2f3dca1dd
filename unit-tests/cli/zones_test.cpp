// Gangs on nodes with NUMA zones, through `echelon plan` (NU1, NU2).

#include "cli/plan.hpp"
#include "kube/manifests.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace echelon;

namespace {

std::string node(const std::string& name) {
    return fmt::format(R"(
apiVersion: v1
kind: Node
metadata: {{name: {}, labels: {{example.com/rack: a}}}}
status:
  allocatable: {{cpu: "64", memory: 64Gi, nvidia.com/gpu: "8", pods: "110"}}
  conditions: [{{type: Ready, status: "True"}}]
---)",
                       name);
}

// Two zones of 32 CPUs and 4 GPUs.
std::string zones(const std::string& name, const std::string& policy, const std::string& scope) {
    std::string text = fmt::format(R"(
apiVersion: topology.node.k8s.io/v1alpha2
kind: NodeResourceTopology
metadata: {{name: {}}}
attributes: [{{name: topologyManagerPolicy, value: {}}}, {{name: topologyManagerScope, value: {}}}]
zones:
)",
                                   name, policy, scope);
    for (int zone = 0; zone < 2; ++zone) {
        text += fmt::format(R"(- name: node-{}
  type: Node
  resources:
  - {{name: cpu, capacity: "32", allocatable: "32", available: "32"}}
  - {{name: nvidia.com/gpu, capacity: "4", allocatable: "4", available: "4"}}
)",
                            zone);
    }
    return text + "---";
}

std::string gang(const std::string& name, int pods, const std::string& containers) {
    std::string text = fmt::format(R"(
apiVersion: scheduling.k8s.io/v1alpha3
kind: PodGroup
metadata: {{name: {}}}
spec: {{schedulingPolicy: {{gang: {{minCount: {}}}}}, schedulingConstraints: {{topology: [{{key: example.com/rack}}]}}}}
---)",
                                   name, pods);
    for (int number = 0; number < pods; ++number) {
        text += fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: {0}-{1}}}
spec:
  schedulerName: default-scheduler
  schedulingGroup: {{podGroupName: {0}}}
  containers: {2}
---)",
                            name, number, containers);
    }
    return text;
}

std::string one_container(int gpus) {
    return fmt::format("[{{name: main, resources: {{limits: {{nvidia.com/gpu: {}}}}}}}]", gpus);
}

std::vector<report::GangReport> planned(const std::string& text) {
    const auto manifests = kube::read_manifest_text(text, "test");
    REQUIRE_MESSAGE(manifests, (manifests ? "" : manifests.error().sentence));
    auto report = cli::decide(manifests->events, {}, {}, false, {});
    REQUIRE_MESSAGE(report, (report ? "" : report.error().sentence));
    return std::move(report->gangs);
}

report::GangReport planned_alone(const std::string& text) {
    auto gangs = planned(text);
    REQUIRE(gangs.size() == 1);
    return std::move(gangs.front());
}

}  // namespace

TEST_CASE("NU2: pods get one zone each, and a refusal names the zone") {
    const std::string cluster =
        node("n0") + node("n1") + zones("n0", "single-numa-node", "pod") + zones("n1", "single-numa-node", "pod");
    const auto placed = planned_alone(cluster + gang("train", 4, one_container(3)));
    CHECK_MESSAGE(placed.is_placed(), placed.message);
    const std::string of_20_cpus = "[{name: main, resources: {limits: {cpu: 20, memory: 1Gi}}}]";  // 3 by amounts.
    CHECK(planned_alone(cluster + gang("train", 4, of_20_cpus)).is_placed());
    const auto refused = planned_alone(cluster + gang("train", 5, of_20_cpus));
    CHECK(
        refused.message ==
        "group default/train needs 5 seats in one example.com/rack; the best, a, has room for 4 when empty: 1 missing "
        "(one NUMA zone of cpu)");
}

TEST_CASE("NU1: other policies are left to the kubelet") {
    for (const std::string policy : {"restricted", "best-effort", "none"}) {
        CAPTURE(policy);
        CHECK(planned_alone(node("n0") + zones("n0", policy, "pod") + gang("train", 1, one_container(8))).is_placed());
    }
    CHECK_FALSE(planned_alone(node("n0") + zones("n0", "single-numa-node", "pod") + gang("train", 1, one_container(8)))
                    .is_placed());
}

TEST_CASE("NU2: by scope container a pod may use several zones") {
    const std::string containers =
        "[{name: a, resources: {limits: {nvidia.com/gpu: 4}}}, {name: b, resources: {limits: {nvidia.com/gpu: 4}}}]";
    const std::string rest = gang("train", 1, containers);
    CHECK(planned_alone(node("n0") + zones("n0", "single-numa-node", "container") + rest).is_placed());
    CHECK_FALSE(planned_alone(node("n0") + zones("n0", "single-numa-node", "pod") + rest).is_placed());
}

TEST_CASE("NU2: only Guaranteed pods need whole CPUs of one zone") {
    const std::string cluster = node("n0") + zones("n0", "single-numa-node", "pod");
    const auto of_cpus = [](const std::string& cpus, const std::string& memory) {
        return fmt::format("[{{name: main, resources: {{limits: {{cpu: \"{}\"{}}}}}}}]", cpus, memory);
    };
    CHECK_FALSE(planned_alone(cluster + gang("train", 1, of_cpus("33", ", memory: 1Gi"))).is_placed());
    CHECK(planned_alone(cluster + gang("train", 1, of_cpus("33", ""))).is_placed());
    CHECK(planned_alone(cluster + gang("train", 1, of_cpus("33500m", ", memory: 1Gi"))).is_placed());
    CHECK(planned_alone(cluster + gang("train", 2, of_cpus("32", ", memory: 1Gi"))).is_placed());
}

TEST_CASE("NU2: a gang counts beside those that were planned before it") {
    const auto gangs = planned(node("n0") + zones("n0", "single-numa-node", "pod") + gang("a", 2, one_container(3)) +
                               gang("b", 1, one_container(2)));
    REQUIRE(gangs.size() == 2);
    CHECK(gangs[0].is_placed());
    CHECK_FALSE(gangs[1].is_placed());
    CHECK(gangs[1].message ==
          "group default/b needs 1 seat in one example.com/rack; the best, a, has room for 0: 1 missing "
          "(one NUMA zone of nvidia.com/gpu)");
}
