// Every plan of a translated gang is also allowed for the original (Z25, Z39), unless the translation reports a loss.
// Tries random variations of the clusters of all scenarios and examples, for every target.

#include "cli/offline.hpp"
#include "cli/plan.hpp"
#include "cli/translate.hpp"
#include "model/cluster/cluster.hpp"
#include "solver/violations.hpp"
#include "unit-tests/cli/translations.hpp"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::cli::testing {
namespace {

using nlohmann::json;
using Random = std::mt19937;
using Seats = std::map<std::string, std::string>;  // Pod -> node.

constexpr int worlds = 4;  // Of each file.

bool one_in(int times, Random& random) {
    return random() % static_cast<unsigned>(times) == 0;
}

// Nodes change their places, their size, or whether they take pods.
void vary(std::vector<json>& nodes, Random& random) {
    for (auto& node : nodes) {
        auto& labels = node["metadata"]["labels"];
        auto& others = nodes[random() % nodes.size()]["metadata"]["labels"];
        if (one_in(3, random) && labels.is_object() && others.is_object()) {
            labels.swap(others);
            for (auto* each : {&labels, &others}) {
                if (each->contains("kubernetes.io/hostname"))
                    each->erase("kubernetes.io/hostname");
            }
        }
        auto& amounts = node["status"]["allocatable"];
        if (one_in(3, random) && amounts.contains("nvidia.com/gpu"))
            amounts["nvidia.com/gpu"] = std::to_string(random() % 10);
        if (one_in(8, random))
            node["spec"]["unschedulable"] = true;
    }
    for (auto& node : nodes) {
        if (node["metadata"]["labels"].is_object())
            node["metadata"]["labels"]["kubernetes.io/hostname"] = node["metadata"]["name"];
    }
}

// The documents of a file on other nodes.
std::string varied(const kube::Manifests& manifests, Random& random) {
    std::vector<json> nodes;
    std::string rest;
    for (const auto& document : manifests.texts) {
        auto object = json::parse(document);
        if (object["kind"] == "Node") {
            nodes.push_back(std::move(object));
        } else {
            rest += document + "\n---\n";
        }
    }
    vary(nodes, random);
    for (const auto& node : nodes)
        rest += node.dump() + "\n---\n";
    return rest;
}

Seats seats_in(const std::vector<model::Event>& events) {
    const auto report = decide(events, settings_with_layers());
    REQUIRE_MESSAGE(report, (report ? "" : report.error().sentence));
    Seats seats;
    for (const auto& gang : report->gangs) {
        for (const auto& seat : gang.seats)
            seats.emplace(seat.pod, seat.node);
    }
    return seats;
}

// What the originals of the gangs with these seats forbid. Adds the gangs that were judged to `judged`.
std::string forbidden(const std::vector<model::Event>& events, const Seats& seats, int& judged) {
    const auto cluster = cluster_of(events, settings_with_layers());
    const auto snapshot = cluster.snapshot();
    std::string sentences;
    for (const auto& root : cluster.roots()) {
        const auto gang = cluster.gang(root, snapshot);
        solver::Plan plan;
        bool has_placeholders = false;
        for (std::uint32_t member = 0; member < gang.members.size(); ++member) {
            has_placeholders = has_placeholders || gang.members[member].is_placeholder;
            const auto seat = seats.find(gang.members[member].pod);
            if (seat != seats.end())
                plan.seats.push_back({.member = member, .node = *snapshot.node(seat->second)});
        }
        if (plan.seats.empty() || has_placeholders)
            continue;  // Nodes of placeholders aren't reported.
        ++judged;
        if (gang.problem)
            sentences += root.name + ": " + gang.problem->sentence + "\n";
        for (const auto& violation : solver::violations(snapshot, gang, plan))
            sentences += root.name + ": " + violation.sentence + "\n";
    }
    return sentences;
}

TEST_CASE("on random clusters a translated gang goes nowhere where its original may not (Z25, Z39)") {
    std::map<std::string, int> judged;
    Random random(7);
    for (const auto& file : all_files(ECHELON_SOURCE_DIR)) {
        auto text = text_of(file);
        const bool is_example = file.string().find("/examples/") != std::string::npos;
        if (text.find("ClusterNetworkTopology") == std::string::npos)
            text += "\n---\n" + (is_example ? example_layers() : std::string(layers));
        const auto shown = manifests_of(text);
        for (int world = 0; world < worlds; ++world) {
            const auto original = manifests_of(varied(shown, random));
            for (const auto& [name, target] : targets) {
                const auto out = translated(original, settings_with_layers(), target, "default-scheduler");
                if (!out.complaints.empty() || out.documents.empty())
                    continue;
                const auto again = manifests_of(out.documents);
                const auto after = manifests_of(surroundings_of(original, pods_in(again)) + "---\n" + out.documents);
                CAPTURE(file.filename().string());
                CAPTURE(name);
                CAPTURE(world);
                CAPTURE(out.documents);
                CHECK(forbidden(original.events, seats_in(after.events), judged[name]) == "");
            }
        }
    }
    for (const auto& [name, target] : targets) {
        CAPTURE(name);
        CHECK(judged[name] >= 10);
    }
}

}  // namespace
}  // namespace echelon::cli::testing
