#include "app/upstream_notice.hpp"

#include "app/ready_checks.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace echelon;

namespace {

std::vector<kube::WatchStatus> kinds_of_1_36() {
    std::vector<kube::WatchStatus> all(3);
    all[0].what = "podgroups.scheduling.k8s.io";
    all[1].what = "compositepodgroups.scheduling.k8s.io";
    all[2].what = "workloads.scheduling.k8s.io";
    for (auto& status : all)
        status.listed = true;
    all[1].served = false;
    return all;
}

}  // namespace

TEST_CASE("a kind that isn't served is no reason to be unready, and its line says so (Z33)") {
    auto all = kinds_of_1_36();
    all[2].listed = false;
    engine::PublishedState published;
    const auto checks = app::checks_of(all, published);
    REQUIRE(checks.size() == 3);
    CHECK(checks[0].trouble.empty());
    CHECK(checks[1].trouble.empty());
    CHECK(checks[1].note == "not served");
    CHECK(checks[2].trouble == "not listed yet");
    CHECK(app::checks_of({}, published).at(0).trouble == "starting");
}

TEST_CASE("the first pod that names a group of Kubernetes is the sign that the field is kept (Z33)") {
    auto all = kinds_of_1_36();
    all[0].objects = 1;
    app::UpstreamNotice notice;
    CHECK(notice.sentences(all).size() == 2);
    model::PodSeen seen;
    notice.note(seen);
    CHECK(notice.sentences(all).size() == 2);
    seen.pod.membership.emplace().leaf = {"podgroup", "ns/g"};
    notice.note(seen);
    const auto left = notice.sentences(all);
    REQUIRE(left.size() == 1);
    CHECK(left.front().starts_with("CompositePodGroups of scheduling.k8s.io are not served"));
}
