// The output of `echelon translate` is read again, and gets the same plan as the input, unless the translation reports
// a loss.

#include "cli/translate.hpp"

#include "kube/manifests.hpp"
#include "unit-tests/cli/files.hpp"
#include "unit-tests/cli/translations.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace echelon;

namespace {

using namespace cli::testing;
using nlohmann::json;

}  // namespace

TEST_CASE("what is translated without a complaint is planned as before (Z39)") {
    std::map<std::string, int> compared;
    for (const auto& file : all_files(ECHELON_SOURCE_DIR)) {
        auto text = text_of(file);
        const bool has_layers = text.find("ClusterNetworkTopology") != std::string::npos;
        const bool is_example = file.string().find("/examples/") != std::string::npos;
        if (!has_layers)
            text += "\n---\n" + (is_example ? example_layers() : std::string(layers));
        const auto original = manifests_of(text);
        const auto before = decisions_of(original.events);
        for (const auto& [name, target] : targets) {
            CAPTURE(file.filename().string());
            CAPTURE(name);
            const auto out = cli::translated(original, settings_with_layers(), target, "default-scheduler");
            const auto again = manifests_of(out.documents.empty() ? "---\n" : out.documents);
            CAPTURE(out.documents);
            if (!out.complaints.empty())
                continue;
            auto after = manifests_of(surroundings_of(original, pods_in(again)) + "---\n" + out.documents);
            // Topologies that have no object; whatever comes twice changes nothing.
            std::ranges::copy_if(original.events, std::back_inserter(after.events), [](const model::Event& event) {
                return std::holds_alternative<model::TopologySeen>(event);
            });
            CHECK(shown(decisions_of(after.events)) == shown(before));
            ++compared[name];
        }
    }
    // Not every file has a warning.
    const std::vector<std::pair<std::string, int>> least_compared = {
        {"echelon", 50},           {"koordinator", 20},     {"volcano", 20},        {"kai", 20},
        {"scheduler-plugins", 10}, {"grove", 20},           {"kueue", 20},          {"leaderworkerset", 10},
        {"kubernetes-1.35", 5},    {"kubernetes-1.36", 10}, {"kubernetes-1.37", 30}};
    for (const auto& [name, least] : least_compared) {
        CAPTURE(name);
        CHECK(compared[name] >= least);
    }
}

TEST_CASE("the level that gangs of a gang group share is stated, or the group is refused (Z25, Z41)") {
    const auto pair = [](const std::string& of_a, const std::string& of_b) {
        std::string text;
        for (const auto& [name, layer] : {std::pair("a", of_a), std::pair("b", of_b)}) {
            text += fmt::format(R"({{apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: PodGroup, metadata: {{name: {0},
 annotations: {{gang.scheduling.koordinator.sh/groups: '["default/a","default/b"]',
  gang.scheduling.koordinator.sh/network-topology-spec: '{{"gatherStrategy":[{{"layer":"{1}","strategy":"MustGather"}}]}}'}}}},
 spec: {{minMember: 1}}}}
---
{{apiVersion: v1, kind: Pod, metadata: {{name: {0}-0, labels: {{pod-group.scheduling.sigs.k8s.io: {0}}}}}}}
---
)",
                                name, layer);
        }
        return cli::translated(manifests_of(text), {}, Dialect::echelon);
    };
    const auto alike = pair("example.com/rack", "example.com/rack");
    CHECK(alike.complaints.empty());
    CHECK(alike.documents.find("\n  requiredTopology: example.com/rack\n") != std::string::npos);
    const auto unlike = pair("example.com/rack", "example.com/block");
    CHECK(unlike.documents.find("kind: Gang") == std::string::npos);
    REQUIRE(unlike.complaints.size() == 1);
    CHECK(unlike.complaints.front().find("the level that its gangs share isn't known without their nodes") !=
          std::string::npos);
}

TEST_CASE("the exit status says whether all was said") {
    const Folder folder;
    const auto gang = folder.write("gang.yaml", R"(apiVersion: echelon.sh/v1alpha1
kind: Gang
metadata: {name: g}
spec: {minimum: 2, priorityClassName: high}
)");
    const auto status = [&](const std::string& file, const std::string& to, const std::string& config = {}) {
        return cli::translate({.files = {file}, .config_file = config, .to = to, .scheduler_name = {}});
    };
    CHECK(status(gang, "echelon") == 0);
    CHECK(status(gang, "koordinator") == 3);  // Has no priority.
    CHECK(status(gang, "slurm") == 2);
    CHECK(status(folder.write("bad.yaml", "kind: 7\n"), "echelon") == 2);
    CHECK(status(folder.path("absent.yaml"), "echelon") == 2);
    const auto bad = folder.write("c.yaml",
                                  "apiVersion: config.echelon.sh/v1alpha1\nkind: EchelonConfiguration\n"
                                  "profiles: [{schedulerName: a}]\ntranslation: {gangMode: Loose}\n");
    CHECK(status(gang, "echelon", bad) == 2);
}

TEST_CASE("gangs of the target's own dialect are written as they are, and others beside them in the order of names") {
    const auto manifests = manifests_of(R"(apiVersion: scheduling.sigs.k8s.io/v1alpha1
kind: PodGroup
metadata: {name: b, annotations: {note: kept}}
spec: {minMember: 1, minResources: {cpu: 1}}
---
apiVersion: echelon.sh/v1alpha1
kind: Gang
metadata: {name: a}
spec: {minimum: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: p, labels: {pod-group.scheduling.sigs.k8s.io: b}}
spec: {schedulerName: koord-scheduler, containers: [{name: c}]}
)");
    const auto out = cli::translated(manifests, {}, Dialect::koordinator);
    CHECK(out.complaints.empty());
    const auto again = manifests_of(out.documents);
    REQUIRE(again.texts.size() == 3);
    CHECK(json::parse(again.texts[0])["metadata"]["name"] == "a");
    CHECK(json::parse(again.texts[1]) == json::parse(manifests.texts[0]));
    CHECK(json::parse(again.texts[2]) == json::parse(manifests.texts[2]));
}

TEST_CASE("a gang whose PodCliqueSet asks for multi-node NVLink isn't written for Koordinator (Z25)") {
    const std::string gang = R"(apiVersion: scheduler.grove.io/v1alpha1
kind: PodGang
metadata: {name: demo-0, labels: {app.kubernetes.io/part-of: demo}}
spec: {podgroups: [{name: a, minReplicas: 1}]}
)";
    const std::string set = R"(---
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: demo}
spec: {template: {cliques: [{name: a, annotations: {grove.io/mnnvl-group: fast}}]}}
)";
    const auto with = manifests_of(gang + set);
    CHECK(with.skipped_kinds.empty());
    const auto out = cli::translated(with, {}, Dialect::koordinator);
    CHECK(out.documents.empty());
    CHECK(out.complaints ==
          std::vector<std::string>{
              "gang \"default/demo-0\" isn't written: PodCliqueSet \"demo\": clique \"a\": the annotation "
              "grove.io/mnnvl-group asks for multi-node NVLink, which Koordinator doesn't support: use kai-scheduler"});
    CHECK_FALSE(cli::translated(with, {}, Dialect::kai).documents.empty());
    CHECK_FALSE(cli::translated(manifests_of(gang), {}, Dialect::koordinator).documents.empty());
}

TEST_CASE("a level isn't written for KAI where its Topology has other domains (Z24, Z25)") {
    const auto text_with = [](const std::string& levels) {
        return R"(apiVersion: echelon.sh/v1alpha1
kind: Gang
metadata: {name: g}
spec: {minimum: 1, requiredTopology: topology.kubernetes.io/rack}
---
apiVersion: v1
kind: Node
metadata: {name: n0, labels: {topology.kubernetes.io/zone: z0, topology.kubernetes.io/rack: r0}}
---
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {topology.kubernetes.io/zone: z1, topology.kubernetes.io/rack: r0}}
---
apiVersion: kai.scheduler/v1alpha1
kind: Topology
metadata: {name: fabric}
spec: {levels: [)" +
               levels + "{nodeLabel: topology.kubernetes.io/rack}]}\n";
    };
    const auto wider = cli::translated(manifests_of(text_with("")), {}, Dialect::kai);
    CHECK(wider.documents.empty());
    REQUIRE(wider.complaints.size() == 1);
    CHECK(wider.complaints.front().find("is of no Topology of KAI in the input with the same domains") !=
          std::string::npos);
    const auto same =
        cli::translated(manifests_of(text_with("{nodeLabel: topology.kubernetes.io/zone}, ")), {}, Dialect::kai);
    CHECK(same.complaints.empty());
    CHECK_FALSE(same.documents.empty());
}

TEST_CASE("pods get the scheduler of the target, or the one that is asked for") {
    const auto manifests = manifests_of(R"(apiVersion: v1
kind: Pod
metadata: {name: p, labels: {echelon.sh/gang: g}, annotations: {echelon.sh/gang-minimum: "1"}}
spec: {schedulerName: default-scheduler, containers: [{name: c}]}
)");
    const auto scheduler_of = [&](Dialect target, const config::Settings& settings, const std::string& asked) {
        const auto again = manifests_of(cli::translated(manifests, settings, target, asked).documents);
        return json::parse(again.texts.back())["spec"]["schedulerName"].get<std::string>();
    };
    CHECK(scheduler_of(Dialect::volcano, {}, "") == "volcano");
    CHECK(scheduler_of(Dialect::volcano, {}, "mine") == "mine");
    CHECK(scheduler_of(Dialect::koordinator, {}, "") == "koord-scheduler");
    config::Settings settings;
    settings.translation.emplace().scheduler_name = "koord-two";
    CHECK(scheduler_of(Dialect::koordinator, settings, "") == "koord-two");
    CHECK(scheduler_of(Dialect::echelon, settings, "") == "echelon-scheduler");
}

TEST_CASE("the templates of a LeaderWorkerSet are those of the gang's pods, which are alike (Z39)") {
    const auto gang = [](const std::string& of_last) {
        std::string text = "{apiVersion: echelon.sh/v1alpha1, kind: Gang, metadata: {name: g}, spec: {minimum: 3}}\n";
        for (const auto& [name, image] : {std::pair("p-0", "leader"), {"p-1", "worker"}, {"p-2", of_last.c_str()}}) {
            text += fmt::format(
                "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {}, labels: {{echelon.sh/gang: g, app: a}}}}, "
                "spec: "
                "{{hostname: {}, containers: [{{name: c, image: {}}}]}}}}\n",
                name, name, image);
        }
        return cli::translated(manifests_of(text), {}, Dialect::leader_worker_set);
    };
    const auto alike = gang("worker");
    CHECK(alike.complaints.empty());
    const auto objects = manifests_of(alike.documents).texts;
    REQUIRE(objects.size() == 4);
    const auto group = json::parse(objects.front())["spec"]["leaderWorkerTemplate"];
    for (const auto* part : {"leader", "worker"}) {
        CHECK(group[std::string(part) + "Template"] ==
              json{{"metadata", {{"labels", {{"app", "a"}}}}},
                   {"spec",
                    {{"schedulerName", "default-scheduler"}, {"containers", {{{"name", "c"}, {"image", part}}}}}}});
    }
    const auto unlike = gang("other");
    CHECK(unlike.documents == "");
    REQUIRE(unlike.complaints.size() == 1);
    CHECK(unlike.complaints.front() ==
          "gang \"default/g\" isn't written: its pods \"p-1\" and \"p-2\" differ in "
          "/spec/containers/0/image, and come from one template");
}

TEST_CASE("pods of a LeaderWorkerSet stay as they are for the target of that name (Z39)") {
    const auto file = std::string(ECHELON_SOURCE_DIR) + "/unit-tests/scenarios/leader_worker_set_replicas.yaml";
    const auto original = manifests_of(text_of(file));
    const auto out = cli::translated(original, {}, Dialect::leader_worker_set, "default-scheduler");
    CHECK(out.complaints.empty());
    for (const auto& document : manifests_of(out.documents).texts)
        CHECK(std::ranges::find(original.texts, document) != original.texts.end());
}

TEST_CASE("of two gangs that would become one object the first keeps the name") {
    const auto manifests = manifests_of(R"(apiVersion: echelon.sh/v1alpha1
kind: Gang
metadata: {name: g}
spec: {minimum: 1}
---
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: g}
spec: {minMember: 2}
)");
    const auto out = cli::translated(manifests, {}, Dialect::koordinator);
    CHECK(manifests_of(out.documents).texts.size() == 1);
    REQUIRE(out.complaints.size() == 1);
    CHECK(out.complaints[0] == "gang \"default/g\" isn't written: another gang has the PodGroup \"g\" already");
}

TEST_CASE("topologies of Topograph may be in the input, and aren't written") {
    const auto manifests = manifests_of(R"({"instances": [{"id": "n1", "network_layers": ["leaf-1", "spine-1"]}]}
---
apiVersion: echelon.sh/v1alpha1
kind: Gang
metadata: {name: g}
spec: {minimum: 1}
)");
    const auto out = cli::translated(manifests, {}, Dialect::koordinator);
    CHECK(out.complaints.empty());
    CHECK(manifests_of(out.documents).texts.size() == 1);
}
