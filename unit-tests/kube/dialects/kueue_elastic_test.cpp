// Elastic jobs of Kueue: Workloads that follow each other as the job is scaled.
#include "kube/dialects/kueue.hpp"
#include "unit-tests/kube/support/rows.hpp"

namespace echelon::kube {
namespace {

using model::GroupKey;
using nlohmann::json;

TEST_CASE("the Workloads of an elastic job declare the groups of the first one until they are replaced") {
    json second = group_object("kueue.x-k8s.io/v1beta2", "Workload", "{}");
    second["metadata"]["annotations"] = {{"kueue.x-k8s.io/workload-slice-name", "first"}};
    second["spec"]["podSets"] = json::array({{{"name", "main"}, {"count", 3}}});
    const auto set = set_in(second);
    CHECK(set.owner == GroupKey{"kueue-workload", "ns/g"});
    CHECK(set.groups.empty());
    REQUIRE(set.shared.size() == 2);
    CHECK(set.shared.front().key == GroupKey{"kueue-workload", "ns/first"});
    CHECK(set.shared.front().uid.empty());
    CHECK(set.shared.back().key == GroupKey{"kueue-podset", "ns/first/main"});
    CHECK(set.shared.back().minimum == 3);
    CHECK(set.shared.back().policy.oldest_pod_decides);

    json faulty = second;
    faulty["spec"]["podSets"][0]["count"] = "3";
    const auto refused = decode(faulty, Change::seen);
    REQUIRE_FALSE(refused);
    const auto instead = event_of_unreadable(faulty, refused.error());
    REQUIRE(instead);
    CHECK(std::get<model::GroupSetSeen>(*instead).set.shared.front().problem ==
          "spec.podSets[0].count: must be an integer, not \"3\"");

    for (const bool is_replaced : {false, true}) {
        CAPTURE(is_replaced);
        json finished = {{"type", "Finished"}, {"status", "True"}};
        finished["reason"] = is_replaced ? "WorkloadSliceReplaced" : "Succeeded";
        second["status"]["conditions"] = json::array({finished});
        CHECK(set_in(second).shared.empty() == is_replaced);
        json unnamed = second;  // As an older Kueue created it.
        unnamed["metadata"].erase("annotations");
        CHECK(set_in(unnamed).groups.empty() == is_replaced);
    }
}

}  // namespace
}  // namespace echelon::kube
