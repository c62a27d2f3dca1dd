#include "kube/watch/upstream_kinds.hpp"

#include <doctest/doctest.h>

namespace echelon::kube {
namespace {

// Kubernetes' own kinds, as a server of one version serves them.
std::vector<WatchStatus> kinds(bool workloads, bool groups, bool composites, std::size_t group_objects = 0) {
    std::vector<WatchStatus> out(3);
    out[0].what = "podgroups.scheduling.k8s.io";
    out[0].served = groups;
    out[0].objects = group_objects;
    out[1].what = "compositepodgroups.scheduling.k8s.io";
    out[1].served = composites;
    out[2].what = "workloads.scheduling.k8s.io";
    out[2].served = workloads;
    for (WatchStatus& status : out)
        status.listed = true;
    return out;
}

std::string only(const std::vector<std::string>& sentences) {
    return sentences.size() == 1 ? sentences.front() : std::to_string(sentences.size()) + " sentences";
}

TEST_CASE("what the API server lacks for Kubernetes' own gangs is said, by version (Z33)") {
    CHECK(only(missing_of_upstream(kinds(false, false, false), false))
              .starts_with("PodGroups and Workloads of"));                                                    // 1.34
    CHECK(missing_of_upstream(kinds(true, false, false), false).empty());                                     // 1.35
    CHECK(only(missing_of_upstream(kinds(false, true, false), false)).starts_with("CompositePodGroups of"));  // 1.36
    CHECK(missing_of_upstream(kinds(false, true, true), false).empty());                                      // 1.37
    auto early = kinds(false, false, false);
    early.front().listed = false;
    CHECK(missing_of_upstream(early, false).empty());
}

TEST_CASE("groups that no pod names are the sign of a gate that is off (Z33)") {
    CHECK(only(missing_of_upstream(kinds(false, true, true, 3), false)) ==
          "no pod names one of the 3 PodGroups of scheduling.k8s.io: a kube-apiserver with the feature gate "
          "GenericWorkload off drops spec.schedulingGroup from pods (docs/install.md)");
    CHECK(missing_of_upstream(kinds(false, true, true, 3), true).empty());
    model::PodSeen seen;
    CHECK_FALSE(names_upstream_group(seen));
    seen.pod.membership.emplace().leaf = {"podgroup", "ns/g"};
    CHECK(names_upstream_group(seen));
    seen.pod.membership->leaf.kind = "volcano-podgroup";
    CHECK_FALSE(names_upstream_group(seen));
    CHECK_FALSE(names_upstream_group(model::PodGone{"uid"}));
}

}  // namespace
}  // namespace echelon::kube
