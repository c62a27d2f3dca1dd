#include "kube/dialects/scheduler_plugins.hpp"

#include "unit-tests/kube/support/rows.hpp"

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
    CHECK(group.timeout == 60);
    CHECK(group.priority_class == "p");
    CHECK(group.preferred == std::vector<std::string>{"example.com/rack"});
    CHECK(group.problem == "");
    const auto gone = decode(group_object(version, "PodGroup", R"({"minMember": 3})"), Change::gone);
    CHECK(std::get<model::GroupGone>(gone->front()).key == group.key);
}

TEST_CASE("fields of the PodGroup of scheduler-plugins, row by row (A3)") {
    check_faults(
        version, "PodGroup",
        {{"spec", "[]", "spec: must be an object, not a list"},
         {"minMember: text", R"({"minMember": "3"})", "spec.minMember: must be an integer, not \"3\""},
         {"minMember: fraction", R"({"minMember": 1.5})", "spec.minMember: must be an integer, not 1.5"},
         {"minMember: below", R"({"minMember": 0})", "spec.minMember: must be between 1 and 2147483647, not 0"},
         {"minMember: above", R"({"minMember": 2147483648})",
          "spec.minMember: must be between 1 and 2147483647, not 2147483648"},
         {"scheduleTimeoutSeconds: text", R"({"minMember": 1, "scheduleTimeoutSeconds": "60"})",
          "spec.scheduleTimeoutSeconds: must be an integer, not \"60\""},
         {"scheduleTimeoutSeconds: fraction", R"({"minMember": 1, "scheduleTimeoutSeconds": 0.5})",
          "spec.scheduleTimeoutSeconds: must be an integer, not 0.5"},
         {"scheduleTimeoutSeconds: below", R"({"minMember": 1, "scheduleTimeoutSeconds": -2147483649})",
          "spec.scheduleTimeoutSeconds: must be between -2147483648 and 2147483647, not -2147483649"},
         {"priorityClassName", R"({"minMember": 1, "priorityClassName": 7})",
          "spec.priorityClassName: must be a string, not 7"}});
}

TEST_CASE("what its controller and plugin alone use changes nothing, whatever it says") {
    const auto read = [](const std::string& spec, const nlohmann::json& status = nullptr) {
        nlohmann::json object = group_object(version, "PodGroup", spec);
        object["status"] = status;
        return std::get<model::GroupSeen>(decode(object, Change::seen)->front()).group;
    };
    const auto plain = read(R"({"minMember": 3})");
    CHECK(read(R"({"minMember": 3, "minResources": 7})") == plain);
    for (const char* nothing : {"0", "-1", "null"})
        CHECK(read(std::string(R"({"minMember": 3, "scheduleTimeoutSeconds": )") + nothing + "}") == plain);
    CHECK(read(R"({"minMember": 3})", {{"phase", "Finished"}, {"scheduled", 3}}) == plain);
    CHECK_FALSE(read("{}").minimum);  // Nothing says it: the tree is Invalid.
    CHECK(plain.priority_class == "");
}

TEST_CASE("a pod names it by label") {
    CHECK(membership_of({{"scheduling.x-k8s.io/pod-group", "g"}})->leaf == model::GroupKey{"x-k8s-podgroup", "ns/g"});
    CHECK_FALSE(membership_of({{"scheduling.x-k8s.io/pod-group", ""}}));
}

}  // namespace
}  // namespace echelon::kube
