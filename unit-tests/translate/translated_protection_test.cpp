// What a translated gang says about evictions: disruption modes, and what is never evicted (U2).

#include "kube/manifests.hpp"
#include "model/cluster/cluster.hpp"
#include "translate/translation.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::translate {
namespace {

struct Written {
    std::vector<nlohmann::json> objects;
    PodMembershipPatch marks;  // Of the last pod.
    std::string losses;
};

Written written(const std::string& manifests, Dialect target) {
    const auto read = kube::read_manifest_text(manifests, "the text");
    REQUIRE_MESSAGE(read, (read ? "" : read.error().sentence));
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    for (const auto& event : read->events)
        static_cast<void>(cluster.apply(event));
    REQUIRE(cluster.roots().size() == 1);
    const auto facts = cluster.facts(cluster.roots().front());
    auto out = translate(facts, target, {}, {});
    CHECK(out.refusal == "");
    Written got{.objects = std::move(out.objects), .marks = {}, .losses = {}};
    if (!out.pods.empty())
        got.marks = out.pods.back().second;
    for (const auto& loss : out.losses)
        got.losses += loss + "\n";
    return got;
}

std::string pod(const std::string& metadata) {
    return fmt::format(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p, namespace: ml, {}}}\nspec: {{schedulerName: "
        "default-scheduler, containers: [{{name: c}}]}}\n",
        metadata);
}

TEST_CASE("mode all of a gang is written on every group below, since Kubernetes takes silence for single (U2, S28)") {
    const auto got = written(R"(apiVersion: echelon.sh/v1alpha1
kind: Gang
metadata: {name: g, namespace: ml}
spec: {disruptionMode: all, groups: [{name: a, minimum: 1}, {name: b, minimum: 1}]}
)",
                             Dialect::kubernetes_1_37);
    REQUIRE(got.objects.size() == 4);
    for (std::size_t at = 1; at < got.objects.size(); ++at)  // After the Workload.
        CHECK(got.objects[at]["spec"]["disruptionMode"].dump() == R"({"all":{}})");
}

TEST_CASE("KAI protects a gang from priority 100 on, so a translated one says that it may be evicted (U2)") {
    const auto of_class = [](int value) {
        const auto got = written(fmt::format("apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {{name: "
                                             "c}}\nvalue: {}\n---\napiVersion: scheduling.x-k8s.io/v1alpha1\nkind: "
                                             "PodGroup\nmetadata: {{name: g, namespace: ml}}\nspec: {{minMember: 1, "
                                             "priorityClassName: c}}\n",
                                             value),
                                 Dialect::kai);
        return got.objects.at(0)["spec"].value("preemptibility", "absent");
    };
    CHECK(of_class(99) == "absent");
    CHECK(of_class(100) == "preemptible");
}

constexpr const char* default_class = R"(apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: usual}
value: 1000
globalDefault: true
---
)";

TEST_CASE("a gang without a class has the priority of the default class in KAI, and may still be evicted (U2, Z19)") {
    const auto got = written(std::string(default_class) + R"(apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: g, namespace: ml}
spec: {minMember: 1}
)" + pod("labels: {scheduling.x-k8s.io/pod-group: g}"),
                             Dialect::kai);
    CHECK(got.objects.at(0)["spec"].value("preemptibility", "absent") == "preemptible");
    CHECK(got.losses == "");
}

TEST_CASE("the priority of a KAI PodGroup that is lost is that of the default class (Z19)") {
    const auto got = written(std::string(default_class) + R"(apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: g, namespace: ml}
spec: {minMember: 1}
)",
                             Dialect::scheduler_plugins);
    CHECK(got.losses.find("its priority 1000 is lost") != std::string::npos);
}

TEST_CASE("a gang that is never evicted is so in Volcano's words, too (U2)") {
    const auto got = written(R"(apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: g, namespace: ml}
spec: {minMember: 1, preemptibility: non-preemptible}
)",
                             Dialect::volcano);
    CHECK(got.objects.at(0)["metadata"]["annotations"]["volcano.sh/preemptable"] == "false");
    CHECK(got.losses.find("evicted") == std::string::npos);
}

TEST_CASE("a pod that is never evicted gets the target's mark, or its loss is said (U2)") {
    const std::string never = R"(apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: g, namespace: ml}
spec: {minMember: 1}
)" + pod("labels: {scheduling.x-k8s.io/pod-group: g}, annotations: {echelon.sh/evict: never}");
    CHECK(written(never, Dialect::volcano).marks.annotations.at("volcano.sh/preemptable") == "false");
    CHECK(written(never, Dialect::koordinator).marks.labels.at("quota.scheduling.koordinator.sh/preemptible") ==
          "false");
    CHECK(written(never, Dialect::echelon).losses == "");
    CHECK(written(never, Dialect::kubernetes_1_37).losses ==
          "group \"ml/g\": that some of its pods are never evicted is lost\n");
}

}  // namespace
}  // namespace echelon::translate
