// Pods outside of all groups of their gang, in a target that has a group for them, and in one that hasn't.

#include "kube/manifests.hpp"
#include "model/cluster/cluster.hpp"
#include "translate/translation.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

namespace echelon::translate {
namespace {

using nlohmann::json;

// The only gang of the manifests.
Translation translated(const std::string& manifests, Dialect target) {
    const auto read = kube::read_manifest_text(manifests, "the text");
    REQUIRE_MESSAGE(read, (read ? "" : read.error().sentence));
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    for (const auto& event : read->events)
        static_cast<void>(cluster.apply(event));
    const auto roots = cluster.roots();
    REQUIRE(roots.size() == 1);
    auto out = translate(cluster.facts(roots.front()), target, {}, {});
    out.pods.clear();  // Point into the cluster.
    return out;
}

TEST_CASE("the leaf of KAI's extras counts only where it is written as a group (Z19)") {
    const std::string gang = R"(apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: g, namespace: ml}
spec: {minSubGroup: 1, subGroups: [{name: a, minMember: 2}, {name: b, minMember: 3}]}
---
apiVersion: v1
kind: Pod
metadata: {name: x, namespace: ml, annotations: {pod-group-name: g}}
spec: {schedulerName: default-scheduler, containers: [{name: c}]}
)";
    const auto kai = translated(gang, Dialect::kai);
    REQUIRE(kai.objects.size() == 1);
    CHECK(kai.objects.front()["spec"]["minSubGroup"] == 1);
    CHECK(kai.objects.front()["spec"]["subGroups"].size() == 2);
    const auto kubernetes = translated(gang, Dialect::kubernetes_1_37);
    REQUIRE(kubernetes.refusal == "");
    const auto root = std::ranges::find(kubernetes.objects, json("CompositePodGroup"),
                                        [](const json& object) { return object["kind"]; });
    REQUIRE(root != kubernetes.objects.end());
    CHECK((*root)["spec"]["schedulingPolicy"]["gang"]["minGroupCount"] == 1);
    const auto own = translated(gang, Dialect::echelon);
    REQUIRE(own.objects.size() == 1);
    CHECK(own.objects.front()["spec"]["minimum"] == 2);
    CHECK(own.objects.front()["spec"]["groups"].size() == 3);
}

}  // namespace
}  // namespace echelon::translate
