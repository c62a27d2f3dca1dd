#include "kube/dialects/grove.hpp"

#include "unit-tests/kube/support/rows.hpp"

namespace echelon::kube {
namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;

constexpr const char* version = "scheduler.grove.io/v1alpha1";

TEST_CASE("a PodGang is three levels: the gang, its group configs, its podgroups") {
    const auto set = set_in(group_object(version, "PodGang", R"({
        "priorityClassName": "high",
        "topologyConstraint": {"packConstraint": {"required": "example.com/block", "preferred": "example.com/rack"}},
        "topologyConstraintGroupConfigs": [
            {"name": "replica-0", "podGroupNames": ["decode", "lead"],
             "topologyConstraint": {"packConstraint": {"required": "example.com/rack"}}},
            {"name": "nobody", "podGroupNames": []}],
        "podgroups": [
            {"name": "prefill", "minReplicas": 2, "podReferences": [{"namespace": "ns", "name": "p0"}, {"name": "p1"}]},
            {"name": "decode", "minReplicas": 3, "topologyConstraint": {"packConstraint": {"preferred": "a/b"}}},
            {"name": "lead"}]})",
                                         {{"grove.io/topology-name", "fabric"}}));
    REQUIRE(set.groups.size() == 5);
    const Group& root = set.groups.front();
    CHECK(root.key == GroupKey{"grove-podgang", "ns/g"});
    CHECK(root.kind == GroupKind::composite);
    CHECK_FALSE(root.minimum);  // All children.
    CHECK(root.problem == "");
    CHECK(root.priority_class == "high");
    CHECK(root.policy.has_placement_score);
    CHECK(root.required == std::vector<std::string>{"example.com/block"});
    CHECK(root.preferred == std::vector<std::string>{"example.com/rack"});
    CHECK(root.topology == "fabric");

    const Group config = part_of(set, "ns/g/replica-0");
    CHECK(config.kind == GroupKind::composite);
    CHECK_FALSE(config.minimum);
    CHECK(config.required == std::vector<std::string>{"example.com/rack"});
    const Group decode = part_of(set, "ns/g/decode");
    CHECK(decode.parent == config.key);
    CHECK(decode.minimum == 3);
    CHECK(decode.preferred == std::vector<std::string>{"a/b"});
    CHECK(part_of(set, "ns/g/prefill").parent == root.key);
    CHECK(part_of(set, "ns/g/prefill").expected == 2);
    CHECK(part_of(set, "ns/g/lead").minimum == 0);  // N6.
}

TEST_CASE("the topology of earlier Grove releases is named by KAI's annotation") {
    CHECK(set_in(group_object(version, "PodGang", "{}", {{"kai.scheduler/topology", "t"}})).groups.front().topology ==
          "t");
}

TEST_CASE("a PodGang that contradicts itself is Invalid") {
    const auto problem = [](const std::string& spec, const std::string& name) {
        return part_of(set_in(group_object(version, "PodGang", spec)), name).problem;
    };
    CHECK(problem(R"({"topologyConstraintGroupConfigs": [{"name": "c", "podGroupNames": ["x"]}], "podgroups": []})",
                  "ns/g") == "spec.topologyConstraintGroupConfigs[0].podGroupNames[0] is \"x\", which is no podgroup");
    CHECK(problem(R"({"topologyConstraintGroupConfigs": [{"name": "c", "podGroupNames": ["x"]},
                                                         {"name": "d", "podGroupNames": ["x"]}],
                      "podgroups": [{"name": "x"}]})",
                  "ns/g") ==
          "spec.topologyConstraintGroupConfigs[1].podGroupNames[0]: \"x\" is already in another entry");
    CHECK(problem(R"({"podgroups": [{"name": "x", "podReferences": [{"namespace": "other", "name": "p"}]}]})",
                  "ns/g/x") ==
          "spec.podgroups[0].podReferences[0].namespace is \"other\": members and their PodGang share a namespace");
    CHECK(problem(R"({"topologyConstraint": {"packConstraint": {"required": "not a key"}}})", "ns/g") ==
          "spec.topologyConstraint.packConstraint.required is \"not a key\", which isn't a label key");
}

TEST_CASE("fields of a PodGang, row by row (A3)") {
    const auto podgroup = [](const std::string& fields) { return R"({"podgroups": [{"name": "x", )" + fields + "}]}"; };
    check_faults(
        version, "PodGang",
        {{"podgroups", R"({"podgroups": 7})", "spec.podgroups: must be a list, not 7"},
         {"name: missing", R"({"podgroups": [{"minReplicas": 1}]})", "spec.podgroups[0].name is missing"},
         {"name: number", R"({"podgroups": [{"name": 7}]})", "spec.podgroups[0].name: must be a string, not 7"},
         {"name: twice", R"({"podgroups": [{"name": "x"}, {"name": "x"}]})",
          "spec.podgroups[1].name: \"x\" is given twice"},
         {"minReplicas: text", podgroup(R"("minReplicas": "1")"),
          "spec.podgroups[0].minReplicas: must be an integer, not \"1\""},
         {"minReplicas: below", podgroup(R"("minReplicas": -1)"),
          "spec.podgroups[0].minReplicas: must be between 0 and 2147483647, not -1"},
         {"podReferences", podgroup(R"("podReferences": {})"),
          "spec.podgroups[0].podReferences: must be a list, not an object"},
         {"podReferences: namespace", podgroup(R"("podReferences": [{"namespace": 7, "name": "p"}])"),
          "spec.podgroups[0].podReferences[0].namespace: must be a string, not 7"},
         {"podgroup's topologyConstraint", podgroup(R"("topologyConstraint": "rack")"),
          "spec.podgroups[0].topologyConstraint: must be an object, not \"rack\""},
         {"priorityClassName", R"({"priorityClassName": 7})", "spec.priorityClassName: must be a string, not 7"},
         {"topologyConstraint", R"({"topologyConstraint": []})",
          "spec.topologyConstraint: must be an object, not a list"},
         {"packConstraint", R"({"topologyConstraint": {"packConstraint": "rack"}})",
          "spec.topologyConstraint.packConstraint: must be an object, not \"rack\""},
         {"required", R"({"topologyConstraint": {"packConstraint": {"required": 7}}})",
          "spec.topologyConstraint.packConstraint.required: must be a string, not 7"},
         {"preferred", R"({"topologyConstraint": {"packConstraint": {"preferred": 7}}})",
          "spec.topologyConstraint.packConstraint.preferred: must be a string, not 7"}});
}

TEST_CASE("group configs of a PodGang, row by row (A3)") {
    const auto config = [](const std::string& fields) {
        return R"({"podgroups": [{"name": "x"}, {"name": "y"}], "topologyConstraintGroupConfigs": [)" + fields + "]}";
    };
    const std::string path = "spec.topologyConstraintGroupConfigs";
    check_faults(
        version, "PodGang",
        {{"list", R"({"topologyConstraintGroupConfigs": {}})", path + ": must be a list, not an object"},
         {"name: missing", config(R"({"podGroupNames": ["x"]})"), path + "[0].name is missing"},
         {"name: twice", config(R"({"name": "c", "podGroupNames": ["x"]}, {"name": "c", "podGroupNames": ["y"]})"),
          path + "[1].name: \"c\" is given twice"},
         {"podGroupNames", config(R"({"name": "c", "podGroupNames": "x"})"),
          path + "[0].podGroupNames: must be a list, not \"x\""},
         {"podGroupNames: entry", config(R"({"name": "c", "podGroupNames": [7]})"),
          path + "[0].podGroupNames[0]: must be a string, not 7"},
         {"required", config(R"({"name": "c", "topologyConstraint": {"packConstraint": {"required": 7}}})"),
          path + "[0].topologyConstraint.packConstraint.required: must be a string, not 7"}});
}

TEST_CASE("a PodGang for another scheduler is a gang only by its pods (A5)") {
    const auto needs_pods = [](const nlohmann::json& labels) {
        auto object = group_object(version, "PodGang", "{}");
        object["metadata"]["labels"] = labels;
        return set_in(object).groups.front().policy.needs_pods;
    };
    CHECK(needs_pods({{"grove.io/scheduler-name", "kai-scheduler"}}));
    CHECK_FALSE(needs_pods({{"grove.io/scheduler-name", "default-scheduler"}}));
    CHECK_FALSE(needs_pods(nullptr));
}

TEST_CASE("defaults of a PodGang, and what of it isn't read") {
    const auto plain = set_in(group_object(version, "PodGang", R"({"podgroups": [{"name": "x"}]})"));
    const Group leaf = part_of(plain, "ns/g/x");
    CHECK(leaf.minimum == 0);
    CHECK_FALSE(leaf.expected);
    CHECK(leaf.required.empty());
    CHECK(leaf.topology == "");
    CHECK(plain.groups.front().priority_class == "");
    auto more = group_object(version, "PodGang", R"({"podgroups": [{"name": "x", "later": 7, "podReferences": null}],
        "topologyConstraint": null, "topologyConstraintGroupConfigs": null, "later": 7})");
    more["status"] = {{"phase", 7}, {"placementScore", "x"}};
    CHECK(set_in(more) == plain);
    const auto reused = set_in(group_object(version, "PodGang", R"({"reuseReservationRef": {"name": "f"}})"));
    CHECK(reused.groups.front().warnings == std::vector<std::string>{"spec.reuseReservationRef isn't read"});
    const auto named = set_in(group_object(version, "PodGang", "{}",
                                           {{"grove.io/topology-name", "newer"}, {"kai.scheduler/topology", "older"}}));
    CHECK(named.groups.front().topology == "newer");
}

TEST_CASE("a Grove pod names gang and clique by labels; one label alone is nothing") {
    const auto read = membership_of({{"grove.io/podgang", "g"},
                                     {"grove.io/podclique", "decode"},
                                     {"grove.io/podclique-pod-index", "11"},
                                     {"grove.io/pod-template-hash", "h1"}});
    REQUIRE(read);
    CHECK(read->leaf == GroupKey{"grove-podgroup", "ns/g/decode"});
    CHECK(read->rank == 11);
    CHECK(read->attempt.empty());  // A rolling update replaces pod after pod.
    CHECK(read->declared.empty());
    CHECK_FALSE(membership_of({{"grove.io/podgang", "g"}}));
    CHECK_FALSE(membership_of({{"grove.io/podclique", "decode"}}));
    CHECK(membership_of({{"grove.io/podgang", "g"}, {"grove.io/podclique", "c"}, {"grove.io/podclique-pod-index", "x"}})
              ->rank == -1);
}

TEST_CASE("a pod of a scaled PodGang names the one that its gang belongs beside (X5)") {
    const auto base_of = [](const std::string& base) {
        return membership_of(
            {{"grove.io/podgang", "g-1"}, {"grove.io/podclique", "decode"}, {"grove.io/base-podgang", base}});
    };
    const auto scaled = base_of("g");
    REQUIRE(scaled->declared.size() == 1);
    CHECK(scaled->declared[0].key == scaled->leaf);
    CHECK(scaled->declared[0].only_supplements);
    CHECK(scaled->declared[0].anchor == GroupKey{"grove-podgang", "ns/g"});
    CHECK(base_of("g-1")->declared.empty());  // Itself.
    CHECK(base_of("")->declared.empty());
}

}  // namespace
}  // namespace echelon::kube
