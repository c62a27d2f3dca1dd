#include "kube/core/pod_decoder.hpp"

#include "kube/decode.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using model::GroupKey;
using model::Pod;
using model::PodPhase;
using nlohmann::json;

json pod(const std::string& parts) {
    json out = json::parse(parts);
    out["apiVersion"] = "v1";
    out["kind"] = "Pod";
    out["metadata"]["name"] = "p";
    return out;
}

Pod read(const std::string& parts) {
    const auto events = decode(pod(parts), Change::seen);
    REQUIRE_MESSAGE(events, (events ? "" : events.error().sentence));
    return std::get<model::PodSeen>(events->at(0)).pod;
}

TEST_CASE("a pod is read with everything that decides about it") {
    const Pod seen = read(R"({
        "metadata": {"namespace": "ml", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z",
                     "deletionTimestamp": "2026-01-02T00:00:00Z", "annotations": {"echelon.sh/plan": "7"},
                     "labels": {"batch.kubernetes.io/job-completion-index": "3"}},
        "spec": {"schedulerName": "echelon-scheduler", "nodeName": "n1", "priority": 100, "preemptionPolicy": "Never",
                 "schedulingGates": [{"name": "other"}, {"name": "echelon.sh/gang"}],
                 "nodeSelector": {"disk": "ssd"}, "schedulingGroup": {"podGroupName": "workers"},
                 "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]},
        "status": {"phase": "Running", "nominatedNodeName": "n2"}})");
    Pod expected;
    expected.uid = "u";
    expected.ns = "ml";
    expected.name = "p";
    expected.scheduler_name = "echelon-scheduler";
    expected.node = "n1";
    expected.nominated_node = "n2";
    expected.phase = PodPhase::running;
    expected.deleting = true;
    expected.pod_class.requests = {{"cpu", 1000}, {"pods", 1}};
    expected.pod_class.node_selector = {{"disk", "ssd"}};
    expected.gates = {"other", "echelon.sh/gang"};
    expected.priority = 100;
    expected.preempts = false;
    expected.created = 1767225600;
    expected.membership =
        model::Membership{.leaf = {"podgroup", "ml/workers"}, .declared = {}, .rank = 3, .attempt = ""};
    expected.plan = std::string("7");
    CHECK(seen == expected);
}

TEST_CASE("a pod of a few lines has the defaults of the API server") {
    const Pod seen = read("{}");
    CHECK(seen.uid == "default/p");
    CHECK(seen.ns == "default");
    CHECK(seen.scheduler_name == "default-scheduler");
    CHECK(seen.phase == PodPhase::pending);
    CHECK(seen.preempts);
    CHECK(seen.priority == 0);
    CHECK(seen.pod_class.requests == model::Amounts{{"pods", 1}});
    CHECK_FALSE(seen.membership);
    CHECK_FALSE(seen.pod_class.node_affinity);
}

TEST_CASE("the field of Kubernetes comes before labels, and nothing falls through") {
    const std::string labels =
        R"("labels": {"echelon.sh/gang": "train"}, "annotations": {"echelon.sh/gang-minimum": "2"})";
    CHECK(read("{\"metadata\": {" + labels + "}}").membership->leaf == GroupKey{"label-gang", "default/train"});
    const Pod both = read("{\"metadata\": {" + labels + R"(}, "spec": {"schedulingGroup": {"podGroupName": "g"}}})");
    CHECK(both.membership->leaf == GroupKey{"podgroup", "default/g"});
    CHECK(both.membership->declared.empty());
    const Pod older =
        read("{\"metadata\": {" + labels + R"(}, "spec": {"workloadRef": {"name": "w", "podGroup": "a"}}})");
    CHECK(older.membership->leaf == GroupKey{"workload-podgroup", "default/w/a"});
}

TEST_CASE("the rank is the index that a Job or a StatefulSet gave, if it is a number") {
    const auto rank = [](const std::string& label) {
        return read("{\"metadata\": {\"labels\": {\"echelon.sh/gang\": \"a\", " + label + "}}}").membership->rank;
    };
    CHECK(rank(R"("batch.kubernetes.io/job-completion-index": "12")") == 12);
    CHECK(rank(R"("apps.kubernetes.io/pod-index": "7")") == 7);
    CHECK(rank(R"("batch.kubernetes.io/job-completion-index": "x", "apps.kubernetes.io/pod-index": "7")") == 7);
    CHECK(rank(R"("apps.kubernetes.io/pod-index": "7th")") == -1);
    CHECK(rank(R"("apps.kubernetes.io/pod-index": "-2")") == -1);
    CHECK(rank(R"("other": "1")") == -1);
}

TEST_CASE("wrong fields of a pod are errors with their path (A3)") {
    struct Row {
        std::string parts;
        std::string fault;
    };
    const Row rows[] = {
        {R"({"spec": {"nodeName": 1}})", "spec.nodeName: must be a string, not 1"},
        {R"({"spec": {"priority": "high"}})", "spec.priority: must be an integer, not \"high\""},
        {R"({"spec": {"preemptionPolicy": "Maybe"}})",
         "spec.preemptionPolicy: must be Never or PreemptLowerPriority, not \"Maybe\""},
        {R"({"spec": {"schedulingGates": [{}]}})", "spec.schedulingGates[0].name is missing"},
        {R"({"spec": {"schedulingGroup": {"podGroupName": 7}}})",
         "spec.schedulingGroup.podGroupName: must be a string, not 7"},
        {R"({"spec": {"workloadRef": {"name": "w"}}})", "spec.workloadRef.podGroup is missing"},
        {R"({"status": {"phase": "Lost"}})", "status.phase: \"Lost\" isn't a phase of a pod"},
        {R"({"metadata": {"creationTimestamp": "yesterday"}})",
         "metadata.creationTimestamp: \"yesterday\" isn't a time (RFC 3339)"},
        {R"({"metadata": {"labels": {"echelon.sh/gang": true}}})",
         "metadata.labels[\"echelon.sh/gang\"]: must be a string, not true"},
        {R"({"metadata": {"labels": {"echelon.sh/gang": "a"}, "annotations": {"echelon.sh/gang-minimum": 2}}})",
         "metadata.annotations[\"echelon.sh/gang-minimum\"]: must be a string, not 2"},
        {R"({"spec": {"nodeSelector": {"a": 1}}})", "spec.nodeSelector.a: must be a string, not 1"},
    };
    for (const Row& row : rows) {
        const auto events = decode(pod(row.parts), Change::seen);
        REQUIRE_FALSE(events);
        CHECK(events.error().sentence == "Pod default/p: " + row.fault);
    }
}

TEST_CASE("marks by which a pod names its group, dialect by dialect (A3)") {
    struct Row {
        json labels, annotations;
        std::string fault;
    };
    const auto label = [](const std::string& key) { return "metadata.labels[\"" + key + "\"]"; };
    const auto annotation = [](const std::string& key) { return "metadata.annotations[\"" + key + "\"]"; };
    const std::string lws = "leaderworkerset.sigs.k8s.io/";
    const std::string job = "jobset.sigs.k8s.io/";
    const std::string kueue = "kueue.x-k8s.io/";
    const json replica = {{lws + "name", "l"}, {lws + "group-index", "0"}, {lws + "group-key", "k"}};
    const std::vector<Row> rows = {
        {{{"echelon.sh/gang", 7}}, nullptr, label("echelon.sh/gang")},
        {{{"grove.io/podgang", 7}}, nullptr, label("grove.io/podgang")},
        {{{"grove.io/podgang", "g"}, {"grove.io/podclique", 7}}, nullptr, label("grove.io/podclique")},
        {nullptr, {{"pod-group-name", 7}}, "metadata.annotations.pod-group-name"},
        {{{"kai.scheduler/subgroup-name", 7}}, {{"pod-group-name", "g"}}, label("kai.scheduler/subgroup-name")},
        {nullptr, {{"scheduling.k8s.io/group-name", 7}}, annotation("scheduling.k8s.io/group-name")},
        {nullptr, {{"scheduling.volcano.sh/group-name", 7}}, annotation("scheduling.volcano.sh/group-name")},
        {{{"scheduling.x-k8s.io/pod-group", 7}}, nullptr, label("scheduling.x-k8s.io/pod-group")},
        {{{"pod-group.scheduling.sigs.k8s.io", 7}}, nullptr, label("pod-group.scheduling.sigs.k8s.io")},
        {{{"pod-group.scheduling.sigs.k8s.io/name", 7}}, nullptr, label("pod-group.scheduling.sigs.k8s.io/name")},
        {nullptr, {{"gang.scheduling.koordinator.sh/name", 7}}, annotation("gang.scheduling.koordinator.sh/name")},
        {{{"disaggregatedset.x-k8s.io/name", 7}}, nullptr, label("disaggregatedset.x-k8s.io/name")},
        {{{lws + "name", 7}}, nullptr, label(lws + "name")},
        {replica, {{lws + "size", 7}}, annotation(lws + "size")},
        {{{job + "jobset-name", 7}}, nullptr, label(job + "jobset-name")},
        {{{job + "job-index", 7}}, nullptr, label(job + "job-index")},
        {{{kueue + "podset", 7}}, {{kueue + "workload", "w"}}, label(kueue + "podset")},
        {{{kueue + "podset", "p"}}, {{kueue + "workload", 7}}, annotation(kueue + "workload")},
        {{{kueue + "pod-group-name", 7}}, nullptr, label(kueue + "pod-group-name")},
    };
    for (const Row& row : rows) {
        CAPTURE(row.fault);
        json written = pod("{}");
        written["metadata"]["labels"] = row.labels;
        written["metadata"]["annotations"] = row.annotations;
        const auto events = decode(written, Change::seen);
        REQUIRE_FALSE(events);
        CHECK(events.error().sentence == "Pod default/p: " + row.fault + ": must be a string, not 7");
    }
}

}  // namespace
}  // namespace echelon::kube
