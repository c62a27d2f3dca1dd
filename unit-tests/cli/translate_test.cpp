// What `echelon translate` writes is read again, and planned as what it was made of, wherever nothing was reported
// lost.

#include "cli/translate.hpp"

#include "cli/plan.hpp"
#include "kube/manifests.hpp"
#include "unit-tests/cli/files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

using namespace echelon;

namespace {

using nlohmann::json;
using translate::Dialect;

const std::vector<std::pair<std::string, Dialect>> targets = {{"echelon", Dialect::echelon},
                                                              {"koordinator", Dialect::koordinator},
                                                              {"volcano", Dialect::volcano},
                                                              {"kai", Dialect::kai},
                                                              {"scheduler-plugins", Dialect::scheduler_plugins},
                                                              {"grove", Dialect::grove},
                                                              {"kueue", Dialect::kueue},
                                                              {"kubernetes-1.35", Dialect::kubernetes_1_35},
                                                              {"kubernetes-1.36", Dialect::kubernetes_1_36},
                                                              {"kubernetes-1.37", Dialect::kubernetes_1_37}};
// Keys of the scenarios and examples, and the layers that they are then called.
constexpr const char* layers = R"(apiVersion: scheduling.koordinator.sh/v1alpha1
kind: ClusterNetworkTopology
metadata: {name: default}
spec:
  networkTopologySpec:
  - {topologyLayer: blockLayer, labelKey: [example.com/block]}
  - {topologyLayer: rackLayer, labelKey: [example.com/rack], parentTopologyLayer: blockLayer}
)";

// The same for the labels of examples.
std::string example_layers() {
    std::string text = layers;
    for (auto at = text.find("example.com/"); at != std::string::npos; at = text.find("example.com/"))
        text.replace(at, std::string_view("example.com/").size(), "topology.kubernetes.io/");
    return text;
}

config::Settings settings_with_layers() {
    config::Settings settings;
    settings.translation.emplace().topology_key_mappings = {{"example.com/block", "blockLayer"},
                                                            {"example.com/rack", "rackLayer"},
                                                            {"kubernetes.io/hostname", "NodeTopologyLayer"}};
    return settings;
}

std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

kube::Manifests manifests_of(const std::string& text) {
    auto manifests = kube::read_manifest_text(text, "the text", kube::Keep::texts_too);
    REQUIRE_MESSAGE(manifests, (manifests ? "" : manifests.error().sentence));
    return std::move(*manifests);
}

// What isn't translated: nodes, topologies, classes, pods of no gang, and what workload controllers go on with.
std::string surroundings_of(const kube::Manifests& manifests, const std::set<std::string>& translated_pods) {
    const std::set<std::string> groups = {"PodGroup", "CompositePodGroup", "Workload", "PodGang", "Gang"};
    std::string text;
    for (const auto& document : manifests.texts) {
        const auto object = json::parse(document);
        const auto kind = object["kind"].get<std::string>();
        const auto& metadata = object["metadata"];
        const auto name = metadata.value("namespace", "default") + "/" + metadata.value("name", "");
        if (!groups.contains(kind) && (kind != "Pod" || !translated_pods.contains(name)))
            text += document + "\n";
    }
    return text;
}

std::set<std::string> pods_in(const kube::Manifests& manifests) {
    std::set<std::string> names;
    for (const auto& event : manifests.events) {
        if (const auto* seen = std::get_if<model::PodSeen>(&event))
            names.insert(seen->pod.full_name());
    }
    return names;
}

// Which pods share a node, whichever of equal nodes that is, and the refused gangs by reason.
struct Decisions {
    std::map<std::string, std::set<std::string>> nodes;
    std::multiset<std::string> refusals;
};

Decisions decisions_of(const std::vector<model::Event>& events) {
    const auto report = cli::decide(events);
    REQUIRE_MESSAGE(report, (report ? "" : report.error().sentence));
    Decisions decisions;
    for (const auto& gang : report->gangs) {
        for (const auto& seat : gang.seats)
            decisions.nodes[seat.node].insert(seat.pod);
        if (gang.reason)
            decisions.refusals.emplace(model::to_string(*gang.reason));
    }
    return decisions;
}

std::string shown(const Decisions& decisions) {
    std::set<std::string> lines;
    for (const auto& [node, pods] : decisions.nodes)
        lines.insert(fmt::format("together: {}\n", fmt::join(pods, " ")));
    std::string text = fmt::format("{}", fmt::join(lines, ""));
    for (const auto& refusal : decisions.refusals)
        text += fmt::format("refused: {}\n", refusal);
    return text;
}

std::vector<std::filesystem::path> all_files() {
    std::vector<std::filesystem::path> files;
    for (const auto* folder : {"/unit-tests/scenarios", "/examples"}) {
        for (const auto& entry : std::filesystem::directory_iterator(std::string(ECHELON_SOURCE_DIR) + folder)) {
            const auto name = entry.path().filename();
            if (name.extension() == ".yaml" && name != "echelon.yaml" && name != "kube-scheduler.yaml")
                files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace

TEST_CASE("Z39: what is translated without a complaint is planned as before") {
    std::map<std::string, int> compared;
    for (const auto& file : all_files()) {
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
        {"echelon", 50},           {"koordinator", 20},    {"volcano", 20}, {"kai", 30},
        {"scheduler-plugins", 10}, {"grove", 20},          {"kueue", 20},   {"kubernetes-1.35", 5},
        {"kubernetes-1.36", 10},   {"kubernetes-1.37", 30}};
    for (const auto& [name, least] : least_compared) {
        CAPTURE(name);
        CHECK(compared[name] >= least);
    }
}

TEST_CASE("the exit status says whether all was said") {
    const cli::testing::Folder folder;
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

TEST_CASE("Z25: a gang whose PodCliqueSet asks for multi-node NVLink isn't written for Koordinator") {
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
