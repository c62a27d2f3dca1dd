#include "kube/dialects/volcano.hpp"

#include "model/facts/topology.hpp"
#include "model/gang/sub_group_selection.hpp"
#include "unit-tests/kube/support/rows.hpp"

namespace echelon::kube {
namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;
using nlohmann::json;

constexpr const char* version = "scheduling.volcano.sh/v1beta1";
using Names = std::vector<std::string>;

json object(const std::string& spec) {
    return group_object(version, "PodGroup", spec);
}

model::GroupSet read(const std::string& spec) {
    return set_in(object(spec));
}

Group root_of(const std::string& spec) {
    return read(spec).groups.front();
}

// A policy with these fields beside its name.
std::string policy(const std::string& fields) {
    const std::string name = R"({"minMember": 4, "subGroupPolicy": [{"name": "part")";
    return name + (fields.empty() ? "" : ", ") + fields + "}]}";
}

// The leaf into which a PodGroup sorts a pod; "": none.
model::Group leaf_of(const Group& root, const model::LabelViews& labels) {
    const auto found = model::select_leaf(root, labels);
    return found ? found->leaf : Group{};
}

TEST_CASE("a Volcano PodGroup without sub-groups is one leaf") {
    const auto set =
        read(R"({"minMember": 4, "priorityClassName": "train", "queue": "q", "minResources": {"cpu": "3"}})");
    REQUIRE(set.groups.size() == 1);
    const Group& root = set.groups.front();
    CHECK(root.key == GroupKey{"volcano-podgroup", "ns/g"});
    CHECK(set.owner == root.key);
    CHECK(root.kind == GroupKind::leaf);
    CHECK(root.minimum == 4);
    CHECK(root.floor == 0);
    CHECK(root.priority_class == "train");
    CHECK(root.generation == 3);
    CHECK(root.api_kind == "PodGroup");
    CHECK(root.sorts.empty());
    CHECK(root_of("{}").minimum == 0);
    CHECK(root_of(R"({"minMember": 0})").minimum == 0);
}

TEST_CASE("a subGroupPolicy without a name is called by its place in the list (Z28)") {
    const auto set =
        read(R"({"minMember": 2, "subGroupPolicy": [{"name": "a"}, {"subGroupSize": 2, "minSubGroups": 1}]})");
    REQUIRE(set.groups.size() == 3);
    CHECK(set.groups[0].problem.empty());
    CHECK(set.groups[2].key == GroupKey{"volcano-policy", "ns/g/policy-1"});
    CHECK(set.groups[2].minimum == 1);
    CHECK(set.groups[0].sorts[1].leaf.minimum == 2);
}

TEST_CASE("Volcano's networkTopology, row by row (Z8)") {
    const auto levels = [](const std::string& topology) { return root_of(R"({"networkTopology": )" + topology + "}"); };
    CHECK(levels(R"({"mode": "hard", "highestTierAllowed": 2})").required == Names{model::tier_level(2)});
    CHECK(levels(R"({"highestTierAllowed": 0})").required == Names{model::tier_level(0)});  // hard is the default.
    CHECK(levels(R"({"highestTierName": "spine"})").required == Names{"spine"});
    CHECK(levels(R"({"highestTierName": "spine"})").topology_group == "topology.volcano.sh");
    const Group soft = levels(R"({"mode": "soft", "highestTierAllowed": 1, "highestTierName": "x"})");
    CHECK(soft.preferred == Names{std::string(model::narrowest_tier_level)});
    CHECK(soft.required.empty());
    CHECK(soft.problem == "");
    CHECK(levels("{}").problem == "spec.networkTopology is hard, but names no tier");
    CHECK(levels(R"({"mode": "hard"})").problem == "spec.networkTopology is hard, but names no tier");
    CHECK(levels(R"({"highestTierAllowed": 1, "highestTierName": "x"})").problem ==
          "spec.networkTopology states both highestTierAllowed and highestTierName");
    CHECK(levels("null").problem == "");
    CHECK(levels("null").required.empty());
}

TEST_CASE("a policy of Volcano is a composite, and values of the keys are its leaves") {
    const auto set = read(policy(R"("labelSelector": {"matchLabels": {"role": "worker"}}, "matchLabelKeys": ["x", "y"],
        "subGroupSize": 3, "minSubGroups": 2, "networkTopology": {"highestTierAllowed": 1})"));
    REQUIRE(set.groups.size() == 2);
    const Group& root = set.groups.front();
    CHECK(root.kind == GroupKind::composite);
    CHECK_FALSE(root.minimum);  // Z9: every policy.
    CHECK(root.floor == 4);
    CHECK(root.problem == "");
    const Group part = part_of(set, "ns/g/part");
    CHECK(part.key.kind == "volcano-policy");
    CHECK(part.kind == GroupKind::composite);
    CHECK(part.parent == root.key);
    CHECK(part.minimum == 2);
    CHECK(part.required.empty());  // Its level binds each leaf.

    const Group leaf = leaf_of(root, {{"role", "worker"}, {"x", "1-2"}, {"y", "3"}});
    CHECK(leaf.key == GroupKey{"volcano-subgroup", "ns/g/part/1-2,3"});
    CHECK(leaf.parent == part.key);
    CHECK(leaf.minimum == 3);
    CHECK(leaf.required == Names{model::tier_level(1)});
    CHECK(leaf_of(root, {{"role", "worker"}, {"x", "1"}, {"y", "2-3"}}).key.name == "ns/g/part/1,2-3");
    // A pod that lacks a key or isn't selected is an extra.
    for (const auto& labels : {model::LabelViews{{"role", "worker"}, {"x", "1"}}, {{"x", "1"}, {"y", "2"}}, {}}) {
        const Group rest = leaf_of(root, labels);
        CHECK(rest.key == GroupKey{"volcano-rest", "ns/g/-"});
        CHECK(rest.parent == root.key);
        CHECK(rest.minimum == 0);
    }
}

TEST_CASE("defaults of a policy: one pod each, none needed, every pod that has the keys") {
    const auto set = read(policy(R"("matchLabelKeys": ["x"])"));
    CHECK(part_of(set, "ns/g/part").minimum == 0);
    CHECK(leaf_of(set.groups.front(), {{"x", "1"}}).minimum == 1);

    const auto keyless = read(policy(R"("labelSelector": {"matchExpressions": [{"key": "x", "operator": "Exists"}]})"));
    CHECK(leaf_of(keyless.groups.front(), {{"x", "1"}}).key.name == "ns/g/part/-");
    CHECK(leaf_of(keyless.groups.front(), {{"y", "1"}}).key.name == "ns/g/-");
    CHECK(part_of(keyless, "ns/g/part").warnings.size() == 1);
}

TEST_CASE("a pod that fits two policies belongs to the first") {
    const auto root = root_of(R"({"subGroupPolicy": [{"name": "a", "matchLabelKeys": ["x"]},
                                                     {"name": "b", "matchLabelKeys": ["y"]}]})");
    CHECK(leaf_of(root, {{"x", "1"}, {"y", "2"}}).key.name == "ns/g/a/1");
    CHECK(leaf_of(root, {{"y", "2"}}).key.name == "ns/g/b/2");
}

TEST_CASE("policies that make no sense make the gang Invalid") {
    CHECK(root_of(R"({"subGroupPolicy": [{"name": "a"}, {"name": "a"}]})").problem ==
          "spec.subGroupPolicy: \"a\" is given twice");
    CHECK(root_of(policy(R"("networkTopology": {})")).problem ==
          "spec.subGroupPolicy[0].networkTopology is hard, but names no tier");
    CHECK(root_of(policy(R"("networkTopology": {"highestTierAllowed": 1, "highestTierName": "x"})")).problem ==
          "spec.subGroupPolicy[0].networkTopology states both highestTierAllowed and highestTierName");
    CHECK(root_of(policy(R"("matchLabelKeys": ["/"])")).problem ==
          "spec.subGroupPolicy[0].matchLabelKeys[0] is \"/\", which isn't a label key");
}

TEST_CASE("a leaf for each task of minTaskMember, by label or else by annotation (Z9)") {
    const auto set = read(R"({"minMember": 4, "minTaskMember": {"ps": 1, "worker": 2}})");
    const Group& root = set.groups.front();
    CHECK(root.kind == GroupKind::composite);
    CHECK_FALSE(root.minimum);
    CHECK(root.floor == 4);  // Z9: one more pod than the tasks need.
    CHECK(part_of(set, "ns/g/ps").minimum == 1);
    CHECK(part_of(set, "ns/g/worker").minimum == 2);
    CHECK(part_of(set, "ns/g/worker").key.kind == "volcano-task");
    CHECK(leaf_of(root, {{"volcano.sh/task-spec", "ps"}}).key == part_of(set, "ns/g/ps").key);
    CHECK_FALSE(model::select_leaf(root, {{"volcano.sh/task-spec", "ps"}})->is_made);
    CHECK(leaf_of(root, {{model::selector_key("volcano.sh/task-spec"), "worker"}}).key.name == "ns/g/worker");
    const Group other = leaf_of(root, {{"volcano.sh/task-spec", "other"}});
    CHECK(other.key == GroupKey{"volcano-task", "ns/g/other"});
    CHECK(other.minimum == 0);
    CHECK(leaf_of(root, {}).key.name == "ns/g/-");
    CHECK(root_of(R"({"minMember": 3, "minTaskMember": {"ps": 1, "worker": 2}})").floor == 0);
}

TEST_CASE("minTaskMember has no effect above minMember, nor beside policies") {
    const auto above = read(R"({"minMember": 2, "minTaskMember": {"ps": 1, "worker": 2}})");
    CHECK(above.groups.size() == 1);
    CHECK(above.groups.front().kind == GroupKind::leaf);
    CHECK(above.groups.front().minimum == 2);
    CHECK(above.groups.front().warnings == Names{"minTaskMember has no effect: its sum is 3, more than minMember 2"});
    const auto beside = read(R"({"minMember": 3, "minTaskMember": {"ps": 1}, "subGroupPolicy": [{"name": "a"}]})");
    CHECK(part_of(beside, "ns/g/ps").key.name == "");
}

TEST_CASE("fields of Volcano's PodGroup, row by row (A3)") {
    const auto topology = [](const std::string& fields) { return R"({"networkTopology": )" + fields + "}"; };
    check_faults(
        version, "PodGroup",
        {{"minMember: text", R"({"minMember": "4"})", "spec.minMember: must be an integer, not \"4\""},
         {"minMember: below", R"({"minMember": -1})", "spec.minMember: must be between 0 and 2147483647, not -1"},
         {"minMember: above", R"({"minMember": 2147483648})",
          "spec.minMember: must be between 0 and 2147483647, not 2147483648"},
         {"minTaskMember: list", R"({"minTaskMember": []})", "spec.minTaskMember: must be an object, not a list"},
         {"minTaskMember: text", R"({"minTaskMember": {"ps": "1"}})",
          "spec.minTaskMember.ps: must be an integer, not \"1\""},
         {"minTaskMember: below", R"({"minTaskMember": {"ps": -1}})",
          "spec.minTaskMember.ps: must be between 0 and 2147483647, not -1"},
         {"priorityClassName", R"({"priorityClassName": ["a"]})",
          "spec.priorityClassName: must be a string, not a list"},
         {"networkTopology", topology("7"), "spec.networkTopology: must be an object, not 7"},
         {"mode: number", topology(R"({"mode": 1})"), "spec.networkTopology.mode: must be a string, not 1"},
         {"mode: unknown", topology(R"({"mode": "medium"})"),
          "spec.networkTopology.mode: must be hard or soft, not \"medium\""},
         {"highestTierAllowed: text", topology(R"({"highestTierAllowed": "1"})"),
          "spec.networkTopology.highestTierAllowed: must be an integer, not \"1\""},
         {"highestTierAllowed: below", topology(R"({"highestTierAllowed": -1})"),
          "spec.networkTopology.highestTierAllowed: must be between 0 and 2147483647, not -1"},
         {"highestTierName", topology(R"({"highestTierName": 1})"),
          "spec.networkTopology.highestTierName: must be a string, not 1"},
         {"soft, yet unreadable", topology(R"({"mode": "soft", "highestTierAllowed": -1})"),
          "spec.networkTopology.highestTierAllowed: must be between 0 and 2147483647, not -1"}});
}

TEST_CASE("fields of Volcano's policies, row by row (A3)") {
    check_faults(
        version, "PodGroup",
        {{"subGroupPolicy", R"({"subGroupPolicy": {}})", "spec.subGroupPolicy: must be a list, not an object"},
         {"entry", R"({"subGroupPolicy": [7]})", "spec.subGroupPolicy[0]: must be an object, not 7"},
         {"name: number", R"({"subGroupPolicy": [{"name": 1}]})",
          "spec.subGroupPolicy[0].name: must be a string, not 1"},
         {"subGroupSize: text", policy(R"("subGroupSize": "2")"),
          "spec.subGroupPolicy[0].subGroupSize: must be an integer, not \"2\""},
         {"subGroupSize: below", policy(R"("subGroupSize": 0)"),
          "spec.subGroupPolicy[0].subGroupSize: must be between 1 and 2147483647, not 0"},
         {"minSubGroups: text", policy(R"("minSubGroups": true)"),
          "spec.subGroupPolicy[0].minSubGroups: must be an integer, not true"},
         {"minSubGroups: below", policy(R"("minSubGroups": -1)"),
          "spec.subGroupPolicy[0].minSubGroups: must be between 0 and 2147483647, not -1"},
         {"matchLabelKeys", policy(R"("matchLabelKeys": "x")"),
          "spec.subGroupPolicy[0].matchLabelKeys: must be a list, not \"x\""},
         {"matchLabelKeys: entry", policy(R"("matchLabelKeys": [1])"),
          "spec.subGroupPolicy[0].matchLabelKeys[0]: must be a string, not 1"},
         {"labelSelector", policy(R"("labelSelector": "x")"),
          "spec.subGroupPolicy[0].labelSelector: must be an object, not \"x\""},
         {"labelSelector: operator",
          policy(R"("labelSelector": {"matchExpressions": [{"key": "x", "operator": "Gt", "values": ["1"]}]})"),
          "spec.subGroupPolicy[0].labelSelector.matchExpressions: takes In, NotIn, Exists and DoesNotExist only"},
         {"networkTopology", policy(R"("networkTopology": {"mode": "medium"})"),
          "spec.subGroupPolicy[0].networkTopology.mode: must be hard or soft, not \"medium\""}});
}

TEST_CASE("a field that isn't known changes nothing") {
    const auto plain = read(R"({"minMember": 2})");
    CHECK(read(R"({"minMember": 2, "later": {"x": 1}})") == plain);
    CHECK(read(R"({"minMember": 2, "queue": 7, "minResources": ["x"]})") == plain);
    CHECK(read(R"({"minMember": 2, "minTaskMember": null, "subGroupPolicy": null, "networkTopology": null})") == plain);
    json object_with_status = object(R"({"minMember": 2})");
    object_with_status["status"] = {{"phase", "Completed"}, {"running", "x"}};
    CHECK(set_in(object_with_status) == plain);
    CHECK(plain.groups.front().priority_class == "");
    CHECK(read(policy(R"("matchLabelKeys": ["x"], "later": 1)")) == read(policy(R"("matchLabelKeys": ["x"])")));
}

TEST_CASE("a pod names its Volcano group by either annotation, and carries its task as a mark") {
    const GroupKey leaf{"volcano-podgroup", "ns/g"};
    CHECK(membership_of(nullptr, {{"scheduling.k8s.io/group-name", "g"}})->leaf == leaf);
    CHECK(membership_of(nullptr, {{"scheduling.volcano.sh/group-name", "g"}})->leaf == leaf);
    CHECK(membership_of(nullptr, {{"scheduling.k8s.io/group-name", "g"}, {"scheduling.volcano.sh/group-name", "h"}})
              ->leaf == leaf);
    CHECK_FALSE(membership_of({{"volcano.sh/task-spec", "ps"}}));

    const auto labels_of = [](const json& labels, const json& annotations) {
        const json pod = {{"apiVersion", "v1"},
                          {"kind", "Pod"},
                          {"metadata", {{"name", "p"}, {"labels", labels}, {"annotations", annotations}}}};
        return std::get<model::PodSeen>(decode(pod, Change::seen)->front()).labels;
    };
    CHECK(labels_of(nullptr, {{"volcano.sh/task-spec", "ps"}}) ==
          model::Labels{{model::selector_key("volcano.sh/task-spec"), "ps"}});
    CHECK(labels_of({{"volcano.sh/task-spec", "a"}}, {{"volcano.sh/task-spec", "b"}}) ==
          model::Labels{{"volcano.sh/task-spec", "a"}});
}

}  // namespace
}  // namespace echelon::kube
