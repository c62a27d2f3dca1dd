#pragma once

// What do tests of `echelon translate` share? Every scenario and example, the targets, and how plans are compared.

#include "cli/plan.hpp"
#include "config/settings.hpp"
#include "kube/manifests.hpp"
#include "model/facts/event.hpp"
#include "translate/translation.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace echelon::cli::testing {

using translate::Dialect;

inline const std::vector<std::pair<std::string, Dialect>> targets = {{"echelon", Dialect::echelon},
                                                                     {"koordinator", Dialect::koordinator},
                                                                     {"volcano", Dialect::volcano},
                                                                     {"kai", Dialect::kai},
                                                                     {"scheduler-plugins", Dialect::scheduler_plugins},
                                                                     {"grove", Dialect::grove},
                                                                     {"kueue", Dialect::kueue},
                                                                     {"leaderworkerset", Dialect::leader_worker_set},
                                                                     {"kubernetes-1.35", Dialect::kubernetes_1_35},
                                                                     {"kubernetes-1.36", Dialect::kubernetes_1_36},
                                                                     {"kubernetes-1.37", Dialect::kubernetes_1_37}};
// Keys of the scenarios and examples, and the layers that they are then called.
inline constexpr const char* layers = R"(apiVersion: scheduling.koordinator.sh/v1alpha1
kind: ClusterNetworkTopology
metadata: {name: default}
spec:
  networkTopologySpec:
  - {topologyLayer: blockLayer, labelKey: [example.com/block]}
  - {topologyLayer: rackLayer, labelKey: [example.com/rack], parentTopologyLayer: blockLayer}
)";

// The same for the labels of examples.
inline std::string example_layers() {
    std::string text = layers;
    for (auto at = text.find("example.com/"); at != std::string::npos; at = text.find("example.com/"))
        text.replace(at, std::string_view("example.com/").size(), "topology.kubernetes.io/");
    return text;
}

inline config::Settings settings_with_layers() {
    config::Settings settings;
    settings.translation.emplace().topology_key_mappings = {{"example.com/block", "blockLayer"},
                                                            {"example.com/rack", "rackLayer"},
                                                            {"kubernetes.io/hostname", "NodeTopologyLayer"}};
    return settings;
}

inline std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

inline kube::Manifests manifests_of(const std::string& text) {
    auto manifests = kube::read_manifest_text(text, "the text", kube::Keep::texts_too);
    REQUIRE_MESSAGE(manifests, (manifests ? "" : manifests.error().sentence));
    return std::move(*manifests);
}

// What isn't translated: nodes, topologies, classes, pods of no gang, and what workload controllers go on with.
inline std::string surroundings_of(const kube::Manifests& manifests, const std::set<std::string>& translated_pods) {
    const std::set<std::string> groups = {"PodGroup", "CompositePodGroup", "Workload", "PodGang", "Gang"};
    std::string text;
    for (const auto& document : manifests.texts) {
        const auto object = nlohmann::json::parse(document);
        const auto kind = object["kind"].get<std::string>();
        const auto& metadata = object["metadata"];
        const auto name = metadata.value("namespace", "default") + "/" + metadata.value("name", "");
        if (!groups.contains(kind) && (kind != "Pod" || !translated_pods.contains(name)))
            text += document + "\n";
    }
    return text;
}

inline std::set<std::string> pods_in(const kube::Manifests& manifests) {
    std::set<std::string> names;
    for (const auto& event : manifests.events) {
        if (const auto* seen = std::get_if<model::PodSeen>(&event))
            names.insert(seen->pod.full_name());
    }
    return names;
}

inline std::vector<std::filesystem::path> all_files(const std::string& repository) {
    std::vector<std::filesystem::path> files;
    for (const auto* folder : {"/unit-tests/scenarios", "/examples"}) {
        for (const auto& entry : std::filesystem::directory_iterator(repository + folder)) {
            const auto name = entry.path().filename();
            if (name.extension() == ".yaml" && name != "echelon.yaml" && name != "kube-scheduler.yaml")
                files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

// Which pods share a node, whichever of equal nodes that is, and the refused gangs by reason.
struct Decisions {
    std::map<std::string, std::set<std::string>> nodes;
    std::multiset<std::string> refusals;
};

inline Decisions decisions_of(const std::vector<model::Event>& events) {
    const auto report = decide(events);
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

inline std::string shown(const Decisions& decisions) {
    std::set<std::string> lines;
    for (const auto& [node, pods] : decisions.nodes)
        lines.insert(fmt::format("together: {}\n", fmt::join(pods, " ")));
    std::string text = fmt::format("{}", fmt::join(lines, ""));
    for (const auto& refusal : decisions.refusals)
        text += fmt::format("refused: {}\n", refusal);
    return text;
}

}  // namespace echelon::cli::testing
