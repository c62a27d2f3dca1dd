#include "kube/kai.hpp"

#include "unit-tests/kube/support/decoded.hpp"

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
    CHECK(root.generation == 3);
}

TEST_CASE("KAI's defaults: minimum 1, priority 50, and no constraint without a topology") {
    const auto root = read(R"({"topologyConstraint": {"requiredTopologyLevel": "rack"}})").groups.front();
    CHECK(root.minimum == 1);
    CHECK(root.priority == 50);
    CHECK(root.required.empty());
    CHECK(root.warnings.size() == 1);
    CHECK(read(R"({"minMember": 0})").groups.front().minimum == 0);
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

TEST_CASE("A3: a field of the wrong type or range names object and path, and the gang stands Invalid") {
    const auto object = group_object(version, "PodGroup", R"({"minMember": "x"})");
    CHECK(fault_in(object) == "PodGroup ns/g: spec.minMember: must be an integer, not \"x\"");
    const auto events = decode(object, Change::seen);
    const auto stands = stand_in(object, events.error());
    REQUIRE(stands);
    CHECK(std::get<model::GroupSetSeen>(*stands).set.groups.front().problem ==
          "spec.minMember: must be an integer, not \"x\"");
    CHECK(fault_in(group_object(version, "PodGroup", R"({"minMember": -1})")) != "");
    CHECK(fault_in(group_object(version, "PodGroup", R"({"subGroups": [{}]})")) ==
          "PodGroup ns/g: spec.subGroups[0].name is missing");
}

TEST_CASE("a pod names its KAI group by annotation and its part by label") {
    CHECK(membership_of(nullptr, {{"pod-group-name", "g"}})->leaf == GroupKey{"kai-podgroup", "ns/g"});
    CHECK(membership_of({{"kai.scheduler/subgroup-name", "d0"}}, {{"pod-group-name", "g"}})->leaf ==
          GroupKey{"kai-subgroup", "ns/g/d0"});
    CHECK_FALSE(membership_of({{"kai.scheduler/subgroup-name", "d0"}}));
}

}  // namespace
}  // namespace echelon::kube
