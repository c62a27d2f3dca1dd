// Settings of a gang besides its tree are translated if the target has a field for them: time-outs, which members
// count, and which declaration decides.

#include "kube/manifests.hpp"
#include "model/cluster/cluster.hpp"
#include "translate/translation.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::translate {
namespace {

// The only gang of the manifests.
Translation translated(const std::string& manifests, Dialect target, const TranslationOptions& options = {}) {
    const auto read = kube::read_manifest_text(manifests, "the text");
    REQUIRE_MESSAGE(read, (read ? "" : read.error().sentence));
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    for (const auto& event : read->events)
        static_cast<void>(cluster.apply(event));
    const auto roots = cluster.roots();
    REQUIRE(roots.size() == 1);
    auto out = translate(cluster.facts(roots.front()), target, options, {});
    out.pods.clear();  // Point into the cluster.
    return out;
}

TEST_CASE("the longest time-out of the gang is translated if the target has one, else it is named as lost") {
    const auto group = [](const std::string& name, int seconds) {
        return fmt::format(
            "---\napiVersion: scheduling.sigs.k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {{name: {}, namespace: ml, "
            "annotations: {{gang.scheduling.koordinator.sh/groups: '[\"ml/a\", \"ml/b\"]'}}}}\n"
            "spec: {{minMember: 2, scheduleTimeoutSeconds: {}}}\n",
            name, seconds);
    };
    const std::string gang = group("a", 90) + group("b", 30);
    TranslationOptions options;
    options.schedule_timeout_seconds = 7;
    const auto koordinator = translated(gang, Dialect::koordinator, options);
    for (const auto& object : koordinator.objects)
        CHECK(object["spec"]["scheduleTimeoutSeconds"] == 90);
    CHECK(translated(gang, Dialect::scheduler_plugins).objects.at(0)["spec"]["scheduleTimeoutSeconds"] == 90);
    CHECK(translated(gang, Dialect::echelon).objects.at(0)["spec"]["timeoutSeconds"] == 90);
    CHECK(translated(gang, Dialect::echelon).losses.empty());
    for (const Dialect target : {Dialect::volcano, Dialect::kai})
        CHECK(translated(gang, target).losses == std::vector<std::string>{"its time-out of 90 seconds is lost"});
    const auto unstated = translated(group("a", 0) + group("b", -1), Dialect::koordinator, options);
    CHECK(unstated.objects.at(0)["spec"]["scheduleTimeoutSeconds"] == 7);
}

TEST_CASE("limits and pairs are translated to a Gang, and make every other target refuse the gang (Z26)") {
    const std::string groups =
        "groups: [{name: a, minimum: 2, maxPerDomain: {example.com/rack: 1}}, {name: b, minimum: 2}]";
    const std::string gang = "apiVersion: echelon.sh/v1alpha1\nkind: Gang\nmetadata: {name: g, namespace: ml}\nspec: ";
    const std::string limited = gang + "{minimum: 2, maxPerDomain: {example.com/rack: 1}}\n";
    const std::string paired = gang + "{pairedTopology: example.com/rack, " + groups + "}\n";
    const auto own = translated(paired, Dialect::echelon);
    CHECK(own.refusal == "");
    const auto& spec = own.objects.at(0)["spec"];
    CHECK(spec["pairedTopology"] == "example.com/rack");
    CHECK(spec["groups"][0]["maxPerDomain"] == nlohmann::json{{"example.com/rack", 1}});
    for (const Dialect target :
         {Dialect::koordinator, Dialect::volcano, Dialect::kai, Dialect::scheduler_plugins, Dialect::grove,
          Dialect::kueue, Dialect::kubernetes_1_35, Dialect::kubernetes_1_36, Dialect::kubernetes_1_37}) {
        CAPTURE(static_cast<int>(target));
        CHECK(translated(limited, target).refusal.contains("1 in one \"example.com/rack\" at most"));
        const bool has_groups = target != Dialect::kubernetes_1_35 && target != Dialect::kubernetes_1_36;
        const std::string refusal = translated(paired, target).refusal;
        CHECK(refusal.contains(has_groups ? "in proportion in each \"example.com/rack\"" : "groups"));
    }
}

TEST_CASE("that running members don't count is translated only for Koordinator") {
    const std::string gang =
        "apiVersion: scheduling.sigs.k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: g, namespace: ml, annotations: "
        "{gang.scheduling.koordinator.sh/match-policy: only-waiting}}\nspec: {minMember: 2}\n";
    const auto koordinator = translated(gang, Dialect::koordinator);
    CHECK(koordinator.objects.at(0)["metadata"]["annotations"]["gang.scheduling.koordinator.sh/match-policy"] ==
          "only-waiting");
    CHECK(koordinator.losses.empty());
    for (const Dialect target : {Dialect::echelon, Dialect::volcano, Dialect::kai, Dialect::scheduler_plugins}) {
        CHECK(translated(gang, target).losses ==
              std::vector<std::string>{"group \"ml/g\": the rule that running pods do not count is lost"});
    }
}

TEST_CASE("the oldest pod's declaration is translated, and pods that differ are named") {
    const auto pod = [](const std::string& name, int minimum) {
        return fmt::format(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {}, namespace: ml, annotations: "
            "{{gang.scheduling.koordinator.sh/name: g, gang.scheduling.koordinator.sh/min-available: '{}'}}}}\n"
            "spec: {{schedulerName: default-scheduler, containers: [{{name: c}}]}}\n",
            name, minimum);
    };
    const auto out = translated(pod("p0", 2) + pod("p1", 1), Dialect::scheduler_plugins);
    CHECK(out.objects.at(0)["spec"]["minMember"] == 2);
    REQUIRE(out.losses.size() == 1);
    CHECK(out.losses.front().find("pod \"ml/p1\" disagrees with the oldest, \"ml/p0\"") != std::string::npos);
}

}  // namespace
}  // namespace echelon::translate
