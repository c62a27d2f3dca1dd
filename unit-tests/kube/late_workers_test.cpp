// Which gang do a LeaderWorkerSet and its pods form while workers are still to be created?

#include "kube/decode.hpp"
#include "kube/manifests.hpp"
#include "model/cluster/cluster.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

const std::string nodes = R"(apiVersion: v1
kind: Node
metadata: {name: n0, labels: {example.com/rack: r0, example.com/clique: c0}}
status: {allocatable: {pods: 110}}
)";

std::string leader_worker_set(const std::string& policy) {
    return "---\napiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: serve, namespace: "
           "ns}\n"
           "spec:\n  startupPolicy: " +
           policy +
           "\n  leaderWorkerTemplate:\n    size: 5\n    workerTemplate: {spec: {containers: [{name: c, resources: "
           "{requests: {cpu: 7}}}]}}\n";
}

// `more`: annotations beside the size; `part`: the sub-group, if there are any.
std::string pod(int worker, const std::string& more = "", const std::string& part = "", const std::string& node = "") {
    return fmt::format(R"(---
apiVersion: v1
kind: Pod
metadata:
  name: serve-0-{0}
  namespace: ns
  labels: {{leaderworkerset.sigs.k8s.io/name: serve, leaderworkerset.sigs.k8s.io/group-index: "0",
           leaderworkerset.sigs.k8s.io/group-key: k, leaderworkerset.sigs.k8s.io/worker-index: "{0}"{1}}}
  annotations: {{leaderworkerset.sigs.k8s.io/size: "5"{2}}}
spec: {{containers: [{{name: c, resources: {{requests: {{cpu: 1}}}}}}]{3}}}
)",
                       worker, part.empty() ? "" : ", leaderworkerset.sigs.k8s.io/subgroup-index: \"" + part + "\"",
                       more.empty() ? "" : ", " + more, node.empty() ? "" : ", nodeName: " + node);
}

model::Change show(model::Cluster& cluster, const std::string& text) {
    const auto read = read_manifest_text(text, "the text");
    REQUIRE_MESSAGE(read, (read ? "" : read.error().sentence));
    model::Change change;
    for (const auto& event : read->events)
        change = cluster.apply(event);
    return change;
}

model::Cluster cluster_with(const std::string& text) {
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    static_cast<void>(show(cluster, nodes + text));
    REQUIRE(cluster.roots().size() == 1);
    return cluster;
}

model::Gang gang_with(const std::string& text) {
    const auto cluster = cluster_with(text);
    return cluster.gang(cluster.roots().front(), cluster.snapshot());
}

std::string problem_of(const model::Gang& gang) {
    return gang.problem ? std::string(model::to_string(gang.problem->reason)) + ": " + gang.problem->sentence : "";
}

// Placeholders and what the barrier waits for, leaf by leaf: "1+4 1".
std::string told(const model::Gang& gang) {
    std::string out;
    for (const auto& group : gang.groups) {
        if (!group.is_leaf)
            continue;
        const auto first = gang.members.begin() + group.first_member;
        const auto last = gang.members.begin() + group.last_member;
        const auto placeholders =
            std::count_if(first, last, [](const model::Member& member) { return member.is_placeholder; });
        const auto barrier = group.at_barrier < 0 ? group.minimum : group.at_barrier;
        out += fmt::format("{}{}+{} {}", out.empty() ? "" : ", ", last - first - placeholders, placeholders, barrier);
    }
    return out;
}

const std::string exclusive = "leaderworkerset.sigs.k8s.io/exclusive-topology: example.com/rack";
const std::string cut = "leaderworkerset.sigs.k8s.io/subgroup-size: \"2\"";
const std::string apart = cut + ", leaderworkerset.sigs.k8s.io/subgroup-policy-type: LeaderExcluded";

TEST_CASE("that workers come after their leader is ready is read from the LeaderWorkerSet (Z15)") {
    const auto ready = gang_with(leader_worker_set("LeaderReady") + pod(0));
    CHECK(problem_of(ready) == "");
    CHECK(told(ready) == "1+4 1");
    CHECK(ready.warnings.empty());
    // Without it they are waited for, as under LeaderCreated.
    for (const std::string& object : {std::string(), leader_worker_set("LeaderCreated")})
        CHECK(problem_of(gang_with(object + pod(0))) == "Incomplete: group \"ns/serve/0\" has 1 of at least 5 pods");
    // Under exclusive topology the annotation suffices, and the object still says what they are like.
    const auto alone = gang_with(pod(0, exclusive));
    CHECK(problem_of(alone) == "");
    CHECK(told(alone) == "1+4 1");
    CHECK(alone.warnings.size() == 1);
    CHECK(gang_with(leader_worker_set("LeaderCreated") + pod(0, exclusive)).warnings.empty());
}

TEST_CASE("the annotation of exclusive topology suffices on any of the pods (Z18)") {
    const auto gang = gang_with(pod(0, exclusive) + pod(1));
    CHECK(problem_of(gang) == "");
    CHECK(gang.groups.front().required.size() == 1);
    CHECK(told(gang) == "2+3 2");
    CHECK(gang_with(pod(0) + pod(1, exclusive)).groups.front().required.size() == 1);
}

TEST_CASE("a leader alone is planned with all its sub-groups, and passes the barrier alone (H2, H3)") {
    struct Row {
        const char* name;
        std::string object, annotations, part, told;
    };
    const std::vector<Row> rows = {
        {"LeaderReady", leader_worker_set("LeaderReady"), cut, "0", "1+2 1, 0+2 0"},
        {"exclusive topology", "", cut + ", " + exclusive, "0", "1+2 1, 0+2 0"},
        {"LeaderReady, the leader apart", leader_worker_set("LeaderReady"), apart, "", "0+2 0, 0+2 0, 1+0 1"},
        {"exclusive topology, the leader apart", "", apart + ", " + exclusive, "", "0+2 0, 0+2 0, 1+0 1"},
    };
    for (const Row& row : rows) {
        SUBCASE(row.name) {
            const auto gang = gang_with(row.object + pod(0, row.annotations, row.part));
            CHECK(problem_of(gang) == "");
            CHECK(told(gang) == row.told);
        }
    }
    CHECK(problem_of(gang_with(pod(0, cut, "0"))) ==
          "Incomplete: group \"ns/serve/0\" has 0 of at least 2 groups with enough pods, \"ns/serve/0/0\" has 1 of at "
          "least 3 pods");
}

// The LeaderWorkerSet controller (v0.9.0) writes the sub-group policy on leaders alone.
TEST_CASE("workers without the leader's sub-group policy follow the leader's declaration") {
    const auto some = gang_with(pod(0, apart + ", " + exclusive) + pod(1, cut, "0"));
    CHECK(problem_of(some) == "");
    CHECK(told(some) == "1+1 1, 0+2 0, 1+0 1");
    const auto all =
        gang_with(pod(0, apart) + pod(1, cut, "0") + pod(2, cut, "0") + pod(3, cut, "1") + pod(4, cut, "1"));
    CHECK(problem_of(all) == "");
    CHECK(told(all) == "2+0 2, 2+0 2, 1+0 1");
}

TEST_CASE("placeholders of a sub-group have the pod class of the worker template, else the leader's (H1, H6)") {
    const auto cpu_of = [](const std::string& text) {
        const auto cluster = cluster_with(text);
        const auto snapshot = cluster.snapshot();
        const auto gang = cluster.gang(cluster.roots().front(), snapshot);
        const auto& last = gang.members.back();
        REQUIRE(last.is_placeholder);
        return std::pair(snapshot.pod_classes[last.pod_class].requests.of("cpu"), gang.warnings.size());
    };
    const std::string leader = pod(0, cut + ", " + exclusive, "0");
    CHECK(cpu_of(leader_worker_set("LeaderCreated") + leader) == std::pair<std::int64_t, std::size_t>{7000, 0});
    CHECK(cpu_of(leader) == std::pair<std::int64_t, std::size_t>{1000, 1});
}

TEST_CASE("workers take their places in their sub-groups, and none is expected where the others are gone (H4)") {
    const std::string more = cut + ", " + exclusive;
    const auto some = gang_with(pod(0, more, "0", "n0") + pod(1, more, "0") + pod(4, more, "1"));
    CHECK(problem_of(some) == "");
    CHECK(told(some) == "2+1 2, 1+1 1");
    const auto all = gang_with(pod(0, more, "0", "n0") + pod(1, more, "0") + pod(2, more, "0") + pod(3, more, "1") +
                               pod(4, more, "1"));
    CHECK(problem_of(all) == "");
    CHECK(told(all) == "3+0 3, 2+0 2");
    // Without its leader a sub-group isn't planned for.
    CHECK(problem_of(gang_with(pod(3, more, "1"))).starts_with("Incomplete: "));
}

TEST_CASE("exclusive topologies of a replica and of sub-groups both hold") {
    const auto gang = gang_with(
        pod(0, cut + ", " + exclusive + ", leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: example.com/clique",
            "0"));
    CHECK(problem_of(gang) == "");
    REQUIRE(gang.groups.size() == 3);
    for (const auto& group : gang.groups)
        CHECK(group.required.size() == 1);
    CHECK(gang.groups[0].required != gang.groups[1].required);
    CHECK(gang.groups[1].required == gang.groups[2].required);
}

TEST_CASE("a LeaderWorkerSet that can't be read makes its gangs Invalid, by its name and field (A3)") {
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    const auto object = nlohmann::json{{"apiVersion", "leaderworkerset.x-k8s.io/v1"},
                                       {"kind", "LeaderWorkerSet"},
                                       {"metadata", {{"name", "serve"}, {"namespace", "ns"}}},
                                       {"spec", {{"startupPolicy", "Never"}}}};
    const auto events = decode(object, Change::seen);
    REQUIRE_FALSE(events);
    const auto stands = event_of_unreadable(object, events.error());
    REQUIRE(stands);
    static_cast<void>(cluster.apply(*stands));
    static_cast<void>(show(cluster, nodes + pod(0)));
    CHECK(problem_of(cluster.gang(cluster.roots().front(), cluster.snapshot())) ==
          "Invalid: group \"ns/serve/0\": LeaderWorkerSet ns/serve: spec.startupPolicy: must be LeaderCreated or "
          "LeaderReady, not \"Never\"");
}

TEST_CASE("a gang changes with its LeaderWorkerSet, whichever came first") {
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    const auto placeholders = [&] {
        const auto gang = cluster.gang({"lws-group", "ns/serve/0"}, cluster.snapshot());
        return std::ranges::count_if(gang.members, &model::Member::is_placeholder);
    };
    static_cast<void>(show(cluster, nodes + pod(0)));
    CHECK(placeholders() == 0);
    CHECK(show(cluster, leader_worker_set("LeaderReady")).gangs.contains({"lws-group", "ns/serve/0"}));
    CHECK(placeholders() == 4);
    CHECK(cluster.roots().size() == 1);
    CHECK(show(cluster, leader_worker_set("LeaderReady")).gangs.empty());
    CHECK(show(cluster, leader_worker_set("LeaderCreated")).gangs.contains({"lws-group", "ns/serve/0"}));
    CHECK(placeholders() == 0);
    static_cast<void>(show(cluster, leader_worker_set("LeaderReady")));
    const auto gone = cluster.apply(model::GroupSetGone{.owner = {"leaderworkerset", "ns/serve"}, .uid = ""});
    CHECK(gone.gangs.contains({"lws-group", "ns/serve/0"}));
    CHECK(placeholders() == 0);
    CHECK(cluster.snapshot().pod_classes.size() == 1);
}

}  // namespace
}  // namespace echelon::kube
