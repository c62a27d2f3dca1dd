#include "kube/grove.hpp"

#include "unit-tests/kube/support/decoded.hpp"

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
    CHECK(root.takes_score);
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

TEST_CASE("A3: what has the wrong type in a PodGang is named with its path") {
    CHECK(fault_in(group_object(version, "PodGang", R"({"podgroups": [{"name": "x", "minReplicas": -1}]})")) ==
          "PodGang ns/g: spec.podgroups[0].minReplicas: must be between 0 and 2147483647, not -1");
    CHECK(fault_in(group_object(version, "PodGang", R"({"podgroups": [{"minReplicas": 1}]})")) ==
          "PodGang ns/g: spec.podgroups[0].name is missing");
    CHECK(fault_in(group_object(version, "PodGang", R"({"podgroups": [{"name": "x"}, {"name": "x"}]})")) ==
          "PodGang ns/g: spec.podgroups[1].name: \"x\" is given twice");
}

TEST_CASE("a Grove pod names gang and clique by labels; one label alone is nothing") {
    const auto read = membership_of({{"grove.io/podgang", "g"},
                                     {"grove.io/podclique", "decode"},
                                     {"grove.io/podclique-pod-index", "11"},
                                     {"grove.io/pod-template-hash", "h1"}});
    REQUIRE(read);
    CHECK(read->leaf == GroupKey{"grove-podgroup", "ns/g/decode"});
    CHECK(read->rank == 11);
    CHECK(read->attempt == "h1");
    CHECK(read->declared.empty());
    CHECK_FALSE(membership_of({{"grove.io/podgang", "g"}}));
}

TEST_CASE("X5: a pod of a scaled PodGang names the one that its gang belongs beside") {
    const auto base_of = [](const std::string& base) {
        return membership_of(
            {{"grove.io/podgang", "g-1"}, {"grove.io/podclique", "decode"}, {"grove.io/base-podgang", base}});
    };
    const auto scaled = base_of("g");
    REQUIRE(scaled->declared.size() == 1);
    CHECK(scaled->declared[0].key == scaled->leaf);
    CHECK(scaled->declared[0].is_supplement);
    CHECK(scaled->declared[0].anchor == GroupKey{"grove-podgang", "ns/g"});
    CHECK(base_of("g-1")->declared.empty());  // Itself.
    CHECK(base_of("")->declared.empty());
}

}  // namespace
}  // namespace echelon::kube
