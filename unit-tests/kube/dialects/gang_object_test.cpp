#include "kube/dialects/gang_object.hpp"

#include "model/gang/sub_group_selection.hpp"
#include "unit-tests/kube/support/decoded.hpp"

namespace echelon::kube {
namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;
using Names = std::vector<std::string>;

constexpr const char* version = "echelon.sh/v1alpha1";

model::GroupSet read(const std::string& spec) {
    return set_in(group_object(version, "Gang", spec));
}

std::string problem(const std::string& spec) {
    return read(spec).groups.front().problem;
}

std::string leaf_of(const Group& root, const model::LabelViews& labels) {
    const auto found = model::select_leaf(root, labels);
    return found ? found->leaf.key.name.str() : std::string();
}

TEST_CASE("a Gang without groups is one leaf, with every field of a root (Z23)") {
    const auto set = read(R"({"minimum": 4, "requiredTopology": "rack", "preferredTopology": "host",
        "topologyMultiples": {"rack": 2, "host": 1}, "expectedPods": 6, "startPods": 1, "topologyName": "fabric",
        "priorityClassName": "high", "preemptionPolicy": "Never", "timeoutSeconds": 90})");
    REQUIRE(set.groups.size() == 1);
    const Group& root = set.groups.front();
    CHECK(root.key == GroupKey{"gang", "ns/g"});
    CHECK(set.owner == root.key);
    CHECK(root.kind == GroupKind::leaf);
    CHECK(root.problem == "");
    CHECK(root.minimum == 4);
    CHECK(root.required == Names{"rack"});
    CHECK(root.preferred == Names{"host"});
    CHECK(root.multiples == std::map<std::string, std::int64_t>{{"rack", 2}});
    CHECK(root.expected == 6);
    CHECK(root.start_set == 1);
    CHECK(root.topology == "fabric");
    CHECK(root.priority_class == "high");
    CHECK_FALSE(root.priority);
    CHECK(root.preempts == false);
    CHECK(root.timeout == 90);
    CHECK(root.api_kind == "Gang");
    CHECK(root.generation == 3);
    CHECK(root.sorts.empty());
    const Group bare = read("{}").groups.front();
    CHECK_FALSE(bare.minimum);
    CHECK_FALSE(bare.preempts);
    CHECK_FALSE(bare.timeout);
    CHECK(read(R"({"preemptionPolicy": "PreemptLowerPriority"})").groups.front().preempts == true);
}

TEST_CASE("groups of groups have names, parents and minimums, and each leaf its pods (Z23)") {
    const auto set = read(R"({"minimum": 1, "minimumPods": 3, "requiredTopology": "block", "groups": [
        {"name": "decode", "groups": [
            {"name": "leader", "minimum": 1},
            {"name": "workers", "minimum": 2, "requiredTopology": "rack",
             "podSelector": {"matchLabels": {"role": "worker"}}}]},
        {"name": "prefill", "minimum": 2, "podSelector": {"matchExpressions": [{"key": "role", "operator": "Exists"}]}}]})");
    const Group& root = set.groups.front();
    CHECK(root.kind == GroupKind::composite);
    CHECK(root.minimum == 1);
    CHECK(root.floor == 3);
    CHECK(root.problem == "");
    const Group decode = part_of(set, "ns/g/decode");
    CHECK(decode.kind == GroupKind::composite);
    CHECK(decode.parent == root.key);
    CHECK_FALSE(decode.minimum);
    const Group workers = part_of(set, "ns/g/decode/workers");
    CHECK(workers.parent == decode.key);
    CHECK(workers.minimum == 2);
    CHECK(workers.required == Names{"rack"});
    CHECK(leaf_of(root, {{"echelon.sh/group", "leader"}}) == "ns/g/decode/leader");
    CHECK(leaf_of(root, {{"role", "worker"}}) == "ns/g/decode/workers");  // The first selector that matches.
    CHECK(leaf_of(root, {{"role", "other"}}) == "ns/g/prefill");
    CHECK(leaf_of(root, {}) == "");
    CHECK_FALSE(model::select_leaf(root, {{"role", "worker"}})->is_made);
}

TEST_CASE("a label identifies replicas, and N of them suffice (Z23)") {
    const auto set = read(R"({"groups": [{"name": "decode", "replicas": 3, "minimumReplicas": 2, "minimum": 4,
        "requiredTopology": "rack"}]})");
    const Group decode = part_of(set, "ns/g/decode");
    CHECK(decode.kind == GroupKind::composite);
    CHECK(decode.minimum == 2);
    CHECK(decode.required.empty());
    const Group second = part_of(set, "ns/g/decode/1");
    CHECK(second.kind == GroupKind::leaf);
    CHECK(second.parent == decode.key);
    CHECK(second.minimum == 4);
    CHECK(second.required == Names{"rack"});
    const Group& root = set.groups.front();
    CHECK(leaf_of(root, {{"echelon.sh/group", "decode"}, {"echelon.sh/replica", "1"}}) == "ns/g/decode/1");
    CHECK(leaf_of(root, {{"echelon.sh/group", "decode"}, {"echelon.sh/replica", "3"}}) == "");
    CHECK(leaf_of(root, {{"echelon.sh/group", "decode"}}) == "");

    CHECK(part_of(read(R"({"groups": [{"name": "a", "replicas": 3, "minimum": 1}]})"), "ns/g/a").minimum == 3);
}

TEST_CASE("replicas within replicas") {
    const auto set = read(R"({"groups": [{"name": "unit", "replicas": 2, "replicaLabel": "unit", "groups": [
        {"name": "part", "replicas": 2, "replicaLabel": "part", "minimum": 1, "podSelector": {}}]}]})");
    const Group& root = set.groups.front();
    CHECK(leaf_of(root, {{"unit", "1"}, {"part", "0"}}) == "ns/g/unit/1/part/0");
    CHECK(part_of(set, "ns/g/unit/1/part/0").parent == GroupKey{"gang-group", "ns/g/unit/1/part"});
    CHECK(part_of(set, "ns/g/unit/1/part").parent == GroupKey{"gang-replica", "ns/g/unit/1"});
    CHECK(part_of(set, "ns/g/unit/1").kind == GroupKind::composite);
}

TEST_CASE("what contradicts itself makes the gang Invalid") {
    CHECK(problem(R"({"groups": [{"name": "a/b", "minimum": 1}]})") ==
          "spec.groups[0].name is \"a/b\", which isn't a label value");
    CHECK(problem(R"({"minimumPods": 2})") == "spec.minimumPods is for groups of groups; use minimum here");
    CHECK(problem(R"({"startPods": 1})") == "spec.startPods needs expectedPods");
    CHECK(problem(R"({"expectedPods": 1, "groups": [{"name": "a", "minimum": 1}]})") ==
          "spec has groups: state expectedPods and startPods on its groups");
    CHECK(problem(R"({"groups": [{"name": "a", "minimumReplicas": 1}]})") ==
          "spec.groups[0].minimumReplicas needs replicas");
    CHECK(problem(R"({"groups": [{"name": "a", "replicas": 1, "minimumReplicas": 2}]})") ==
          "spec.groups[0].minimumReplicas is 2, but there are 1");
    CHECK(problem(R"({"minimum": 2, "groups": [{"name": "a", "minimum": 1}]})") ==
          "spec.minimum is 2, more than its 1 group");
    CHECK(problem(R"({"groups": [{"name": "a", "minimum": 3, "groups": [{"name": "b"}, {"name": "c"}]}]})") ==
          "spec.groups[0].minimum is 3, more than its 2 groups");
    CHECK(problem(R"({"groups": [{"name": "a", "podSelector": {}, "groups": [{"name": "b"}]}]})") ==
          "spec.groups[0] has both groups and a podSelector");
}

TEST_CASE("a group states how many of it one domain may hold, and in which level its groups keep in proportion (Z26)") {
    using Most = std::map<std::string, std::int64_t>;
    CHECK(read(R"({"minimum": 4, "maxPerDomain": {"rack": 2, "host": 1}})").groups.front().most_per_domain ==
          Most{{"host", 1}, {"rack", 2}});
    const auto set = read(R"({"pairedTopology": "rack", "maxPerDomain": {"block": 1}, "topologyName": "fabric",
        "groups": [{"name": "prefill", "replicas": 2, "minimum": 4, "maxPerDomain": {"rack": 1}},
                   {"name": "decode", "minimum": 2, "maxPerDomain": {"host": 1}}]})");
    CHECK(set.groups.front().problem == "");
    CHECK(set.groups.front().paired == "rack");
    CHECK(set.groups.front().most_per_domain == Most{{"block", 1}});
    const Group& replicas = part_of(set, "ns/g/prefill");
    CHECK(replicas.most_per_domain == Most{{"rack", 1}});  // Of the replicas, not of the pods of each.
    CHECK(replicas.topology == "fabric");
    CHECK(part_of(set, "ns/g/prefill/0").most_per_domain.empty());
    CHECK(part_of(set, "ns/g/decode").most_per_domain == Most{{"host", 1}});
    CHECK(problem(R"({"minimum": 2, "pairedTopology": "rack"})") == "spec.pairedTopology is for groups of groups");
}

TEST_CASE("fields of a Gang of the wrong type or range (A3)") {
    const std::vector<std::pair<std::string, std::string>> rows = {
        {R"({"minimum": -1})", "spec.minimum: must be between 0 and 2147483647, not -1"},
        {R"({"minimum": "4"})", "spec.minimum: must be an integer, not \"4\""},
        {R"({"minimumPods": "4"})", "spec.minimumPods: must be an integer, not \"4\""},
        {R"({"expectedPods": -1})", "spec.expectedPods: must be between 0 and 2147483647, not -1"},
        {R"({"startPods": 1.5})", "spec.startPods: must be an integer, not 1.5"},
        {R"({"requiredTopology": 7})", "spec.requiredTopology: must be a string, not 7"},
        {R"({"preferredTopology": ["a"]})", "spec.preferredTopology: must be a string, not a list"},
        {R"({"requiredTopology": ""})", "spec.requiredTopology is missing"},
        {R"({"pairedTopology": "", "groups": [{"name": "a", "minimum": 1}]})", "spec.pairedTopology is missing"},
        {R"({"topologyName": 7})", "spec.topologyName: must be a string, not 7"},
        {R"({"topologyMultiples": 7})", "spec.topologyMultiples: must be an object, not 7"},
        {R"({"topologyMultiples": {"rack": 0}})",
         "spec.topologyMultiples.rack: must be between 1 and 2147483647, not 0"},
        {R"({"maxPerDomain": "rack=1"})", "spec.maxPerDomain: must be an object, not \"rack=1\""},
        {R"({"maxPerDomain": {"rack": 0}})", "spec.maxPerDomain.rack: must be between 1 and 2147483647, not 0"},
        {R"({"pairedTopology": 7})", "spec.pairedTopology: must be a string, not 7"},
        {R"({"preemptionPolicy": "Always"})",
         "spec.preemptionPolicy: must be Never or PreemptLowerPriority, not \"Always\""},
        {R"({"priority": "high"})", "spec.priority: must be an integer, not \"high\""},
        {R"({"timeoutSeconds": 0})", "spec.timeoutSeconds: must be between 1 and 2147483647, not 0"},
        {R"({"timeoutSeconds": "90"})", "spec.timeoutSeconds: must be an integer, not \"90\""},
        {R"({"priorityClassName": 7})", "spec.priorityClassName: must be a string, not 7"},
        {R"({"groups": [{}]})", "spec.groups[0].name is missing"},
        {R"({"groups": [{"name": "a"}, {"name": "a"}]})", "spec.groups[1].name: \"a\" is given twice"},
        {R"({"groups": [{"name": "a", "replicas": -1}]})",
         "spec.groups[0].replicas: must be between 0 and 2147483647, not -1"},
        {R"({"groups": [{"name": "a", "podSelector": 7}]})", "spec.groups[0].podSelector: must be an object, not 7"},
        {R"({"groups": {}})", "spec.groups: must be a list, not an object"},
    };
    for (const auto& [spec, fault] : rows) {
        CAPTURE(spec);
        CHECK(fault_in(group_object(version, "Gang", spec)) == "Gang ns/g: " + fault);
    }
    CHECK(read(R"({"minimum": 2, "later": 1})") == read(R"({"minimum": 2})"));
}

TEST_CASE("a pod names a Gang by the label alone") {
    CHECK(membership_of({{"echelon.sh/gang", "g"}, {"echelon.sh/group", "a"}})->leaf == GroupKey{"gang", "ns/g"});
}

}  // namespace
}  // namespace echelon::kube
