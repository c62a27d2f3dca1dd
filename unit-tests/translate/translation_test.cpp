// A row for each field that is translated, and for each that can't be. unit-tests/cli/translate_test.cpp plans whole
// translated gangs.

#include "translate/translation.hpp"

#include "kube/decode.hpp"
#include "kube/manifests.hpp"
#include "model/cluster/cluster.hpp"
#include "translate/targets.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::translate {
namespace {

using nlohmann::json;

// The only gang of the manifests.
Translation translated(const std::string& manifests, Dialect target, const TranslationTarget& known = {},
                       const TranslationOptions& options = {}) {
    const auto read = kube::read_manifest_text(manifests, "the text");
    REQUIRE_MESSAGE(read, (read ? "" : read.error().sentence));
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    for (const auto& event : read->events)
        static_cast<void>(cluster.apply(event));
    const auto roots = cluster.roots();
    REQUIRE(roots.size() == 1);
    auto out = translate(cluster.facts(roots.front()), target, options, known);
    out.pods.clear();  // Point into the cluster.
    return out;
}

std::string pod_gang(const std::string& spec, const std::string& name = "demo-0") {
    return "apiVersion: scheduler.grove.io/v1alpha1\nkind: PodGang\nmetadata: {name: " + name +
           ", namespace: ml, uid: u-1}\nspec: {" + spec + "}\n";
}

std::string refusal_of(const std::string& spec, const TranslationTarget& known = {},
                       const TranslationOptions& options = {}) {
    return translated(pod_gang(spec), Dialect::koordinator, known, options).refusal;
}

const json& object_named(const Translation& out, const std::string& name) {
    const auto found =
        std::ranges::find_if(out.objects, [&](const json& object) { return object["metadata"]["name"] == name; });
    REQUIRE(found != out.objects.end());
    return *found;
}

std::string annotation(const json& object, const std::string& key) {
    return object["metadata"]["annotations"].value("gang.scheduling.koordinator.sh/" + key, "absent");
}

constexpr const char* block = "topologyConstraint: {packConstraint: {required: topology.kubernetes.io/block}}";

TEST_CASE("a PodGang becomes PodGroups of Koordinator that list each other (K3)") {
    const auto out = translated(
        pod_gang(std::string(block) + ", podgroups: [{name: demo-0-prefill, minReplicas: 2, podReferences: [{name: a, "
                                      "namespace: ml}, {name: b, namespace: ml}, {name: c, namespace: ml}]}, {name: "
                                      "demo-0-decode, minReplicas: 1}]"),
        Dialect::koordinator);
    CHECK(out.refusal == "");
    CHECK(out.losses == std::vector<std::string>{});
    REQUIRE(out.objects.size() == 2);
    const json& prefill = object_named(out, "demo-0-demo-0-prefill");
    CHECK(prefill == json::parse(R"({
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup",
        "metadata": {"name": "demo-0-demo-0-prefill", "namespace": "ml", "labels": {"grove.io/podgang": "demo-0"},
            "annotations": {
                "gang.scheduling.koordinator.sh/groups": "[\"ml/demo-0-demo-0-decode\",\"ml/demo-0-demo-0-prefill\"]",
                "gang.scheduling.koordinator.sh/mode": "Strict",
                "gang.scheduling.koordinator.sh/match-policy": "once-satisfied",
                "gang.scheduling.koordinator.sh/total-number": "3",
                "gang.scheduling.koordinator.sh/network-topology-spec":
                    "{\"gatherStrategy\":[{\"layer\":\"blockLayer\",\"strategy\":\"MustGather\"}]}"},
            "ownerReferences": [{"apiVersion": "scheduler.grove.io/v1alpha1", "kind": "PodGang", "name": "demo-0",
                "uid": "u-1", "controller": true, "blockOwnerDeletion": true}]},
        "spec": {"minMember": 2, "scheduleTimeoutSeconds": 30}})"));
    const json& decode = object_named(out, "demo-0-demo-0-decode");
    CHECK(decode["spec"]["minMember"] == 1);
    CHECK(annotation(decode, "total-number") == "absent");
    CHECK(annotation(decode, "groups") == annotation(prefill, "groups"));
}

TEST_CASE("the configuration says how Koordinator is to treat the gang") {
    TranslationOptions options;
    options.gang_mode = "NonStrict";
    options.match_policy = "only-waiting";
    options.schedule_timeout_seconds = 7;
    options.layers = {{"example.com/rack", "aisle"}, {"topology.kubernetes.io/block", "wing"}};
    const auto out =
        translated(pod_gang("topologyConstraint: {packConstraint: {required: topology.kubernetes.io/block, preferred: "
                            "example.com/rack}}, podgroups: [{name: p, minReplicas: 1}]"),
                   Dialect::koordinator, {}, options);
    REQUIRE(out.objects.size() == 1);
    CHECK(annotation(out.objects[0], "mode") == "NonStrict");
    CHECK(annotation(out.objects[0], "match-policy") == "only-waiting");
    CHECK(out.objects[0]["spec"]["scheduleTimeoutSeconds"] == 7);
    CHECK(json::parse(annotation(out.objects[0], "network-topology-spec")) ==
          json::parse(R"({"gatherStrategy": [{"layer": "wing", "strategy": "MustGather"},
                                             {"layer": "aisle", "strategy": "PreferGather"}]})"));
    CHECK(out.losses.empty());
}

TEST_CASE(
    "levels are said by required and preferred, in words of a ClusterTopologyBinding; those of old aren't read (K2)") {
    const auto strategy = [](const std::string& constraint) {
        const auto out =
            translated(pod_gang("topologyConstraint: {" + constraint + "}, podgroups: [{name: p, minReplicas: 1}]"),
                       Dialect::koordinator);
        CHECK(out.refusal == "");
        return annotation(out.objects.front(), "network-topology-spec");
    };
    CHECK(strategy("packConstraint: {required: topology.kubernetes.io/rack}") ==
          R"({"gatherStrategy":[{"layer":"rackLayer","strategy":"MustGather"}]})");
    CHECK(strategy("packConstraint: {preferred: topology.kubernetes.io/rack}") ==
          R"({"gatherStrategy":[{"layer":"rackLayer","strategy":"PreferGather"}]})");
    CHECK(strategy("packConstraint: {packDomain: topology.kubernetes.io/rack}") == "absent");
    CHECK(strategy("packDomain: topology.kubernetes.io/rack") == "absent");
    CHECK(kube::is_known_kind("grove.io/v1alpha1", "ClusterTopologyBinding"));
}

TEST_CASE("a preferred level is written as PreferGather, which no program reads, and counts as translated (K9)") {
    const auto out =
        translated(pod_gang("topologyConstraint: {packConstraint: {required: topology.kubernetes.io/block, "
                            "preferred: topology.kubernetes.io/rack}}, podgroups: [{name: p, minReplicas: "
                            "1}]"),
                   Dialect::koordinator);
    CHECK(json::parse(annotation(out.objects.front(), "network-topology-spec")) ==
          json::parse(R"({"gatherStrategy": [{"layer": "blockLayer", "strategy": "MustGather"},
                                             {"layer": "rackLayer", "strategy": "PreferGather"}]})"));
    CHECK(out.losses.empty());
}

TEST_CASE("a name that is too long is cut alike in PodGroup, list and label of pods (K4)") {
    const std::string clique = "model-" + std::string(50, 'x');
    const auto out =
        translated(pod_gang("podgroups: [{name: " + clique + ", minReplicas: 1}]", "model-0"), Dialect::koordinator);
    REQUIRE(out.objects.size() == 1);
    const auto name = out.objects[0]["metadata"]["name"].get<std::string>();
    CHECK(name.size() <= 63);
    CHECK(name == koordinator_name("model-0", clique));
    CHECK(annotation(out.objects[0], "groups") == fmt::format("[\"ml/{}\"]", name));
}

TEST_CASE("a level becomes a layer by its whole key alone") {
    const auto required = [](const std::string& key) {
        return "topologyConstraint: {packConstraint: {required: " + key + "}}, podgroups: [{name: p, minReplicas: 1}]";
    };
    CHECK(refusal_of(required("kubernetes.io/hostname")) == "");
    CHECK(refusal_of(required("topology.kubernetes.io/rack")) == "");
    CHECK(refusal_of(required("nfs-hostpath")).find("nfs-hostpath\" is mapped to no layer") != std::string::npos);
    CHECK(refusal_of(required("my.topology.kubernetes.io/rack")).find("is mapped to no layer") != std::string::npos);
}

TEST_CASE("a layer must be in the topology that Koordinator has (K7)") {
    const auto spec = std::string(block) + ", podgroups: [{name: p, minReplicas: 1}]";
    TranslationTarget known;
    known.layers = Layers{{"rackLayer", {"topology.kubernetes.io/rack"}}};
    CHECK(refusal_of(spec, known)
              .find("is mapped to layer \"blockLayer\", which the ClusterNetworkTopology "
                    "\"default\" doesn't have") != std::string::npos);
    known.layers->push_back({"blockLayer", {"topology.kubernetes.io/block"}});
    CHECK(refusal_of(spec, known) == "");
    CHECK(translated(pod_gang(spec), Dialect::koordinator, known).losses.empty());
    known.layers = Layers{{"blockLayer", {"example.com/block"}}};
    const auto other = translated(pod_gang(spec), Dialect::koordinator, known);
    CHECK(other.objects.size() == 1);
    REQUIRE(other.losses.size() == 1);
    CHECK(other.losses[0].find("makes of other labels") != std::string::npos);
    TranslationOptions options;
    options.layers = {{"topology.kubernetes.io/block", "NodeTopologyLayer"}};
    CHECK(refusal_of(spec, {.layers = Layers{}}, options) == "");
    const auto wish =
        translated(pod_gang("topologyConstraint: {packConstraint: {preferred: example.com/x}}, podgroups: "
                            "[{name: p, minReplicas: 1}]"),
                   Dialect::koordinator);
    CHECK(wish.refusal == "");
    REQUIRE(wish.losses.size() == 1);
    CHECK(wish.losses[0].find("the preferred level \"example.com/x\" is mapped to no layer") != std::string::npos);
    CHECK(annotation(wish.objects.at(0), "network-topology-spec") == "absent");
}

TEST_CASE("what Koordinator can't keep refuses a PodGang (K8)") {
    const std::string own = "topologyConstraint: {packConstraint: {required: topology.kubernetes.io/rack}}";
    CHECK(refusal_of("topologyConstraintGroupConfigs: [{name: c, podGroupNames: [p]}], podgroups: [{name: p, "
                     "minReplicas: 1}]")
              .starts_with("spec.topologyConstraintGroupConfigs (c) can't be represented"));
    CHECK(refusal_of(std::string(block) + ", podgroups: [{name: p, minReplicas: 1}, {name: q, minReplicas: 1, " + own +
                     "}]")
              .find("have different constraints") != std::string::npos);
    const auto alike = translated(pod_gang("podgroups: [{name: p, minReplicas: 1, " + own +
                                           "}, {name: q, minReplicas: "
                                           "1, " +
                                           own + "}]"),
                                  Dialect::koordinator);
    CHECK(alike.refusal == "");
    REQUIRE(alike.losses.size() == 1);
    CHECK(alike.losses[0].find("puts all of them into one domain") != std::string::npos);
}

TEST_CASE("what a PodGang says beside it is named when it is lost (K5)") {
    const auto out = translated(pod_gang("priorityClassName: high, reuseReservationRef: {namespace: ml, name: old}, "
                                         "podgroups: [{name: p, minReplicas: 1}]"),
                                Dialect::koordinator);
    CHECK(out.refusal == "");
    REQUIRE(out.losses.size() == 2);
    CHECK(out.losses[0].find("reuseReservationRef") != std::string::npos);
    CHECK(out.losses[1] == "its priority class \"high\" is lost, pods keep their own priority");
}

TEST_CASE("pods of a PodGang that ask for different amounts are warned of (K11)") {
    const auto pod = [](const char* name, const char* group, const char* amount) {
        return fmt::format(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {}, namespace: ml, labels: "
            "{{grove.io/podgang: demo-0, grove.io/podclique: {}}}}}\nspec: {{containers: [{{name: main, "
            "resources: {{requests: {{cpu: {}}}}}}}]}}\n",
            name, group, amount);
    };
    const std::string gang = pod_gang("podgroups: [{name: p, minReplicas: 1}, {name: q, minReplicas: 1}]");
    CHECK(translated(gang + pod("a", "p", "1") + pod("b", "q", "1"), Dialect::koordinator).losses.empty());
    const auto unlike = translated(gang + pod("a", "p", "1") + pod("b", "q", "2"), Dialect::koordinator);
    CHECK(unlike.refusal == "");
    CHECK(unlike.losses ==
          std::vector<std::string>{"pods of group \"ml/demo-0/p\" and group \"ml/demo-0/q\" ask for different amounts: "
                                   "Koordinator may refuse the gang although it fits"});
}

TEST_CASE("a minimum of 0 keeps the last one that was above it (K6)") {
    const auto zero = pod_gang("podgroups: [{name: p, minReplicas: 0}]");
    TranslationTarget known;
    known.minimum_of = [](const std::string& name) {
        return name == "ml/demo-0-p" ? std::optional<std::int64_t>(4) : std::nullopt;
    };
    const auto kept = translated(zero, Dialect::koordinator, known);
    CHECK(kept.objects.at(0)["spec"]["minMember"] == 4);
    CHECK(kept.losses.empty());
    const auto unknown = translated(zero, Dialect::koordinator);
    CHECK(unknown.objects.at(0)["spec"]["minMember"] == 1);
    REQUIRE(unknown.losses.size() == 1);
    CHECK(unknown.losses[0].find("minimum of 0 becomes 1") != std::string::npos);
}

TEST_CASE("where roles ask for different amounts it is said that Koordinator may refuse the gang (K11)") {
    const auto pod = [](const std::string& clique, int cpu) {
        return fmt::format(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {0}-0, namespace: ml, labels: "
            "{{grove.io/podgang: demo-0, grove.io/podclique: {0}}}}}\n"
            "spec: {{containers: [{{name: c, resources: {{requests: {{cpu: {1}}}}}}}]}}\n",
            clique, cpu);
    };
    const auto losses = [&](int of_leader, int of_worker) {
        return translated(pod_gang("podgroups: [{name: leader, minReplicas: 1}, {name: worker, minReplicas: 1}]") +
                              pod("leader", of_leader) + pod("worker", of_worker),
                          Dialect::koordinator)
            .losses;
    };
    CHECK(losses(2, 2).empty());
    CHECK(losses(1, 2) == std::vector<std::string>{
                              "pods of group \"ml/demo-0/leader\" and group \"ml/demo-0/worker\" ask for different "
                              "amounts: Koordinator may refuse the gang although it fits"});
}

// K of N, with a level between root and leaf.
constexpr const char* tree = R"(apiVersion: echelon.sh/v1alpha1
kind: Gang
metadata: {name: g, namespace: ml}
spec:
  priorityClassName: high
  preemptionPolicy: Never
  minimumPods: 4
  groups:
  - {name: decode, replicas: 3, minimumReplicas: 2, minimum: 2}
  - {name: prefill, minimum: 1, expectedPods: 2, startPods: 1, preferredTopology: example.com/rack}
)";

TEST_CASE("each target says what it can't say") {
    struct Row {
        Dialect target;
        std::string refusal;              // A part of it.
        std::vector<std::string> losses;  // Parts of them.
    };
    const std::string no_trees = "\"ml/g\" has groups, which Kubernetes has from 1.37 on";
    const std::vector<Row> rows = {
        {Dialect::koordinator,
         "\"ml/g/decode\" needs 2 of 3 groups; Koordinator needs all of them",
         {"preemption policy", "priority class", "pods come later", "is mapped to no layer"}},
        {Dialect::volcano, "", {"preemption policy", "pods come later", "preferred level"}},
        {Dialect::kai, "", {"preemption policy", "pods come later", "preferred level"}},
        {Dialect::scheduler_plugins,
         "",
         {"preemption policy", "priority class", "pods come later", "2 of 3 groups are enough", "preferred level",
          "minimum of each of its groups"}},
        {Dialect::grove,
         "\"ml/g/decode\" needs 2 of 3 groups; Grove needs all of them",
         {"preemption policy", "pods come later"}},
        {Dialect::kueue,
         "\"ml/g/decode\" is a group of groups",
         {"preemption policy", "priority class", "pods come later"}},
        {Dialect::kubernetes_1_37, "", {"pods come later", "preferred level"}},
        {Dialect::kubernetes_1_36, no_trees, {"preemption policy", "pods come later", "preferred level"}},
        {Dialect::kubernetes_1_35, no_trees, {"preemption policy", "pods come later", "preferred level"}},
    };
    const std::string pods = [text = std::string()]() mutable {
        for (const auto* name : {"decode-0-0", "decode-0-1"}) {
            text += fmt::format(
                "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {}, namespace: ml, labels: {{echelon.sh/gang: g, "
                "echelon.sh/group: decode, echelon.sh/replica: \"0\"}}}}\nspec: {{schedulerName: default-scheduler, "
                "containers: [{{name: c}}]}}\n",
                name);
        }
        return text;
    }();
    for (const auto& row : rows) {
        const auto out = translated(tree + pods, row.target);
        CAPTURE(static_cast<int>(row.target));
        CAPTURE(out.refusal);
        CHECK(out.refusal.empty() == row.refusal.empty());
        CHECK(out.refusal.find(row.refusal) != std::string::npos);
        std::string all;
        for (const auto& loss : out.losses)
            all += loss + "\n";
        CAPTURE(all);
        CHECK(out.losses.size() == row.losses.size());
        for (const auto& part : row.losses)
            CHECK(all.find(part) != std::string::npos);
    }
}

TEST_CASE("required levels go over by what the target calls them, or nothing is written") {
    const std::string gang = R"(apiVersion: echelon.sh/v1alpha1
kind: Gang
metadata: {name: g, namespace: ml}
spec: {minimum: 2, requiredTopology: example.com/rack}
)";
    CHECK(translated(gang, Dialect::volcano).refusal.find("tierName of no HyperNode") != std::string::npos);
    const auto volcano = translated(gang, Dialect::volcano, {.tier_names = {"example.com/rack"}});
    CHECK(
        volcano.objects.at(0)["spec"] ==
        json::parse(R"({"minMember": 2, "networkTopology": {"mode": "hard", "highestTierName": "example.com/rack"}})"));
    CHECK(translated(gang, Dialect::kai).refusal.find("of no Topology of KAI in the input") != std::string::npos);
    const auto kai = translated(gang, Dialect::kai, {.topologies = {{"example.com/rack", {"fabric"}}}});
    CHECK(kai.objects.at(0)["spec"] == json::parse(R"({"minMember": 2, "topologyConstraint": {"topology": "fabric",
                          "requiredTopologyLevel": "example.com/rack"}})"));
    CHECK(translated(gang, Dialect::scheduler_plugins).refusal.find("for none") != std::string::npos);
}

TEST_CASE("groups go over with their minimums") {
    const std::string gang = R"(apiVersion: scheduler.grove.io/v1alpha1
kind: PodGang
metadata: {name: g, namespace: ml}
spec: {podgroups: [{name: a, minReplicas: 2}, {name: b, minReplicas: 3}]}
)";
    CHECK(translated(gang, Dialect::kai).objects.at(0)["spec"] ==
          json::parse(
              R"({"minMember": 5, "subGroups": [{"name": "a", "minMember": 2}, {"name": "b", "minMember": 3}]})"));
    const auto volcano = translated(gang, Dialect::volcano).objects.at(0)["spec"];
    CHECK(volcano["minMember"] == 5);
    CHECK(volcano["subGroupPolicy"].size() == 2);
    CHECK(volcano["subGroupPolicy"][0]["subGroupSize"] == 2);
    CHECK(volcano["subGroupPolicy"][0]["minSubGroups"] == 1);
    const auto plain = translated(gang, Dialect::scheduler_plugins);
    CHECK(plain.objects.at(0)["spec"] == json::parse(R"({"minMember": 5})"));
    CHECK(plain.losses.size() == 1);
    CHECK(translated(gang, Dialect::echelon).objects.at(0)["spec"] ==
          json::parse(R"({"groups": [{"name": "a", "minimum": 2}, {"name": "b", "minimum": 3}]})"));
}

TEST_CASE("a gang that makes no sense isn't written") {
    const auto out = translated(
        "apiVersion: scheduling.sigs.k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: g, "
        "annotations: {gang.scheduling.koordinator.sh/groups: '{'}}\nspec: {minMember: 1}\n",
        Dialect::echelon);
    CHECK(out.objects.empty());
    CHECK(out.refusal.find("isn't a JSON list") != std::string::npos);
}

TEST_CASE("a pod names its group in the target's way alone") {
    const auto pod = json::parse(R"({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "p", "managedFields": [], "labels": {"app": "x", "grove.io/podgang": "g",
                     "grove.io/podclique": "g-a", "leaderworkerset.sigs.k8s.io/name": "w"},
                     "annotations": {"scheduling.k8s.io/group-name": "g"}},
        "spec": {"schedulerName": "volcano", "schedulingGroup": {"podGroupName": "g"}, "priority": 3,
                 "schedulingGates": [{"name": "echelon.sh/gang"}, {"name": "other"}]}})");
    CHECK(repatched_pod(pod, {.labels = {{"pod-group.scheduling.sigs.k8s.io", "g-a"}}, .annotations = {}}, "koord") ==
          json::parse(R"({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "p", "labels": {"app": "x", "leaderworkerset.sigs.k8s.io/name": "w",
                                             "pod-group.scheduling.sigs.k8s.io": "g-a"}},
        "spec": {"schedulerName": "koord", "priority": 3, "schedulingGates": [{"name": "other"}]}})"));
    const auto own = repatched_pod(pod, {.labels = {{"echelon.sh/gang", "g"}}, .annotations = {}}, "echelon-scheduler");
    CHECK(own["spec"]["schedulingGates"].size() == 2);
}

}  // namespace
}  // namespace echelon::translate
