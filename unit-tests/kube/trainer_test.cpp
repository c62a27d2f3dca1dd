// How is a TrainJob of Kubeflow Trainer planned as its pods come and go? It creates a JobSet, and a PodGroup that
// counts pods which never run together.

#include "kube/manifests.hpp"
#include "model/cluster/cluster.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::kube {
namespace {

// An initializer, and two Jobs of three trainers that wait for it.
const std::string objects = R"(apiVersion: v1
kind: Node
metadata: {name: n0}
status: {allocatable: {pods: 110}}
---
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: train, namespace: ns}
spec: {minMember: 7, scheduleTimeoutSeconds: 60}
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, namespace: ns}
spec:
  replicatedJobs:
  - name: initializer
    template: {spec: {template: {metadata: {labels: {scheduling.x-k8s.io/pod-group: train}}}}}
  - name: node
    replicas: 2
    dependsOn: [{name: initializer, status: Complete}]
    template: {spec: {parallelism: 3, template: {metadata: {labels: {scheduling.x-k8s.io/pod-group: train}}}}}
)";

std::string pod(const std::string& job, int number, const std::string& phase) {
    const std::string spec = phase == "Pending" ? "{}" : "{nodeName: n0}";
    return fmt::format(R"(---
apiVersion: v1
kind: Pod
metadata:
  name: {0}-{1}
  namespace: ns
  labels: {{scheduling.x-k8s.io/pod-group: train, jobset.sigs.k8s.io/jobset-name: train,
           jobset.sigs.k8s.io/replicatedjob-name: {0}, jobset.sigs.k8s.io/job-index: "0"}}
spec: {2}
status: {{phase: {3}}}
)",
                       job, number, spec, phase);
}

std::string trainers(const std::string& phase) {
    std::string out;
    for (int at = 0; at < 6; ++at)
        out += pod("node", at, phase);
    return out;
}

model::Gang gang_with(const std::string& pods, const std::string& before = objects) {
    const auto read = read_manifest_text(before + pods, "the text");
    REQUIRE_MESSAGE(read, (read ? "" : read.error().sentence));
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    for (const auto& event : read->events)
        static_cast<void>(cluster.apply(event));
    REQUIRE(cluster.roots().size() == 1);
    CHECK(cluster.roots().front() == model::GroupKey{"x-k8s-podgroup", "ns/train"});
    return cluster.gang(cluster.roots().front(), cluster.snapshot());
}

std::int64_t placeholders_in(const model::Gang& gang) {
    return std::ranges::count_if(gang.members, &model::Member::is_placeholder);
}

TEST_CASE("initializers alone pass the barrier of a TrainJob, and its trainers need their room later (H7, Z31)") {
    for (const std::string phase : {"Pending", "Running"}) {
        const auto gang = gang_with(pod("initializer", 0, phase));
        CHECK_FALSE(gang.problem);
        CHECK(placeholders_in(gang) == 6);
        CHECK(gang.groups.front().minimum == 1);
        CHECK(gang.groups.front().later == 7);
        CHECK(gang.groups.front().after == std::vector<std::uint32_t>{0});
    }
    CHECK(gang_with(pod("initializer", 0, "Succeeded")).groups.front().later == 0);
    CHECK(gang_with(pod("initializer", 0, "Running") + pod("node", 0, "Pending")).groups.front().later == 0);
}

TEST_CASE("initializers that run or have finished count beside trainers, here or still to come (H7)") {
    for (const std::string phase : {"Running", "Succeeded"}) {
        CAPTURE(phase);
        const auto before = gang_with(pod("initializer", 0, phase));
        CHECK_FALSE(before.problem);
        CHECK(placeholders_in(before) == 6);
        for (const std::string theirs : {"Pending", "Running"}) {
            CAPTURE(theirs);
            const auto after = gang_with(pod("initializer", 0, phase) + trainers(theirs));
            CHECK_FALSE(after.problem);
            CHECK(placeholders_in(after) == 0);
        }
    }
}

// The JobSet has counted the initializer's Job.
std::string with_status(std::string text) {
    const auto at = text.find("spec:\n  replicatedJobs");
    return text.insert(at, "status: {replicatedJobsStatus: [{name: initializer, succeeded: 1}]}\n");
}

TEST_CASE("initializers whose pods are gone aren't needed any more, and no pod is counted twice (H7)") {
    const auto gang_after = [](const std::string& pods) { return gang_with(pods, with_status(objects)); };
    // Before the first trainer comes.
    const auto between = gang_after("");
    CHECK_FALSE(between.problem);
    CHECK(placeholders_in(between) == 6);
    CHECK(between.groups.front().minimum == 6);
    CHECK(between.groups.front().at_barrier == 0);
    // Its pod is still there.
    const auto both = gang_after(pod("initializer", 0, "Succeeded"));
    CHECK_FALSE(both.problem);
    CHECK(placeholders_in(both) == 6);
    CHECK(both.groups.front().minimum == 7);
    // Some trainers are there, or all of them.
    const auto some = gang_after(pod("node", 0, "Running") + pod("node", 1, "Pending"));
    CHECK_FALSE(some.problem);
    CHECK(placeholders_in(some) == 4);
    CHECK(some.groups.front().at_barrier == 2);
    for (const std::string theirs : {"Pending", "Running"}) {
        const auto all = gang_after(trainers(theirs));
        CHECK_FALSE(all.problem);
        CHECK(placeholders_in(all) == 0);
        CHECK(all.groups.front().minimum == 6);
    }
    // Without the count the room of the initializer would be asked for once more.
    CHECK(placeholders_in(gang_with(trainers("Running"), objects)) == 1);
}

TEST_CASE("a TrainJob without pods begins nothing (H2)") {
    const auto gang = gang_with("");
    REQUIRE(gang.problem);
    CHECK(gang.problem->sentence == "group \"ns/train\" has no pod yet");
}

}  // namespace
}  // namespace echelon::kube
