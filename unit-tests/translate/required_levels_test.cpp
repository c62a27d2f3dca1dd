// The required level of a gang is translated to Koordinator for every group below it.

#include "kube/manifests.hpp"
#include "model/cluster/cluster.hpp"
#include "translate/translation.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::translate {
namespace {

using nlohmann::json;

// The gang over two podgroups that each ask for this.
Translation translated(const std::string& of_podgroup) {
    const std::string own = "minReplicas: 1, topologyConstraint: {packConstraint: {" + of_podgroup + "}}";
    const auto read = kube::read_manifest_text(
        "apiVersion: scheduler.grove.io/v1alpha1\nkind: PodGang\nmetadata: {name: demo, namespace: ml, uid: u-1}\n"
        "spec: {topologyConstraint: {packConstraint: {required: topology.kubernetes.io/block}}, podgroups: [{name: "
        "p, " +
            own + "}, {name: q, " + own + "}]}\n",
        "the text");
    REQUIRE_MESSAGE(read, (read ? "" : read.error().sentence));
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    for (const auto& event : read->events)
        static_cast<void>(cluster.apply(event));
    return translate(cluster.facts(cluster.roots().front()), Dialect::koordinator, {}, {});
}

// The layers of each of both PodGroups.
json gathered(const std::string& of_podgroup) {
    const auto out = translated(of_podgroup);
    CHECK(out.refusal == "");
    CHECK(out.losses.empty());
    REQUIRE(out.objects.size() == 2);
    const auto spec_of = [&out](std::size_t at) {
        return out.objects[at]["metadata"]["annotations"]["gang.scheduling.koordinator.sh/network-topology-spec"];
    };
    CHECK(spec_of(0) == spec_of(1));
    return json::parse(spec_of(0).get<std::string>())["gatherStrategy"];
}

TEST_CASE("Z25: what a gang requires is never overridden by what a podgroup wishes or requires") {
    const json block = {{"layer", "blockLayer"}, {"strategy", "MustGather"}};
    CHECK(gathered("preferred: topology.kubernetes.io/rack") ==
          json::array({block, {{"layer", "rackLayer"}, {"strategy", "PreferGather"}}}));
    CHECK(gathered("required: topology.kubernetes.io/rack") ==
          json::array({block, {{"layer", "rackLayer"}, {"strategy", "MustGather"}}}));
    CHECK(gathered("required: topology.kubernetes.io/block") == json::array({block}));
}

}  // namespace
}  // namespace echelon::translate
