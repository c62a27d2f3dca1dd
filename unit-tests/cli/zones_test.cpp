// Gangs on nodes with NUMA zones, through `echelon plan` (NU1, NU2).

#include "cli/plan.hpp"
#include "kube/manifests.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace echelon;

namespace {

std::string node(const std::string& name, const std::string& rack = "a") {
    return fmt::format(R"(
apiVersion: v1
kind: Node
metadata: {{name: {}, labels: {{example.com/rack: {}}}}}
status:
  allocatable: {{cpu: "64", memory: 64Gi, nvidia.com/gpu: "8", pods: "110"}}
  conditions: [{{type: Ready, status: "True"}}]
---)",
                       name, rack);
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

// A gang all of whose pods go to one NUMA zone.
std::string zone_gang(const std::string& name, int pods, const std::string& containers) {
    std::string text = gang(name, pods, containers);
    text.replace(text.find("example.com/rack"), 16, "echelon.sh/numa");
    return text;
}

// A gang with a priority, on the nodes of one rack.
std::string gang_in(const std::string& rack, const std::string& name, int priority, int pods, int gpus) {
    std::string text = fmt::format(R"(
apiVersion: scheduling.k8s.io/v1alpha3
kind: PodGroup
metadata: {{name: {}}}
spec: {{schedulingPolicy: {{gang: {{minCount: {}}}}}, priority: {}}}
---)",
                                   name, pods, priority);
    for (int number = 0; number < pods; ++number) {
        text += fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: {0}-{1}}}
spec:
  schedulerName: default-scheduler
  schedulingGroup: {{podGroupName: {0}}}
  priority: {2}
  nodeSelector: {{example.com/rack: {3}}}
  containers: [{{name: main, resources: {{limits: {{nvidia.com/gpu: {4}}}}}}}]
---)",
                            name, number, priority, rack, gpus);
    }
    return text;
}

std::string one_container(int gpus) {
    return fmt::format("[{{name: main, resources: {{limits: {{nvidia.com/gpu: {}}}}}}}]", gpus);
}

std::vector<report::GangReport> planned(const std::string& text, cli::Preemption preemption = {}) {
    const auto manifests = kube::read_manifest_text(text, "test");
    REQUIRE_MESSAGE(manifests, (manifests ? "" : manifests.error().sentence));
    auto report = cli::decide(manifests->events, {}, {}, false, preemption);
    REQUIRE_MESSAGE(report, (report ? "" : report.error().sentence));
    return std::move(report->gangs);
}

report::GangReport planned_alone(const std::string& text) {
    auto gangs = planned(text);
    REQUIRE(gangs.size() == 1);
    return std::move(gangs.front());
}

}  // namespace

TEST_CASE("pods get one zone each, and a refusal names the zone (NU2)") {
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

TEST_CASE("other policies are left to the kubelet (NU1)") {
    for (const std::string policy : {"restricted", "best-effort", "none"}) {
        CAPTURE(policy);
        CHECK(planned_alone(node("n0") + zones("n0", policy, "pod") + gang("train", 1, one_container(8))).is_placed());
    }
    CHECK_FALSE(planned_alone(node("n0") + zones("n0", "single-numa-node", "pod") + gang("train", 1, one_container(8)))
                    .is_placed());
}

TEST_CASE("by scope container a pod may use several zones (NU2)") {
    const std::string containers =
        "[{name: a, resources: {limits: {nvidia.com/gpu: 4}}}, {name: b, resources: {limits: {nvidia.com/gpu: 4}}}]";
    const std::string rest = gang("train", 1, containers);
    CHECK(planned_alone(node("n0") + zones("n0", "single-numa-node", "container") + rest).is_placed());
    CHECK_FALSE(planned_alone(node("n0") + zones("n0", "single-numa-node", "pod") + rest).is_placed());
}

TEST_CASE("only Guaranteed pods need whole CPUs of one zone (NU2)") {
    const std::string cluster = node("n0") + zones("n0", "single-numa-node", "pod");
    const auto of_cpus = [](const std::string& cpus, const std::string& memory) {
        return fmt::format("[{{name: main, resources: {{limits: {{cpu: \"{}\"{}}}}}}}]", cpus, memory);
    };
    CHECK_FALSE(planned_alone(cluster + gang("train", 1, of_cpus("33", ", memory: 1Gi"))).is_placed());
    CHECK(planned_alone(cluster + gang("train", 1, of_cpus("33", ""))).is_placed());
    CHECK(planned_alone(cluster + gang("train", 1, of_cpus("33500m", ", memory: 1Gi"))).is_placed());
    CHECK(planned_alone(cluster + gang("train", 2, of_cpus("32", ", memory: 1Gi"))).is_placed());
}

TEST_CASE("a gang counts beside those that were planned before it (NU2)") {
    const auto gangs = planned(node("n0") + zones("n0", "single-numa-node", "pod") + gang("a", 2, one_container(3)) +
                               gang("b", 1, one_container(2)));
    REQUIRE(gangs.size() == 2);
    CHECK(gangs[0].is_placed());
    CHECK_FALSE(gangs[1].is_placed());
    CHECK(gangs[1].message ==
          "group default/b needs 1 seat in one example.com/rack; the best, a, has room for 0: 1 missing "
          "(one NUMA zone of nvidia.com/gpu)");
}

TEST_CASE("a gang counts beside those that were planned before it, after an eviction elsewhere too (NU2)") {
    const auto cluster = node("n0") + zones("n0", "single-numa-node", "pod") + node("n1", "b") + R"(
apiVersion: v1
kind: Pod
metadata: {name: low}
spec:
  schedulerName: default-scheduler
  nodeName: n1
  priority: 1
  containers: [{name: main, resources: {limits: {nvidia.com/gpu: 8}}}]
status: {phase: Running}
---)";
    std::string preempting;
    SUBCASE("nobody is evicted") {}
    SUBCASE("a gang between them evicts") {
        preempting = gang_in("b", "b", 20, 1, 8);
    }
    const auto gangs =
        planned(cluster + gang_in("a", "a", 30, 2, 3) + preempting + gang_in("a", "c", 10, 1, 2), cli::Preemption::on);
    CHECK(gangs.front().is_placed());
    CHECK_FALSE(gangs.back().is_placed());
    CHECK(gangs.back().message.find("one NUMA zone of nvidia.com/gpu") != std::string::npos);
}

TEST_CASE("a gang that requires one NUMA zone goes to one zone of one node, or is refused (NU3)") {
    const std::string cluster =
        node("n0") + node("n1") + zones("n0", "single-numa-node", "pod") + zones("n1", "restricted", "pod");
    const auto placed = planned_alone(cluster + zone_gang("train", 4, one_container(1)));
    REQUIRE_MESSAGE(placed.is_placed(), placed.message);
    for (const auto& seat : placed.seats)
        CHECK(seat.node == "n0");
    const auto refused = planned_alone(cluster + zone_gang("train", 5, one_container(1)));
    CHECK(refused.message ==
          "group default/train needs 1 seat in one kubernetes.io/hostname; the best, n0, has room for 0 when empty: 1 "
          "missing (one NUMA zone of nvidia.com/gpu); a group in one NUMA zone counts as one seat");
    const auto both = planned(cluster + zone_gang("a", 3, one_container(1)) + zone_gang("b", 2, one_container(2)) +
                              gang("c", 1, one_container(2)));
    REQUIRE(both.size() == 3);
    CHECK(both[0].is_placed());
    CHECK(both[1].is_placed());
    CHECK(both[2].is_placed());  // On the other node: no zone of the first has two left.
    CHECK(both[2].seats.front().node == "n1");
}

TEST_CASE("without a node of the policy the gang is Invalid, with the reason (NU3)") {
    const auto refused =
        planned_alone(node("n0") + zones("n0", "restricted", "pod") + zone_gang("train", 2, one_container(1)));
    CHECK_FALSE(refused.is_placed());
    CHECK(
        refused.message ==
        "group \"default/train\": required level \"echelon.sh/numa\" needs nodes whose topology manager has the policy "
        "single-numa-node; no NodeResourceTopology shows one");
}

TEST_CASE("gangs by labels, and Gang objects with several groups, name the level, too (NU3)") {
    const std::string cluster = node("n0") + zones("n0", "single-numa-node", "pod");
    std::string labelled;
    for (int number = 0; number < 4; ++number) {
        labelled += fmt::format(R"(
apiVersion: v1
kind: Pod
metadata:
  name: train-{}
  labels: {{echelon.sh/gang: train}}
  annotations: {{echelon.sh/gang-minimum: "4", echelon.sh/gang-required-topology: echelon.sh/numa}}
spec: {{schedulerName: default-scheduler, containers: {}}}
---)",
                                number, one_container(1));
    }
    CHECK(planned_alone(cluster + labelled).is_placed());
    std::string of_groups = R"(
apiVersion: echelon.sh/v1alpha1
kind: Gang
metadata: {name: serve}
spec:
  requiredTopology: kubernetes.io/hostname
  groups:
  - {name: prefill, minimum: 2, requiredTopology: echelon.sh/numa}
  - {name: decode, minimum: 2, requiredTopology: echelon.sh/numa}
---)";
    for (const std::string group : {"prefill", "decode"}) {
        for (int number = 0; number < 2; ++number) {
            of_groups += fmt::format(R"(
apiVersion: v1
kind: Pod
metadata:
  name: serve-{0}-{1}
  labels: {{echelon.sh/gang: serve, echelon.sh/group: {0}}}
spec: {{schedulerName: default-scheduler, containers: {2}}}
---)",
                                     group, number, one_container(2));
        }
    }
    const auto placed = planned_alone(cluster + of_groups);
    CHECK_MESSAGE(placed.is_placed(), placed.message);
    const auto behind = planned(cluster + gang("before", 1, one_container(1)) + of_groups);
    REQUIRE(behind.size() == 2);
    CHECK(behind[0].is_placed());
    CHECK_FALSE(behind[1].is_placed());
}
