#include "kube/dialects/role_based_group.hpp"

#include "unit-tests/kube/support/rows.hpp"

#include <utility>
#include <vector>

namespace echelon::kube {
namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;
using nlohmann::json;

constexpr const char* mark = "pod-group.scheduling.sigs.k8s.io/name";
constexpr const char* v1alpha2 = "workloads.x-k8s.io/v1alpha2";
constexpr const char* v1alpha1 = "workloads.x-k8s.io/v1alpha1";

json labels_with(const json& more = json::object()) {
    json labels = {
        {mark, "g"}, {"rbg.workloads.x-k8s.io/group-name", "g"}, {"rbg.workloads.x-k8s.io/role-name", "decode"}};
    labels.update(more);
    return labels;
}

json old_labels() {
    return {
        {mark, "g"}, {"rolebasedgroup.workloads.x-k8s.io/name", "g"}, {"rolebasedgroup.workloads.x-k8s.io/role", "r"}};
}

model::GroupSet group_of(const std::string& spec, const char* version = v1alpha2, const json& annotations = nullptr) {
    return set_in(group_object(version, "RoleBasedGroup", spec, annotations));
}

TEST_CASE("a pod that is marked as gang-scheduled belongs to its RoleBasedGroup, in both versions of the labels") {
    const auto member = membership_of(labels_with({{"rbg.workloads.x-k8s.io/component-index", "3"}}));
    REQUIRE(member);
    CHECK(member->leaf == GroupKey{"rolebasedgroup", "ns/g"});
    CHECK(member->rank == 3);
    CHECK(membership_of(old_labels())->leaf == GroupKey{"rolebasedgroup", "ns/g"});
}

TEST_CASE("a pod of a RoleBasedGroup that asks for no gang is a plain pod") {
    CHECK_FALSE(membership_of(labels_with({{mark, ""}})));
    CHECK_FALSE(
        membership_of(labels_with({{mark, ""}}), {{"rbg.workloads.x-k8s.io/role-instance-gang-scheduling", "true"}}));
}

TEST_CASE("a PodGroup that the same pods name goes first, and else is no second gang") {
    struct Row {
        json labels, annotations;
        GroupKey leaf;
    };
    const std::vector<Row> rows = {
        {{{"scheduling.x-k8s.io/pod-group", "g"}}, json::object(), {"x-k8s-podgroup", "ns/g"}},
        {json::object(), {{"scheduling.k8s.io/group-name", "g"}}, {"volcano-podgroup", "ns/g"}},
        {json::object(), {{"gang.scheduling.koordinator.sh/min-available", "2"}}, {"koordinator-podgroup", "ns/g"}},
        {{{"pod-group.scheduling.sigs.k8s.io/min-available", "2"}}, json::object(), {"koordinator-podgroup", "ns/g"}},
        {{{mark, "another"}}, json::object(), {"koordinator-podgroup", "ns/another"}},
    };
    for (const Row& row : rows)
        CHECK(membership_of(labels_with(row.labels), row.annotations)->leaf == row.leaf);

    const Group rendering = membership_of(labels_with())->declared.back();
    CHECK(rendering.key == GroupKey{"x-k8s-podgroup", "ns/g"});
    CHECK(rendering.only_supplements);
    CHECK(rendering.policy.needs_pods);
}

TEST_CASE("where RoleBasedGroups aren't served, the label is Koordinator's (A1)") {
    const UnservedKinds unserved{kind_bit("rolebasedgroups", role_based_group_group)};
    CHECK(membership_of(labels_with(), nullptr, nullptr, unserved)->leaf == GroupKey{"koordinator-podgroup", "ns/g"});
}

TEST_CASE("exclusive topology is a level of the role whose pods carry it, and a broken one is a problem (Z18)") {
    const auto level = [](const json& labels, const char* key, const char* value) {
        return membership_of(labels, {{key, value}})->declared.front();
    };
    const Group rack = level(labels_with(), "rbg.workloads.x-k8s.io/group-exclusive-topology", "example.com/rack");
    CHECK(rack.key == GroupKey{"rolebasedgroup-role", "ns/g/decode"});
    CHECK(rack.only_supplements);
    CHECK(rack.required == std::vector<std::string>{"example.com/rack"});
    const Group old = level(old_labels(), "rolebasedgroup.workloads.x-k8s.io/exclusive-topology", "example.com/rack");
    CHECK(old.key == GroupKey{"rolebasedgroup-role", "ns/g/r"});
    CHECK(old.required == rack.required);
    CHECK(level(labels_with(), "rbg.workloads.x-k8s.io/group-exclusive-topology", "/").problem ==
          "the annotation rbg.workloads.x-k8s.io/group-exclusive-topology is \"/\", which isn't a label key");
}

TEST_CASE("a LeaderWorkerSet behind a role: its replicas are the instances") {
    const auto member = membership_of(labels_with({{"leaderworkerset.sigs.k8s.io/name", "g-decode"},
                                                   {"leaderworkerset.sigs.k8s.io/group-index", "2"},
                                                   {"leaderworkerset.sigs.k8s.io/group-key", "k"},
                                                   {"leaderworkerset.sigs.k8s.io/worker-index", "1"}}),
                                      {{"leaderworkerset.sigs.k8s.io/size", "4"}});
    REQUIRE(member);
    const Group& replica = member->declared.front();
    CHECK(member->leaf == replica.key);
    CHECK(replica.key == GroupKey{"lws-group", "ns/g/decode/2"});
    CHECK(replica.parent == GroupKey{"rolebasedgroup-role", "ns/g/decode"});
    CHECK(replica.minimum == 4);
    CHECK(member->rank == 1);
}

TEST_CASE("every role is needed with all its pods (Z45)") {
    const auto set = group_of(R"({"roles": [{"name": "router"}, {"name": "prefill", "replicas": 3}]})");
    const Group& root = set.groups.front();
    CHECK(root.key == GroupKey{"rolebasedgroup", "ns/g"});
    CHECK(root.kind == GroupKind::composite);
    CHECK(root.policy.needs_pods);
    CHECK_FALSE(root.minimum);
    CHECK(part_of(set, "ns/g/router").minimum == 1);
    const Group prefill = part_of(set, "ns/g/prefill");
    CHECK(prefill.kind == GroupKind::leaf);
    CHECK(prefill.parent == root.key);
    CHECK(prefill.minimum == 3);
    CHECK(prefill.expected == 3);
}

// The instances of the only role, which either version of the label identifies.
void check_instances(const model::GroupSet& set, std::int64_t replicas, std::int64_t size) {
    const Group role = part_of(set, "ns/g/a");
    CHECK(role.kind == GroupKind::composite);
    CHECK(role.minimum == replicas);
    const auto& sorts = set.groups.front().sorts;
    REQUIRE(sorts.size() == 2);
    CHECK(sorts[0].keys == std::vector<std::string>{"rbg.workloads.x-k8s.io/role-instance-name"});
    CHECK(sorts[1].keys == std::vector<std::string>{"instance.workloads.x-k8s.io/instance-name"});
    for (const auto& sort : sorts) {
        CHECK_FALSE(sort.is_declared);
        CHECK(sort.leaf.parent == role.key);
        CHECK(sort.leaf.minimum == size);
        CHECK(sort.leaf.expected == size);
    }
}

TEST_CASE("an instance of several pods is whole or not at all (Z45)") {
    struct Row {
        const char* version;
        std::string spec;
        std::int64_t replicas, size;
    };
    const std::string instances = R"("workload": {"kind": "InstanceSet"}, )";
    const std::vector<Row> rows = {
        {v1alpha2, R"("replicas": 2, "leaderWorkerPattern": {"size": 4})", 2, 4},
        {v1alpha2, R"("leaderWorkerPattern": {})", 1, 1},
        {v1alpha2, R"("customComponentsPattern": {"components": [{"size": 2}, {"size": 3}, {}]})", 1, 6},
        {v1alpha1, instances + R"("leaderWorkerSet": {"size": 4})", 1, 4},
        {v1alpha1, instances + R"("components": [{"size": 2}, {"size": 3}])", 1, 5},
        {v1alpha1, R"("workload": {"kind": "LeaderWorkerSet"}, "leaderWorkerSet": {"size": 8})", 1, 8},
    };
    for (const Row& row : rows) {
        CAPTURE(row.spec);
        check_instances(group_of(R"({"roles": [{"name": "a", )" + row.spec + "}]}", row.version), row.replicas,
                        row.size);
    }
}

TEST_CASE("v1alpha1: a role of a StatefulSet has no instances, even with a size of LeaderWorkerSets") {
    const auto set = group_of(
        R"({"roles": [{"name": "a", "replicas": 2, "workload": {"kind": "StatefulSet"}, "leaderWorkerSet": {"size": 4}}]})",
        v1alpha1);
    CHECK(part_of(set, "ns/g/a").kind == GroupKind::leaf);
    CHECK(part_of(set, "ns/g/a").minimum == 2);
}

constexpr const char* pod_template =
    R"({"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}],
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one"}]}})";

TEST_CASE("pods of a role that depends on others come late, and so do instances that are made in order (H1)") {
    const std::string of_two =
        R"({"roles": [{"name": "a", "replicas": 2, "leaderWorkerPattern": {"size": 4, "template": )" +
        std::string(pod_template) + "}, ";
    const Group late = part_of(group_of(of_two + R"("dependencies": ["b"]}]})"), "ns/g/a");
    CHECK(late.kind == GroupKind::leaf);
    CHECK(late.minimum == 8);
    CHECK(late.expected == 8);
    CHECK(late.start_set == 0);
    CHECK(late.late_pod_class);
    CHECK(late.late_claims.size() == 1);
    CHECK(part_of(group_of(of_two + R"("podManagementPolicy": "OrderedReady"}]})"), "ns/g/a").start_set == 4);
    CHECK_FALSE(
        part_of(group_of(of_two + R"("podManagementPolicy": "Parallel", "dependencies": []}]})"), "ns/g/a").start_set);
}

TEST_CASE("a template that is patched or referred to shows no pod class (H6)") {
    const std::string role = R"({"roles": [{"name": "a", "dependencies": ["b"], )";
    const auto pod_class = [&](const std::string& pattern) {
        return part_of(group_of(role + pattern + "}]}"), "ns/g/a").late_pod_class;
    };
    const std::string text = pod_template;
    CHECK(pod_class(R"("standalonePattern": {"template": )" + text + "}"));
    CHECK_FALSE(pod_class(R"("standalonePattern": {"templateRef": {"name": "t"}})"));
    CHECK_FALSE(pod_class(R"("leaderWorkerPattern": {"workerTemplatePatch": {}, "template": )" + text + "}"));
}

TEST_CASE(
    "the time-out of a RoleBasedGroup, in both versions; 0 states nothing, and what isn't a number is a problem") {
    const auto root = [](const char* seconds) {
        return group_of("{}", v1alpha2, {{"rbg.workloads.x-k8s.io/group-gang-scheduling-timeout", seconds}})
            .groups.front();
    };
    CHECK(root("120").timeout == 120);
    CHECK_FALSE(root("0").timeout);
    CHECK(root("soon").problem ==
          "the annotation rbg.workloads.x-k8s.io/group-gang-scheduling-timeout is \"soon\", which isn't a number");
    const std::string policy = R"({"podGroupPolicy": {"kubeScheduling": {"scheduleTimeoutSeconds": 90}}})";
    CHECK(group_of(policy, v1alpha1).groups.front().timeout == 90);
    CHECK_FALSE(group_of("{}").groups.front().timeout);
}

TEST_CASE("fields of a RoleBasedGroup, row by row (A3)") {
    const std::string many = R"({"roles": [{"name": "a", "replicas": 5000, "leaderWorkerPattern": {"size": 5}}]})";
    check_faults(
        v1alpha2, "RoleBasedGroup",
        {{"roles", R"({"roles": 7})", "spec.roles: must be a list, not 7"},
         {"entry", R"({"roles": [7]})", "spec.roles[0]: must be an object, not 7"},
         {"name: missing", R"({"roles": [{}]})", "spec.roles[0].name is missing"},
         {"name: twice", R"({"roles": [{"name": "a"}, {"name": "a"}]})", "spec.roles[1].name: \"a\" is given twice"},
         {"replicas", R"({"roles": [{"name": "a", "replicas": -1}]})",
          "spec.roles[0].replicas: must be between 0 and 2147483647, not -1"},
         {"size", R"({"roles": [{"name": "a", "leaderWorkerPattern": {"size": 0}}]})",
          "spec.roles[0].leaderWorkerPattern.size: must be between 1 and 2147483647, not 0"},
         {"components", R"({"roles": [{"name": "a", "customComponentsPattern": {"components": 7}}]})",
          "spec.roles[0].customComponentsPattern.components: must be a list, not 7"},
         {"dependencies", R"({"roles": [{"name": "a", "dependencies": 7}]})",
          "spec.roles[0].dependencies: must be a list, not 7"},
         {"pods", many,
          "spec.roles[0]: 25000 pods of all its instances are more than the 20000 members that a gang may have "
          "(limits.members)"}});
}

TEST_CASE("defaults of a RoleBasedGroup, and what of it isn't read") {
    const auto plain = group_of(R"({"roles": [{"name": "a"}]})");
    CHECK(group_of(
              R"({"roles": [{"name": "a", "replicas": 1, "rolloutStrategy": 7, "servicePorts": 7, "scalingAdapter": 7,
        "standalonePattern": {}}], "roleTemplates": 7, "later": 1})") == plain);
    CHECK(group_of(R"({"roles": [{"name": "a"}]})", v1alpha2,
                   {{"rbg.workloads.x-k8s.io/group-gang-scheduling", "true"}}) == plain);
    const auto gone = decode(group_object(v1alpha2, "RoleBasedGroup", "{}"), Change::gone);
    CHECK(std::get<model::GroupSetGone>(gone->front()).owner == plain.owner);
}

}  // namespace
}  // namespace echelon::kube
