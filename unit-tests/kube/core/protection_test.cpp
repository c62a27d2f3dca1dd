#include "kube/core/protection.hpp"

#include "unit-tests/kube/support/decoded.hpp"

namespace echelon::kube {
namespace {

using nlohmann::json;

json pod(const json& metadata) {
    json object{{"apiVersion", "v1"},
                {"kind", "Pod"},
                {"metadata", {{"name", "p"}, {"namespace", "ns"}}},
                {"spec", {{"containers", json::array()}}},
                {"status", {{"startTime", "2026-01-01T00:00:00Z"}}}};
    object["metadata"].update(metadata);
    return object;
}

model::Pod read(const json& metadata) {
    const auto events = decode(pod(metadata), Change::seen);
    REQUIRE_MESSAGE(events, (events ? "" : events.error().sentence));
    return std::get<model::PodSeen>(events->front()).pod;
}

json owner(const std::string& kind, bool controller) {
    return {{"ownerReferences", json::array({{{"kind", kind}, {"name", "o"}, {"controller", controller}}})}};
}

TEST_CASE("a pod is never evicted that says so in any dialect, or that would come back to its node at once (U2, U3)") {
    struct Row {
        const char* name;
        json metadata;
        bool is_protected;
        bool is_of_node = false;
    };
    const Row rows[] = {
        {"nothing said", json::object(), false},
        {"our annotation", {{"annotations", {{"echelon.sh/evict", "never"}}}}, true},
        {"another value of it", {{"annotations", {{"echelon.sh/evict", "soon"}}}}, false},
        {"Volcano: false", {{"annotations", {{"volcano.sh/preemptable", "false"}}}}, true},
        {"Volcano: true", {{"annotations", {{"volcano.sh/preemptable", "T"}}}}, false},
        {"Volcano: not a truth value", {{"labels", {{"volcano.sh/preemptable", "maybe"}}}}, true},
        {"Volcano: the annotation before the label",
         {{"annotations", {{"volcano.sh/preemptable", "true"}}}, {"labels", {{"volcano.sh/preemptable", "false"}}}},
         false},
        {"Koordinator", {{"labels", {{"quota.scheduling.koordinator.sh/preemptible", "false"}}}}, true},
        {"Koordinator: true", {{"labels", {{"quota.scheduling.koordinator.sh/preemptible", "true"}}}}, false},
        {"mirror pod", {{"annotations", {{"kubernetes.io/config.mirror", "0a1b"}}}}, true, true},
        {"static pod", owner("Node", true), true, true},
        {"static pod of a file", {{"annotations", {{"kubernetes.io/config.source", "file"}}}}, true, true},
        {"pod of the API server", {{"annotations", {{"kubernetes.io/config.source", "api"}}}}, false},
        {"DaemonSet", owner("DaemonSet", true), true, true},
        {"owned by a DaemonSet that does not control it", owner("DaemonSet", false), false},
        {"ReplicaSet", owner("ReplicaSet", true), false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        const auto pod = read(row.metadata);
        CHECK(pod.is_protected == row.is_protected);
        CHECK(pod.is_of_node == row.is_of_node);
    }
}

TEST_CASE("the start of a pod is its status's start time") {
    CHECK(read(json::object()).started == 1767225600);
}

TEST_CASE("Volcano's mark on a PodGroup protects every pod of it (U2)") {
    const auto marked = [](const char* value) {
        const auto set = set_in(group_object("scheduling.volcano.sh/v1beta1", "PodGroup", R"({"minMember": 2})",
                                             {{"volcano.sh/preemptable", value}}));
        return set.groups.front().protected_from.has_value();
    };
    CHECK(marked("false"));
    CHECK_FALSE(marked("true"));
}

TEST_CASE("a PodDisruptionBudget allows what its status says; one that is older than its spec allows nothing (U3)") {
    const auto budget_of = [](const json& spec, const json& status) {
        const json object{{"apiVersion", "policy/v1"},
                          {"kind", "PodDisruptionBudget"},
                          {"metadata", {{"name", "b"}, {"namespace", "ns"}, {"generation", 4}}},
                          {"spec", spec},
                          {"status", status}};
        const auto events = decode(object, Change::seen);
        REQUIRE_MESSAGE(events, (events ? "" : events.error().sentence));
        return std::get<model::BudgetSeen>(events->front()).budget;
    };
    const json spec{{"selector", {{"matchLabels", {{"app", "web"}}}}}};
    const auto budget = budget_of(spec, {{"disruptionsAllowed", 3}, {"observedGeneration", 4}});
    CHECK(budget.ns == "ns");
    CHECK(budget.name == "b");
    CHECK(budget.allowed == 3);
    REQUIRE(budget.selector);
    CHECK(budget.selector->size() == 1);
    CHECK(budget_of(spec, {{"disruptionsAllowed", 3}, {"observedGeneration", 3}}).allowed == 0);
    CHECK(budget_of(spec, nullptr).allowed == 0);
    CHECK(budget_of({{"selector", json::object()}}, nullptr).selector->empty());
    CHECK_FALSE(budget_of(json::object(), nullptr).selector);
}

TEST_CASE("a pod on a node is not ready where its status says so") {
    const auto is_unready = [](const json& conditions, const char* node = "n0") {
        json object = pod(json::object());
        object["spec"]["nodeName"] = node;
        object["status"] = {{"phase", "Running"}, {"conditions", conditions}};
        const auto events = decode(object, Change::seen);
        REQUIRE_MESSAGE(events, (events ? "" : events.error().sentence));
        return std::get<model::PodSeen>(events->front()).pod.is_unready;
    };
    const auto ready = [](const char* status) { return json{{"type", "Ready"}, {"status", status}}; };
    const json scheduled{{"type", "PodScheduled"}, {"status", "True"}};
    CHECK(is_unready(json::array({scheduled, ready("False")})));
    CHECK(is_unready(json::array({ready("Unknown")})));
    CHECK_FALSE(is_unready(json::array({ready("True")})));
    CHECK_FALSE(is_unready(json::array({scheduled})));
    CHECK_FALSE(is_unready(json::array({ready("False")}), ""));
}

TEST_CASE("a budget that is deleted is gone by its name") {
    const json object{{"apiVersion", "policy/v1"},
                      {"kind", "PodDisruptionBudget"},
                      {"metadata", {{"name", "b"}, {"namespace", "ns"}}}};
    const auto events = decode(object, Change::gone);
    REQUIRE(events);
    CHECK(std::get<model::BudgetGone>(events->front()).name == "b");
}

TEST_CASE("a Gang states its disruption mode at the root and in each group; another word makes it Invalid (U2)") {
    using Mode = model::DisruptionMode;
    const auto gang = [](const std::string& spec) {
        return set_in(group_object("echelon.sh/v1alpha1", "Gang", spec)).groups;
    };
    const auto whole = gang(R"({"disruptionMode": "all", "groups": [{"name": "a", "minimum": 1},
        {"name": "b", "minimum": 1, "disruptionMode": "single"}]})");
    CHECK(whole[0].disruption == Mode::all);
    CHECK(whole[1].disruption == Mode::unstated);
    CHECK(whole[2].disruption == Mode::single);
    CHECK(gang(R"({"minimum": 1, "disruptionMode": "Pod"})").front().problem ==
          "spec.disruptionMode is \"Pod\", which is neither single nor all");
    CHECK(gang(R"({"minimum": 1, "disruptionMode": ""})").front().problem != "");
}

}  // namespace
}  // namespace echelon::kube
