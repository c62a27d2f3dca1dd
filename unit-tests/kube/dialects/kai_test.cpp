#include "kube/dialects/kai.hpp"

#include "kube/manifests.hpp"
#include "model/cluster/cluster.hpp"
#include "model/gang/gang_facts.hpp"
#include "unit-tests/kube/support/rows.hpp"

#include <limits>
#include <optional>

namespace echelon::kube {
namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;

constexpr const char* version = "scheduling.run.ai/v2alpha2";

model::GroupSet read(const std::string& spec) {
    return set_in(group_object(version, "PodGroup", spec));
}

std::string root_problem(const std::string& spec) {
    return read(spec).groups.front().problem;
}

TEST_CASE("a KAI PodGroup without sub-groups is one leaf") {
    const auto set = read(R"({"minMember": 4, "priorityClassName": "train",
        "topologyConstraint": {"topology": "fabric", "requiredTopologyLevel": "rack", "preferredTopologyLevel": "host"},
        "queue": "q", "schedulingBackoff": 3})");
    REQUIRE(set.groups.size() == 1);
    const Group& root = set.groups.front();
    CHECK(root.key == GroupKey{"kai-podgroup", "ns/g"});
    CHECK(set.owner == root.key);
    CHECK(set.uid == "u1");
    CHECK(root.kind == GroupKind::leaf);
    CHECK(root.minimum == 4);
    CHECK(root.required == std::vector<std::string>{"rack"});
    CHECK(root.preferred == std::vector<std::string>{"host"});
    CHECK(root.topology == "fabric");
    CHECK(root.priority_class == "train");
    CHECK_FALSE(root.priority);
    CHECK_FALSE(root.policy.takes_default_priority);
    CHECK(root.generation == 3);
}

TEST_CASE("KAI's defaults: minimum 1, the default class else priority 50, no constraint without a topology (Z19)") {
    const auto root = read(R"({"topologyConstraint": {"requiredTopologyLevel": "rack"}})").groups.front();
    CHECK(root.minimum == 1);
    CHECK(root.priority == 50);
    CHECK(root.policy.takes_default_priority);
    CHECK(root.required.empty());
    CHECK(root.warnings.size() == 1);
    CHECK(read(R"({"minMember": 0})").groups.front().minimum == 0);
}

TEST_CASE("a KAI PodGroup without a class has the priority of the default class, whatever its pods say (Z19)") {
    const auto found = read_manifest_text(R"(
{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: g}, spec: {minMember: 1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: g-0, annotations: {pod-group-name: g}}, spec: {priority: 3}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: usual}, value: 1000, globalDefault: true}
)",
                                          "the text");
    REQUIRE(found);
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    for (const auto& event : found->events)
        static_cast<void>(cluster.apply(event));
    CHECK(model::priority_of(cluster.facts({"kai-podgroup", "default/g"})) == 1000);
}

TEST_CASE("KAI sub-groups are a tree of any depth from a flat list") {
    const auto set = read(R"({"minMember": 9, "minSubGroup": 1, "subGroups": [
        {"name": "decode", "minSubGroup": 2}, {"name": "prefill", "minMember": 2},
        {"name": "d0", "parent": "decode", "minMember": 3, "topologyConstraint": {"requiredTopologyLevel": "rack"}},
        {"name": "d1", "parent": "decode"}]})");
    REQUIRE(set.groups.size() == 5);
    CHECK(set.groups.front().problem == "");
    CHECK(set.groups.front().kind == GroupKind::composite);
    CHECK(set.groups.front().minimum == 1);
    const Group decode = part_of(set, "ns/g/decode");
    CHECK(decode.kind == GroupKind::composite);
    CHECK(decode.minimum == 2);
    CHECK(decode.parent == GroupKey{"kai-podgroup", "ns/g"});
    const Group first = part_of(set, "ns/g/d0");
    CHECK(first.parent == GroupKey{"kai-subgroup", "ns/g/decode"});
    CHECK(first.minimum == 3);
    CHECK(first.required == std::vector<std::string>{"rack"});
    CHECK(part_of(set, "ns/g/d1").minimum == 0);
    CHECK(part_of(set, "ns/g/prefill").minimum == 2);

    const auto all = read(R"({"subGroups": [{"name": "a", "minMember": 1}, {"name": "b", "minMember": 1}]})");
    CHECK_FALSE(all.groups.front().minimum);  // N7: all of them.
}

TEST_CASE("KAI's minSubGroup counts the groups below the root, and not the leaf of extras (Z19)") {
    const std::string parts = R"("subGroups": [{"name": "a"}, {"name": "b"}, {"name": "c", "parent": "b"}]})";
    for (const std::string& spec : {R"({"minSubGroup": 1, )" + parts, "{" + parts}) {
        const Group root = read(spec).groups.front();
        CHECK(root.policy.counted_children == 2);
        REQUIRE(root.sorts.size() == 1);
        CHECK(root.sorts.front().leaf.key == GroupKey{"kai-rest", "ns/g/-"});
        CHECK(root.sorts.front().leaf.minimum == 0);
    }
    CHECK(read(R"({"minMember": 2})").groups.front().policy.counted_children == 0);
}

TEST_CASE("KAI sub-groups that make no sense make the gang Invalid") {
    CHECK(root_problem(R"({"subGroups": [{"name": "a"}, {"name": "a"}]})") == "spec.subGroups: \"a\" is given twice");
    CHECK(root_problem(R"({"subGroups": [{"name": "a", "parent": "x"}]})") ==
          "spec.subGroups: the parent \"x\" of \"a\" doesn't exist");
    CHECK(root_problem(R"({"subGroups": [{"name": "a", "parent": "b"}, {"name": "b", "parent": "a"}]})") ==
          "spec.subGroups: \"a\" is below itself");
    CHECK(root_problem(R"({"subGroups": [{"name": "a", "minSubGroup": 1}]})") ==
          "spec.subGroups: \"a\" has no groups below it, but minSubGroup");
    CHECK(root_problem(R"({"subGroups": [{"name": "a", "minMember": 1}, {"name": "b", "parent": "a"}]})") ==
          "spec.subGroups: \"a\" has groups below it, but minMember");
    CHECK(root_problem(R"({"subGroups": [{"name": "a", "minSubGroup": 2}, {"name": "b", "parent": "a"}]})") ==
          "spec.subGroups: minSubGroup of \"a\" is 2, but it has 1 groups");
    CHECK(root_problem(R"({"minSubGroup": 2, "subGroups": [{"name": "a"}]})") ==
          "spec.minSubGroup is 2, but there are 1 groups below the root");
    CHECK(root_problem(R"({"minSubGroup": 1})") == "spec.minSubGroup is stated, but there are no subGroups");
}

TEST_CASE("in a broken list of KAI all parts are below the root, and none counts as one for extras (Z19)") {
    const auto set = read(R"({"minSubGroup": 1, "subGroups": [{"name": "a", "minSubGroup": 2},
        {"name": "b", "parent": "a"}]})");
    CHECK(set.groups.front().problem != "");
    CHECK(set.groups.front().policy.counted_children == 0);
    CHECK(part_of(set, "ns/g/b").parent == set.groups.front().key);
}

TEST_CASE("fields of KAI's PodGroup, row by row (A3)") {
    check_faults(
        version, "PodGroup",
        {{"spec", "7", "spec: must be an object, not 7"},
         {"minMember: text", R"({"minMember": "x"})", "spec.minMember: must be an integer, not \"x\""},
         {"minMember: below", R"({"minMember": -1})", "spec.minMember: must be between 0 and 2147483647, not -1"},
         {"minSubGroup: text", R"({"minSubGroup": "1"})", "spec.minSubGroup: must be an integer, not \"1\""},
         {"minSubGroup: below", R"({"minSubGroup": -1})", "spec.minSubGroup: must be between 0 and 2147483647, not -1"},
         {"priorityClassName", R"({"priorityClassName": 50})", "spec.priorityClassName: must be a string, not 50"},
         {"topologyConstraint", R"({"topologyConstraint": "rack"})",
          "spec.topologyConstraint: must be an object, not \"rack\""},
         {"topology", R"({"topologyConstraint": {"topology": 7}})",
          "spec.topologyConstraint.topology: must be a string, not 7"},
         {"requiredTopologyLevel", R"({"topologyConstraint": {"requiredTopologyLevel": ["rack"]}})",
          "spec.topologyConstraint.requiredTopologyLevel: must be a string, not a list"},
         {"preferredTopologyLevel", R"({"topologyConstraint": {"preferredTopologyLevel": 1}})",
          "spec.topologyConstraint.preferredTopologyLevel: must be a string, not 1"}});
}

TEST_CASE("fields of KAI's sub-groups, row by row (A3)") {
    const auto part = [](const std::string& fields) { return R"({"subGroups": [{"name": "a", )" + fields + "}]}"; };
    check_faults(
        version, "PodGroup",
        {{"subGroups", R"({"subGroups": {"a": 1}})", "spec.subGroups: must be a list, not an object"},
         {"entry", R"({"subGroups": ["a"]})", "spec.subGroups[0]: must be an object, not \"a\""},
         {"name: missing", R"({"subGroups": [{}]})", "spec.subGroups[0].name is missing"},
         {"name: number", R"({"subGroups": [{"name": 1}]})", "spec.subGroups[0].name: must be a string, not 1"},
         {"parent", part(R"("parent": 1)"), "spec.subGroups[0].parent: must be a string, not 1"},
         {"minMember: text", part(R"("minMember": "2")"), "spec.subGroups[0].minMember: must be an integer, not \"2\""},
         {"minMember: below", part(R"("minMember": -1)"),
          "spec.subGroups[0].minMember: must be between 0 and 2147483647, not -1"},
         {"minSubGroup: below", part(R"("minSubGroup": -1)"),
          "spec.subGroups[0].minSubGroup: must be between 0 and 2147483647, not -1"},
         {"requiredTopologyLevel", part(R"("topologyConstraint": {"requiredTopologyLevel": 1})"),
          "spec.subGroups[0].topologyConstraint.requiredTopologyLevel: must be a string, not 1"}});
}

TEST_CASE("KAI's preemptibility: absent, a priority of 100 protects; an unknown word is taken for the safe one (U2)") {
    const auto protected_from = [](const std::string& spec) { return read(spec).groups.front().protected_from; };
    constexpr auto always = std::numeric_limits<std::int64_t>::min();
    CHECK(protected_from("{}") == 100);
    CHECK(protected_from(R"({"preemptibility": "preemptible"})") == std::nullopt);
    CHECK(protected_from(R"({"preemptibility": "non-preemptible"})") == always);
    CHECK(protected_from(R"({"preemptibility": "half"})") == always);
    CHECK(read(R"({"preemptibility": "half"})").groups.front().warnings.front() ==
          "spec.preemptibility is \"half\", taken for non-preemptible");
}

TEST_CASE("what KAI alone uses changes nothing, whatever it says") {
    const auto plain = read(R"({"minMember": 2})");
    CHECK(read(R"({"minMember": 2, "queue": 7, "markUnschedulable": "x",
                   "stalenessGracePeriod": [], "preemptionDelay": 1, "later": {}})") == plain);
    CHECK(read(R"({"minMember": 2, "subGroups": null, "minSubGroup": null, "topologyConstraint": null})") == plain);
    const auto part = read(R"({"subGroups": [{"name": "a", "minMember": 1}]})");
    CHECK(read(R"({"subGroups": [{"name": "a", "minMember": 1, "later": 7}]})") == part);
}

TEST_CASE("a pod names its KAI group by annotation and its part by label") {
    CHECK(membership_of(nullptr, {{"pod-group-name", "g"}})->leaf == GroupKey{"kai-podgroup", "ns/g"});
    CHECK(membership_of({{"kai.scheduler/subgroup-name", "d0"}}, {{"pod-group-name", "g"}})->leaf ==
          GroupKey{"kai-subgroup", "ns/g/d0"});
    CHECK_FALSE(membership_of({{"kai.scheduler/subgroup-name", "d0"}}));
}

}  // namespace
}  // namespace echelon::kube
