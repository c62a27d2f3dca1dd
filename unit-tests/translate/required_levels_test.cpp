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
Translation translated(const std::string& of_podgroup, const std::string& of_gang = "topology.kubernetes.io/block",
                       const TranslationOptions& options = {}, const TranslationTarget& known = {}) {
    const std::string own = "minReplicas: 1, topologyConstraint: {packConstraint: {" + of_podgroup + "}}";
    const auto read = kube::read_manifest_text(
        "apiVersion: scheduler.grove.io/v1alpha1\nkind: PodGang\nmetadata: {name: demo, namespace: ml, uid: u-1}\n"
        "spec: {topologyConstraint: {packConstraint: {required: " +
            of_gang + "}}, podgroups: [{name: p, " + own + "}, {name: q, " + own + "}]}\n",
        "the text");
    REQUIRE_MESSAGE(read, (read ? "" : read.error().sentence));
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    for (const auto& event : read->events)
        static_cast<void>(cluster.apply(event));
    return translate(cluster.facts(cluster.roots().front()), Dialect::koordinator, options, known);
}

// The layers of each of both PodGroups.
json gathered(const Translation& out) {
    CHECK(out.refusal == "");
    CHECK(out.losses.empty());
    REQUIRE(out.objects.size() == 2);
    const auto spec_of = [&out](std::size_t at) {
        return out.objects[at]["metadata"]["annotations"]["gang.scheduling.koordinator.sh/network-topology-spec"];
    };
    CHECK(spec_of(0) == spec_of(1));
    return json::parse(spec_of(0).get<std::string>())["gatherStrategy"];
}

TEST_CASE("what a gang requires is never overridden by what a podgroup wishes or requires (Z25)") {
    const json block = {{"layer", "blockLayer"}, {"strategy", "MustGather"}};
    CHECK(gathered(translated("preferred: topology.kubernetes.io/rack")) ==
          json::array({block, {{"layer", "rackLayer"}, {"strategy", "PreferGather"}}}));
    CHECK(gathered(translated("required: topology.kubernetes.io/rack")) ==
          json::array({block, {{"layer", "rackLayer"}, {"strategy", "MustGather"}}}));
    CHECK(gathered(translated("required: topology.kubernetes.io/block")) == json::array({block}));
}

TEST_CASE("a wider level of a podgroup doesn't take the place of the gang's narrower one (Z25)") {
    const json rack = json::array({{{"layer", "rackLayer"}, {"strategy", "MustGather"}}});
    const std::string key = "topology.kubernetes.io/rack";
    CHECK(gathered(translated("required: topology.kubernetes.io/block", key)) == rack);
    TranslationOptions options;
    options.layers = {{"example.com/row", "rowLayer"}};
    TranslationTarget known;
    known.layers = Layers{{"rowLayer", {"example.com/row"}}, {"rackLayer", {key}}};
    CHECK(gathered(translated("required: example.com/row", key, options, known)) == rack);
    known.layers = Layers{{"rackLayer", {key}}, {"rowLayer", {"example.com/row"}}};
    CHECK(gathered(translated("required: example.com/row", key, options, known)) ==
          json::array({rack[0], {{"layer", "rowLayer"}, {"strategy", "MustGather"}}}));
    CHECK(translated("required: example.com/row", key, options).refusal ==
          "Koordinator applies the wider of the levels \"topology.kubernetes.io/rack\" and \"example.com/row\" to all "
          "groups, and which one that is isn't known without the ClusterNetworkTopology \"default\"");
}

}  // namespace
}  // namespace echelon::translate
