// Z39: how a gang is translated into a LeaderWorkerSet. unit-tests/cli/translated_worlds_test.cpp plans the resulting
// pods.

#include "kube/manifests.hpp"
#include "model/cluster/cluster.hpp"
#include "translate/translation.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::translate {
namespace {

using nlohmann::json;

struct Written {
    json set;
    std::map<std::string, PodMembershipPatch> pods;
    std::vector<std::pair<std::string, std::vector<std::string>>> templates;  // Where, and of which pods.
    std::vector<std::string> losses;
    std::string refusal;
};

using Groups = std::vector<std::pair<std::string, int>>;  // Name and pods; the name is empty: the gang has none.

std::string gang_of(const std::string& spec, const Groups& groups) {
    std::string text =
        "apiVersion: echelon.sh/v1alpha1\nkind: Gang\nmetadata: {name: g, namespace: ml}\nspec: {" + spec + "}\n";
    for (const auto& [group, pods] : groups) {
        for (int pod = 0; pod < pods; ++pod) {
            text += fmt::format(
                "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {}{}, namespace: ml, labels: {{echelon.sh/gang: g"
                "{}}}}}, spec: {{schedulerName: default-scheduler, containers: [{{name: c}}]}}}}\n",
                group.empty() ? "p-" : group + "-", pod, group.empty() ? "" : ", echelon.sh/group: " + group);
        }
    }
    return text;
}

Written written(const std::string& manifests) {
    const auto read = kube::read_manifest_text(manifests, "the text");
    REQUIRE_MESSAGE(read, (read ? "" : read.error().sentence));
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    for (const auto& event : read->events)
        static_cast<void>(cluster.apply(event));
    const auto facts = cluster.facts(cluster.roots().front());
    auto out = translate(facts, Dialect::leader_worker_set, {}, {});
    Written seen{.set = out.objects.empty() ? json() : out.objects.front(),
                 .pods = {},
                 .templates = {},
                 .losses = out.losses,
                 .refusal = out.refusal};
    for (const auto& [pod, patch] : out.pods)
        seen.pods.emplace(pod->name, patch);
    for (const auto& made : out.templates) {
        auto& row = seen.templates.emplace_back(made.at, std::vector<std::string>{});
        for (const auto* pod : made.pods)
            row.second.push_back(pod->name);
    }
    return seen;
}

std::string key(const std::string& name) {
    return "leaderworkerset.sigs.k8s.io/" + name;
}

TEST_CASE("a gang without groups is one replica: a leader and its workers (Z39)") {
    const auto out = written(gang_of("minimum: 3", {{"", 3}}));
    CHECK(out.refusal == "");
    CHECK(out.losses.empty());
    CHECK(out.set == json::parse(R"({"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet",
        "metadata": {"name": "g", "namespace": "ml"},
        "spec": {"replicas": 1, "leaderWorkerTemplate": {"size": 3, "leaderTemplate": {}, "workerTemplate": {}}}})"));
    CHECK(out.templates == std::vector<std::pair<std::string, std::vector<std::string>>>{
                               {"/spec/leaderWorkerTemplate/leaderTemplate", {"p-0"}},
                               {"/spec/leaderWorkerTemplate/workerTemplate", {"p-1", "p-2"}}});
    CHECK(out.pods.at("p-2") == PodMembershipPatch{.labels = {{key("name"), "g"},
                                                              {key("group-index"), "0"},
                                                              {key("group-key"), "g-0"},
                                                              {key("worker-index"), "2"}},
                                                   .annotations = {{key("size"), "3"}}});
}

TEST_CASE("groups become sub-groups, of the same size or beside the leader (Z39)") {
    struct Row {
        Groups groups;
        std::string policy;                        // Of the set.
        std::map<std::string, std::string> index;  // Of some pods: "worker-index/subgroup-index".
    };
    const std::vector<Row> rows = {
        {{{"a", 2}, {"b", 2}}, R"({"subGroupSize": 2})", {{"a-0", "0/0"}, {"a-1", "1/0"}, {"b-0", "2/1"}}},
        {{{"a", 2}, {"b", 3}}, R"({"subGroupSize": 2})", {{"b-0", "0/0"}, {"b-2", "2/0"}, {"a-0", "3/1"}}},
        {{{"a", 3}, {"head", 1}, {"b", 3}},
         R"({"subGroupSize": 3, "type": "LeaderExcluded"})",
         {{"head-0", "0/"}, {"a-0", "1/0"}, {"b-2", "6/1"}}},
        {{{"a", 1}, {"b", 1}}, R"({"subGroupSize": 1})", {{"a-0", "0/0"}, {"b-0", "1/1"}}}};
    for (const auto& row : rows) {
        std::string groups;
        for (const auto& [name, pods] : row.groups)
            groups += fmt::format("{{name: {}, minimum: {}}}, ", name, pods);
        const auto out = written(gang_of("groups: [" + groups + "]", row.groups));
        CAPTURE(groups);
        CHECK(out.refusal == "");
        CHECK(out.losses.empty());
        CHECK(out.set["spec"]["leaderWorkerTemplate"]["subGroupPolicy"] == json::parse(row.policy));
        for (const auto& [pod, numbers] : row.index) {
            const auto& labels = out.pods.at(pod).labels;
            const auto found = labels.find(key("subgroup-index"));
            CHECK(labels.at(key("worker-index")) + "/" + (found == labels.end() ? "" : found->second) == numbers);
        }
    }
}

TEST_CASE("levels become exclusive ones, and that is said (Z39)") {
    const auto out =
        written(gang_of("requiredTopology: block, groups: [{name: a, minimum: 1, requiredTopology: rack}, "
                        "{name: b, minimum: 1, requiredTopology: rack}]",
                        {{"a", 1}, {"b", 1}}));
    CHECK(out.set["metadata"]["annotations"] ==
          json{{key("exclusive-topology"), "block"}, {key("subgroup-exclusive-topology"), "rack"}});
    CHECK(out.pods.at("b-0").annotations.at(key("subgroup-exclusive-topology")) == "rack");
    REQUIRE(out.losses.size() == 2);
    CHECK(out.losses.front() ==
          "group \"ml/g\": its domain of \"block\" becomes exclusive, since exclusive-topology keeps others out of it");
}

TEST_CASE("a name that the controller can't extend is cut, and one that begins with a digit gets a letter (Z39)") {
    auto text = gang_of("minimum: 1", {{"", 1}});
    const std::string wanted = "7" + std::string(50, 'n');
    for (const std::string old : {"name: g,", "echelon.sh/gang: g"}) {
        const auto at = text.find(old);
        text.replace(at, old.size(), old.substr(0, old.find(": ")) + ": " + wanted + (old.ends_with(',') ? "," : ""));
    }
    const auto name = written(text).set["metadata"]["name"].get<std::string>();
    CHECK(name.size() <= 40);
    CHECK(name.starts_with("g-7nnn"));
}

TEST_CASE("what a LeaderWorkerSet has no word for refuses the gang (Z39)") {
    const std::vector<std::pair<std::string, std::string>> rows = {
        {gang_of("minimum: 2", {{"", 3}}), "needs 2 of 3 pods, a LeaderWorkerSet all of at least one"},
        {gang_of("groups: [{name: a, minimum: 1}, {name: b, minimum: 1}], minimum: 1", {{"a", 1}, {"b", 1}}),
         "needs 1 of 2 groups"},
        {gang_of("groups: [{name: a, minimum: 2}, {name: b, minimum: 4}]", {{"a", 2}, {"b", 4}}),
         "has groups of unlike sizes"},
        {gang_of("groups: [{name: a, minimum: 1, requiredTopology: rack}, {name: b, minimum: 1}]",
                 {{"a", 1}, {"b", 1}}),
         "ask for unlike levels"},
        {gang_of("groups: [{name: a, groups: [{name: c, minimum: 1}]}]", {{"c", 1}}), "is a group of groups"},
        {gang_of("minimum: 1", {}), "its leader isn't in the input"}};
    for (const auto& [text, refusal] : rows) {
        CAPTURE(text);
        CHECK(written(text).refusal.find(refusal) != std::string::npos);
    }
    const auto lone = written(gang_of("minimum: 2", {{"", 1}}));
    CHECK(lone.refusal == "");
    REQUIRE(lone.losses.size() == 1);
    CHECK(lone.losses.front() == "no worker is in the input, so its leader is their template");
}

}  // namespace
}  // namespace echelon::translate
