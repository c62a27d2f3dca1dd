// What is written without a complaint is placed as before (Z39), also where priorities, topologies or the labels of
// workload controllers say more than the group does.

#include "cli/translate.hpp"
#include "unit-tests/cli/translations.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::cli::testing {
namespace {

using nlohmann::json;

// Four nodes of 8 devices, two in each rack of one block.
std::string cluster() {
    std::string text;
    for (int node = 0; node < 4; ++node) {
        text += fmt::format(
            "{{apiVersion: v1, kind: Node, metadata: {{name: n{0}, labels: {{kubernetes.io/hostname: n{0}, "
            "example.com/block: b0, example.com/rack: r{1}}}}}, status: {{allocatable: {{pods: 110, nvidia.com/gpu: "
            "8}}, conditions: [{{type: Ready, status: 'True'}}]}}}}\n---\n",
            node, node / 2);
    }
    return text + "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 100}\n---\n";
}

// `metadata` and `spec`: further fields, in flow style.
std::string pod(const std::string& name, const std::string& metadata, const std::string& spec = "", int devices = 8) {
    return fmt::format(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {}{}}}, spec: {{containers: [{{name: c, resources: {{requests: "
        "{{nvidia.com/gpu: {}}}}}}}]{}}}}}\n---\n",
        name, metadata.empty() ? "" : ", " + metadata, devices, spec.empty() ? "" : ", " + spec);
}

// The translation, whose plan is compared with that of the original.
Translated round_trip(const std::string& text, Dialect target) {
    const auto original = manifests_of(cluster() + text);
    auto out = translated(original, settings_with_layers(), target, "default-scheduler");
    CAPTURE(out.documents);
    if (!out.documents.empty()) {
        const auto again = manifests_of(out.documents);
        const auto after = manifests_of(surroundings_of(original, pods_in(again)) + "---\n" + out.documents);
        CHECK(shown(decisions_of(after.events)) == shown(decisions_of(original.events)));
    }
    return out;
}

// The only complaint; empty: there is none, and something is written.
std::string complaint_about(const std::string& text, Dialect target) {
    const auto out = round_trip(text, target);
    CHECK(out.complaints.size() <= 1);
    CHECK(out.documents.empty() == !out.complaints.empty());
    return out.complaints.empty() ? std::string() : out.complaints.front();
}

const std::string gang = "{apiVersion: echelon.sh/v1alpha1, kind: Gang, metadata: {name: g}, spec: {minimum: 2";
const std::string high_gang = gang + ", priorityClassName: high}}\n---\n";

std::string members(const std::string& of_first = "", const std::string& of_second = "") {
    return pod("p0", "labels: {echelon.sh/gang: g}", of_first) + pod("p1", "labels: {echelon.sh/gang: g}", of_second);
}

// The same as a gang without an object.
std::string labelled_members(const std::string& of_first, const std::string& of_second) {
    const std::string marks = "labels: {echelon.sh/gang: g}, annotations: {echelon.sh/gang-minimum: '2'}";
    return pod("p0", marks, of_first) + pod("p1", marks, of_second);
}

TEST_CASE("the class of a gang is put on its pods where Kubernetes wants one priority of both (S26, Z39)") {
    const std::string pod_gang =
        "{apiVersion: scheduler.grove.io/v1alpha1, kind: PodGang, metadata: {name: g}, spec: {priorityClassName: high, "
        "podgroups: [{name: a, minReplicas: 2}]}}\n---\n" +
        pod("a-0", "labels: {grove.io/podgang: g, grove.io/podclique: a}") +
        pod("a-1", "labels: {grove.io/podgang: g, grove.io/podclique: a}");
    const std::string pod_group =
        "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g}, spec: {minMember: 2, "
        "priorityClassName: high}}\n---\n" +
        pod("a-0", "annotations: {scheduling.k8s.io/group-name: g}", "priority: 100") +
        pod("a-1", "annotations: {scheduling.k8s.io/group-name: g}");
    for (const auto& text : {pod_gang, pod_group, high_gang + members()}) {
        for (const auto target : {Dialect::kubernetes_1_36, Dialect::kubernetes_1_37}) {
            if (text == pod_gang && target == Dialect::kubernetes_1_36)
                continue;  // It has no groups of groups.
            CAPTURE(text);
            const auto out = round_trip(text, target);
            CHECK(out.complaints == std::vector<std::string>{});
            int pods = 0;
            for (const auto& document : manifests_of(out.documents).texts) {
                const auto object = json::parse(document);
                if (object["kind"] != "Pod")
                    continue;
                ++pods;
                CHECK(object["spec"]["priorityClassName"] == "high");
                CHECK_FALSE(object["spec"].contains("priority"));
            }
            CHECK(pods == 2);
        }
    }
}

TEST_CASE("a priority of pods that the gang's class replaces is reported (S26, Z39)") {
    const auto out = round_trip(high_gang + members("priority: 50"), Dialect::kubernetes_1_37);
    CHECK(out.complaints ==
          std::vector<std::string>{
              "gang \"default/g\": the priority of its pods is lost: in Kubernetes they have that of the gang"});
    CHECK_FALSE(out.documents.empty());
}

TEST_CASE("a gang whose pods have unlike priorities or preemption policies isn't written for Kubernetes (S26, Z39)") {
    CHECK(complaint_about(labelled_members("priority: 0", "priority: 1"), Dialect::kubernetes_1_37) ==
          "gang \"default/g\" isn't written: its pods \"p0\" and \"p1\" have priorities 0 and 1, in Kubernetes all "
          "have one");
    const std::string unlike =
        "gang \"default/g\" isn't written: its pods \"p0\" and \"p1\" have unlike preemption "
        "policies, in Kubernetes all have one";
    const auto policies = labelled_members("preemptionPolicy: PreemptLowerPriority", "preemptionPolicy: Never");
    CHECK(complaint_about(policies, Dialect::kubernetes_1_36) == unlike);
    CHECK(complaint_about(policies, Dialect::kubernetes_1_37) == unlike);
    CHECK(complaint_about(labelled_members("priority: 7", "priority: 7"), Dialect::kubernetes_1_37) == "");
}

TEST_CASE("a preemption policy that pods of the gang can't have isn't written for Kubernetes (S26, Z39)") {
    const auto stated = [](const std::string& fields, const std::string& of_pods) {
        return complaint_about(gang + fields + "}}\n---\n" + members(of_pods, of_pods), Dialect::kubernetes_1_37);
    };
    CHECK(stated(", preemptionPolicy: Never", "") ==
          "gang \"default/g\" isn't written: its preemption policy isn't that of pod \"p0\", in Kubernetes all have "
          "one");
    CHECK(stated(", preemptionPolicy: Never", "preemptionPolicy: Never") == "");
    CHECK(stated(", preemptionPolicy: Never, priorityClassName: high", "") ==
          "gang \"default/g\" isn't written: its preemption policy isn't that of its priority class \"high\", which "
          "its pods get");
    CHECK(stated(", preemptionPolicy: PreemptLowerPriority, priorityClassName: high", "") == "");
    // Nothing is known of this class, so the gang's word is taken.
    CHECK(stated(", preemptionPolicy: Never, priorityClassName: other", "") == "");
}

TEST_CASE("only a usable Topology of KAI is named for KAI (Z22, Z39)") {
    const auto topology = [](const std::string& api, const std::string& name, const std::string& levels) {
        return fmt::format("{{apiVersion: {}, kind: Topology, metadata: {{name: {}}}, spec: {{levels: [{}]}}}}\n---\n",
                           api, name, levels);
    };
    const std::string levels = "{nodeLabel: example.com/block}, {nodeLabel: example.com/rack}";
    const std::string text = gang + ", requiredTopology: example.com/rack}}\n---\n" + members();
    const std::string sentence =
        "gang \"default/g\" isn't written: group \"default/g\" asks for level \"example.com/rack\", which is of no "
        "Topology of KAI in the input with the same domains: KAI needs its name";
    CHECK(complaint_about(topology("kueue.x-k8s.io/v1beta1", "z", levels) + text, Dialect::kai) == sentence);
    const std::string faulty = levels + ", {nodeLabel: example.com/rack}";
    CHECK(complaint_about(topology("kai.scheduler/v1alpha1", "t", faulty) + text, Dialect::kai) == sentence);
    CHECK(complaint_about(topology("kai.scheduler/v1alpha1", "t", levels) + text, Dialect::kai) == "");
}

// Pods of a replica with two sub-groups of two.
std::string replica_with_sub_groups() {
    std::string text;
    for (int index = 0; index < 4; ++index) {
        text +=
            pod(fmt::format("l-0-{}", index),
                fmt::format("labels: {{leaderworkerset.sigs.k8s.io/name: l, leaderworkerset.sigs.k8s.io/group-index: "
                            "'0', leaderworkerset.sigs.k8s.io/group-key: k0, "
                            "leaderworkerset.sigs.k8s.io/worker-index: '{}', "
                            "leaderworkerset.sigs.k8s.io/subgroup-index: '{}'}}, annotations: "
                            "{{leaderworkerset.sigs.k8s.io/size: '4', leaderworkerset.sigs.k8s.io/subgroup-size: "
                            "'2', leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: example.com/rack}}",
                            index, index / 2));
    }
    return text;
}

TEST_CASE("a level of a sub-group isn't written where labels that stay would bind the whole replica (Z39)") {
    CHECK(complaint_about(replica_with_sub_groups(), Dialect::kueue) ==
          "gang \"default/l/0\" isn't written: pod \"l-0-0\" keeps the labels of group \"default/l/0/0\", so that the "
          "level \"example.com/rack\" would bind group \"default/l/0\"");
    CHECK(complaint_about(replica_with_sub_groups(), Dialect::kubernetes_1_37) == "");
}

// Pods of the Jobs of a JobSet. `further`: labels and annotations of pods of Job `index`.
std::string pods_of_jobs(const std::string& labels, const std::string& annotations, const std::string& spec = "") {
    std::string text;
    for (int job = 0; job < 2; ++job) {
        for (int index = 0; index < 2; ++index) {
            text += pod(fmt::format("s-a-{}-{}", job, index),
                        fmt::format("labels: {{jobset.sigs.k8s.io/jobset-name: s, jobset.sigs.k8s.io/jobset-uid: U, "
                                    "jobset.sigs.k8s.io/replicatedjob-name: a, jobset.sigs.k8s.io/job-index: '{0}', "
                                    "jobset.sigs.k8s.io/job-key: k{0}, jobset.sigs.k8s.io/restart-attempt: '0', "
                                    "batch.kubernetes.io/job-completion-index: '{1}'{2}}}, annotations: {{{3}}}",
                                    job, index, labels, annotations),
                        spec);
        }
    }
    return text;
}

TEST_CASE("Kueue's request leaves the pods once the groups state it (Z39)") {
    const std::string set =
        "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: s, uid: U}, spec: {replicatedJobs: "
        "[{name: a, replicas: 2, template: {spec: {parallelism: 2, completions: 2, template: {spec: {containers: "
        "[{name: c}]}}}}}]}}\n---\n";
    const auto text = set + pods_of_jobs("", "kueue.x-k8s.io/podset-slice-required-topology: example.com/rack");
    for (const auto target : {Dialect::echelon, Dialect::grove, Dialect::kubernetes_1_37})
        CHECK(complaint_about(text, target) == "");
}

TEST_CASE("a gang whose pods keep labels with precedence over the target's isn't written (Z39)") {
    const auto labelled =
        pods_of_jobs(", echelon.sh/gang: t, jobset.sigs.k8s.io/global-replicas: '2'", "echelon.sh/gang-minimum: '4'");
    CHECK(complaint_about(labelled, Dialect::kueue) ==
          "gang \"default/t\" isn't written: pod \"s-a-0-0\" keeps the labels of group \"default/s/a/0\", which have "
          "precedence over what is written");
    const auto pod_group = [](int minimum) {
        return fmt::format(
            "{{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {{name: v}}, spec: "
            "{{schedulingPolicy: {{gang: {{minCount: {}}}}}}}}}\n---\n",
            minimum);
    };
    const std::string spec = "schedulingGroup: {podGroupName: v}";
    const auto grouped = pod_group(4) + pods_of_jobs("", "", spec);
    CHECK(complaint_about(grouped, Dialect::kueue).find("keeps the labels of group \"default/s/a/0\"") !=
          std::string::npos);
    std::string roles = pod_group(2);
    for (const auto* role : {"p", "d"}) {
        roles +=
            pod(fmt::format("d-{}-0", role),
                fmt::format("labels: {{leaderworkerset.sigs.k8s.io/name: d-{0}, "
                            "leaderworkerset.sigs.k8s.io/group-index: '0', leaderworkerset.sigs.k8s.io/group-key: "
                            "k0, leaderworkerset.sigs.k8s.io/worker-index: '0', disaggregatedset.x-k8s.io/name: d, "
                            "disaggregatedset.x-k8s.io/role: {0}, disaggregatedset.x-k8s.io/revision: r}}, "
                            "annotations: {{leaderworkerset.sigs.k8s.io/size: '1'}}",
                            role),
                spec, 1);
    }
    CHECK(complaint_about(roles, Dialect::leader_worker_set).find("keeps the labels of group \"default/d/0/r/") !=
          std::string::npos);
}

}  // namespace
}  // namespace echelon::cli::testing
