// What binds a group of another dialect that has the pods of an exclusive replica or Job? (Z18)

#include "kube/manifests.hpp"
#include "model/cluster/cluster.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::kube {
namespace {

const std::string rack = "example.com/rack";

// A node, and a PodGroup of three pods.
const std::string cluster_text = R"(apiVersion: v1
kind: Node
metadata: {name: n0, labels: {example.com/rack: r0, example.com/block: b0}}
status: {allocatable: {pods: 110}}
---
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: g, namespace: ns}
spec: {schedulingPolicy: {gang: {minCount: 3}}}
)";

std::string pod(const std::string& name, const std::string& labels, const std::string& annotations,
                const std::string& spec) {
    return fmt::format(
        "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: {}\n  namespace: ns\n  labels: {{{}}}\n  "
        "annotations: {{{}}}\nspec: {{{}}}\n",
        name, labels, annotations, spec);
}

const std::string in_pod_group = "schedulingGroup: {podGroupName: g}";

model::Gang gang_of(const std::string& pods) {
    const auto read = read_manifest_text(cluster_text + pods, "the text");
    REQUIRE_MESSAGE(read, (read ? "" : read.error().sentence));
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    for (const auto& event : read->events)
        static_cast<void>(cluster.apply(event));
    const auto roots = cluster.roots();
    const auto of_pods = std::ranges::find_if(
        roots, [&](const model::GroupKey& root) { return !cluster.gang(root, cluster.snapshot()).members.empty(); });
    REQUIRE(of_pods != roots.end());
    return cluster.gang(*of_pods, cluster.snapshot());
}

std::string sentence_of(const model::Gang& gang) {
    return gang.problem ? gang.problem->sentence : "";
}

bool is_warned(const model::Gang& gang, const std::string& label) {
    const auto sentence = fmt::format(
        "group \"ns/g\": required level \"{}\" is of parts of the group, by label \"{}\": "
        "it is left to the affinity of their pods",
        rack, label);
    return std::ranges::find(gang.warnings, sentence) != gang.warnings.end();
}

// The number of levels that the first leaf requires.
std::size_t levels_of(const model::Gang& gang) {
    return std::ranges::find_if(gang.groups, &model::GangGroup::is_leaf)->required.size();
}

std::string replica_pod(int worker, const std::string& key, const std::string& more, const std::string& spec,
                        const std::string& marks = "", const std::string& part = "") {
    const std::string lws = "leaderworkerset.sigs.k8s.io/";
    std::string labels = fmt::format("{0}group-key: {1}, {0}worker-index: \"{2}\"", lws, key, worker);
    if (!part.empty())
        labels += fmt::format(", {}subgroup-key: {}", lws, part);
    return pod(fmt::format("{}-{}", key, worker), labels + marks, more, spec);
}

const std::string size = "leaderworkerset.sigs.k8s.io/size: \"3\"";
const std::string exclusive_replica = size + ", leaderworkerset.sigs.k8s.io/exclusive-topology: " + rack;
const std::string exclusive_part = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: " + rack +
                                   ", leaderworkerset.sigs.k8s.io/subgroup-size: ";

TEST_CASE("a gang that pods declare gets the level of the exclusive replica, and seats for late workers (Z18)") {
    struct Row {
        const char* name;
        std::string annotations, labels;
    };
    const std::vector<Row> rows = {
        {"gang by labels", "echelon.sh/gang-minimum: \"3\"", ", echelon.sh/gang: t"},
        {"group by labels", "echelon.sh/gang-minimum: \"1\", echelon.sh/group-minimum: \"3\"",
         ", echelon.sh/gang: t, echelon.sh/group: w"},
        {"Koordinator's annotations",
         "gang.scheduling.koordinator.sh/name: t, gang.scheduling.koordinator.sh/min-available: \"3\"", ""},
    };
    for (const Row& row : rows) {
        SUBCASE(row.name) {
            const auto one = [&](int worker) {
                return replica_pod(worker, "k", exclusive_replica + ", " + row.annotations, "", row.labels);
            };
            const auto leader = gang_of(one(0));
            CHECK(sentence_of(leader) == "");
            CHECK(levels_of(leader) == 1);
            CHECK(std::ranges::count_if(leader.members, &model::Member::is_placeholder) == 2);
            const auto all = gang_of(one(0) + one(1) + one(2));
            CHECK(levels_of(all) == 1);
            CHECK(all.members.size() == 3);
        }
    }
}

TEST_CASE("levels of several replicas in one group are left to their pods, and that is said (Z18)") {
    const auto one = [](int worker, const std::string& key) {
        return replica_pod(worker, key, exclusive_replica, in_pod_group);
    };
    const auto gang = gang_of(one(0, "k") + one(1, "k") + one(0, "l"));
    CHECK(levels_of(gang) == 0);
    CHECK(is_warned(gang, "leaderworkerset.sigs.k8s.io/group-key"));
    CHECK(std::ranges::count_if(gang.members, &model::Member::is_placeholder) == 0);
}

TEST_CASE("the level of a sub-group binds a group whose pods are all of it (Z18)") {
    const auto one = [](int worker, const std::string& annotations, const std::string& part) {
        return replica_pod(worker, "k", annotations, in_pod_group, "", part);
    };
    const std::string of_three = size + ", " + exclusive_part + "\"3\"";
    const auto whole = gang_of(one(0, of_three, "a") + one(1, of_three, "a") + one(2, of_three, "a"));
    CHECK(levels_of(whole) == 1);
    CHECK(whole.warnings.empty());
    const std::string of_one = size + ", " + exclusive_part + "\"1\"";
    const auto several = gang_of(one(0, of_one, "a") + one(1, of_one, "b") + one(2, of_one, "c"));
    CHECK(levels_of(several) == 0);
    CHECK(is_warned(several, "leaderworkerset.sigs.k8s.io/subgroup-key"));
    // While a leader is alone, its workers of other sub-groups are still to come.
    const std::string late = ", leaderworkerset.sigs.k8s.io/exclusive-topology: example.com/block";
    const auto leader = gang_of(one(0, of_one + late, "a"));
    CHECK(is_warned(leader, "leaderworkerset.sigs.k8s.io/subgroup-key"));
    CHECK_FALSE(is_warned(gang_of(one(0, of_three + late, "a")), "leaderworkerset.sigs.k8s.io/subgroup-key"));
}

std::string job_pod(const std::string& job, int index, bool is_exclusive = true, int jobs = 2) {
    return pod(fmt::format("{}-{}", job, index),
               fmt::format("jobset.sigs.k8s.io/job-key: {}, jobset.sigs.k8s.io/global-replicas: \"{}\"", job, jobs),
               is_exclusive ? "alpha.jobset.sigs.k8s.io/exclusive-topology: " + rack : "", in_pod_group);
}

TEST_CASE("the level of a Job binds a group whose pods are all of it, however many Jobs there are (Z18)") {
    const auto one = gang_of(job_pod("a", 0) + job_pod("a", 1) + job_pod("a", 2));
    CHECK(levels_of(one) == 1);
    CHECK(one.warnings.empty());
    const std::string label = "jobset.sigs.k8s.io/job-key";
    const auto several = gang_of(job_pod("a", 0) + job_pod("a", 1) + job_pod("b", 0));
    CHECK(levels_of(several) == 0);
    CHECK(is_warned(several, label));
    const auto beside = gang_of(job_pod("a", 0) + job_pod("a", 1) + job_pod("driver", 0, false));
    CHECK(levels_of(beside) == 0);
    CHECK(is_warned(beside, label));
}

TEST_CASE("the annotation of exclusive topology on pods alone binds their Job, and its pods come late (Z18)") {
    const std::string set = R"(---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: s, namespace: ns}
spec: {replicatedJobs: [{name: w, template: {spec: {parallelism: 3}}}]}
)";
    const auto of_set = [&](const std::string& annotations) {
        return gang_of(set + pod("w-0",
                                 "jobset.sigs.k8s.io/jobset-name: s, jobset.sigs.k8s.io/replicatedjob-name: w, "
                                 "jobset.sigs.k8s.io/job-index: \"0\"",
                                 annotations, ""));
    };
    CHECK(sentence_of(of_set("")) != "");
    const auto gang = of_set("alpha.jobset.sigs.k8s.io/exclusive-topology: " + rack);
    CHECK(sentence_of(gang) == "");
    CHECK(levels_of(gang) == 1);
    CHECK(std::ranges::count_if(gang.members, &model::Member::is_placeholder) == 2);
}

}  // namespace
}  // namespace echelon::kube
