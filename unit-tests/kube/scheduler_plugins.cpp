#include "kube/scheduler_plugins.hpp"

#include "unit-tests/kube/support/decoded.hpp"

namespace echelon::kube {
namespace {

constexpr const char* version = "scheduling.x-k8s.io/v1alpha1";

TEST_CASE("a PodGroup of scheduler-plugins is a leaf and its own root") {
    const auto events = decode(group_object(version, "PodGroup",
                                            R"({"minMember": 3, "scheduleTimeoutSeconds": 60, "priorityClassName": "p",
                                                "minResources": {"cpu": "3"}})",
                                            {{"echelon.sh/preferred-topology", "example.com/rack"}}),
                               Change::seen);
    REQUIRE(events);
    const auto& group = std::get<model::GroupSeen>(events->front()).group;
    CHECK(group.key == model::GroupKey{"x-k8s-podgroup", "ns/g"});
    CHECK(group.kind == model::GroupKind::leaf);
    CHECK(group.minimum == 3);
    CHECK(group.priority_class == "p");
    CHECK(group.preferred == std::vector<std::string>{"example.com/rack"});
    CHECK(group.problem == "");
    const auto gone = decode(group_object(version, "PodGroup", R"({"minMember": 3})"), Change::gone);
    CHECK(std::get<model::GroupGone>(gone->front()).key == group.key);
}

TEST_CASE("A3: its minimum is a number from 1 on") {
    CHECK(fault_in(group_object(version, "PodGroup", R"({"minMember": 0})")) ==
          "PodGroup ns/g: spec.minMember: must be between 1 and 2147483647, not 0");
    CHECK(fault_in(group_object(version, "PodGroup", R"({"minMember": 1.5})")) != "");
}

TEST_CASE("a pod names it by label") {
    CHECK(membership_of({{"scheduling.x-k8s.io/pod-group", "g"}})->leaf == model::GroupKey{"x-k8s-podgroup", "ns/g"});
    CHECK_FALSE(membership_of({{"scheduling.x-k8s.io/pod-group", ""}}));
}

}  // namespace
}  // namespace echelon::kube
