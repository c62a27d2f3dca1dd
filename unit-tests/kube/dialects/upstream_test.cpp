#include "kube/dialects/upstream.hpp"

#include "model/gang/sub_group_selection.hpp"
#include "unit-tests/kube/support/rows.hpp"

#include <string>
#include <vector>

namespace echelon::kube {
namespace {

using model::Group;
using model::GroupKey;
using model::GroupKind;
using nlohmann::json;

json object(const std::string& version, const std::string& kind, const json& spec, const json& annotations = nullptr) {
    return {{"apiVersion", "scheduling.k8s.io/" + version},
            {"kind", kind},
            {"metadata",
             {{"name", "g"},
              {"namespace", "ns"},
              {"uid", "u1"},
              {"generation", 3},
              {"creationTimestamp", "2026-01-01T00:00:00Z"},
              {"annotations", annotations}}},
            {"spec", spec}};
}

Group group_in(const json& written) {
    const auto events = decode(written, Change::seen);
    REQUIRE_MESSAGE(events, (events ? "" : events.error().sentence));
    REQUIRE(events->size() == 1);
    return std::get<model::GroupSeen>(events->front()).group;
}

const json gang_of_2 = json::parse(R"({"gang": {"minCount": 2}})");

TEST_CASE("of a status only the condition is read that says whether the group was placed, by its name there (Z32)") {
    const auto placed_in = [](const std::string& version, const std::string& kind, const std::string& status) {
        auto written = object(version, kind, {{"schedulingPolicy", gang_of_2}});
        if (kind == "CompositePodGroup")
            written["spec"] = json::parse(
                R"({"schedulingPolicy": {"gang": {"minGroupCount": 2}}, "workloadRef": {"workloadName": "w"}})");
        written["metadata"]["resourceVersion"] = "77";
        written["status"] = json::parse(status);
        return group_in(written).placed;
    };
    using Status = model::PlacedCondition::Status;
    const auto waiting = placed_in("v1alpha3", "PodGroup", R"({"conditions": [
        {"type": "DisruptionTarget", "status": "True", "message": "x"},
        {"type": "PodGroupInitiallyScheduled", "status": "False", "message": "no room", "observedGeneration": 3}]})");
    REQUIRE(waiting);
    CHECK(*waiting == model::PlacedCondition{"PodGroupInitiallyScheduled", Status::not_met, "no room", 3, "77"});
    const auto met =
        placed_in("v1alpha2", "PodGroup", R"({"conditions": [{"type": "PodGroupScheduled", "status": "True"}]})");
    CHECK(met->type == "PodGroupScheduled");
    CHECK(met->status == Status::met);
    CHECK(placed_in("v1beta1", "PodGroup", "{}")->type == "PodGroupInitiallyScheduled");
    const auto composite = placed_in("v1alpha3", "CompositePodGroup",
                                     R"({"conditions": [{"type": "PodGroupInitiallyScheduled", "status": "True"}]})");
    CHECK(composite->type == "CompositePodGroupInitiallyScheduled");
    CHECK(composite->status == Status::absent);
    for (const char* broken : {"7", R"({"conditions": 7})", R"({"conditions": [7, {"type": 7}, null]})"})
        CHECK(placed_in("v1alpha3", "PodGroup", broken)->status == Status::absent);
    auto bad = object("v1alpha3", "PodGroup", {{"schedulingPolicy", gang_of_2}});
    bad["status"] = {{"conditions", {{{"type", "PodGroupInitiallyScheduled"}, {"observedGeneration", "x"}}}}};
    CHECK(group_in(bad).placed->status == Status::not_met);
}

TEST_CASE("a PodGroup of 1.37 is a leaf with all it says") {
    const Group group = group_in(object("v1alpha3", "PodGroup", json::parse(R"({
        "schedulingPolicy": {"gang": {"minCount": 4}},
        "schedulingConstraints": {"topology": [{"key": "example.com/rack"}]},
        "parentCompositePodGroupName": "root", "workloadRef": {"workloadName": "w", "templateName": "t"},
        "priority": -7, "priorityClassName": "low", "preemptionPolicy": "Never", "disruptionMode": {"all": {}}})"),
                                        {{"echelon.sh/preferred-topology", "example.com/host"}}));
    Group expected;
    expected.key = {"podgroup", "ns/g"};
    expected.kind = GroupKind::leaf;
    expected.parent = GroupKey{"compositepodgroup", "ns/root"};
    expected.minimum = 4;
    expected.required = {"example.com/rack"};
    expected.preferred = {"example.com/host"};
    expected.priority = -7;
    expected.priority_class = "low";
    expected.preempts = false;
    expected.disruption = model::DisruptionMode::all;
    expected.policy.one_priority_per_tree = true;
    expected.policy.workload = "w";
    expected.policy.requires_workload_ref = true;
    expected.policy.max_depth = 4;
    expected.uid = "u1";
    expected.api_version = "scheduling.k8s.io/v1alpha3";
    expected.api_kind = "PodGroup";
    expected.generation = 3;
    expected.created = 1767225600;
    expected.placed =
        model::PlacedCondition{"PodGroupInitiallyScheduled", model::PlacedCondition::Status::absent, "", 0, ""};
    CHECK(group == expected);
}

TEST_CASE("a PodGroup of 1.36 and one of v1beta1 are read the same way") {
    const Group older = group_in(object("v1alpha2", "PodGroup", json::parse(R"({
        "schedulingPolicy": {"gang": {"minCount": 1}}, "disruptionMode": "PodGroup",
        "podGroupTemplateRef": {"workload": {"workloadName": "w", "podGroupTemplateName": "t"}}})")));
    CHECK(older.policy.workload == "w");
    CHECK(older.minimum == 1);
    CHECK_FALSE(older.policy.requires_workload_ref);
    CHECK_FALSE(older.parent);
    CHECK_FALSE(older.priority);
    CHECK_FALSE(older.preempts);
    const Group newer = group_in(
        object("v1beta1", "PodGroup", {{"schedulingPolicy", gang_of_2}, {"preemptionPolicy", "PreemptLowerPriority"}}));
    CHECK(newer.minimum == 2);
    CHECK(newer.preempts == true);
    CHECK(newer.problem.empty());
}

TEST_CASE("a CompositePodGroup is a composite that needs a workload") {
    const Group group = group_in(object("v1alpha3", "CompositePodGroup", json::parse(R"({
        "schedulingPolicy": {"gang": {"minGroupCount": 3}}, "workloadRef": {"workloadName": "w"}})")));
    CHECK(group.key == GroupKey{"compositepodgroup", "ns/g"});
    CHECK(group.kind == GroupKind::composite);
    CHECK(group.minimum == 3);
    CHECK(group.policy.requires_workload_ref);
    CHECK(group.policy.workload == "w");
    CHECK_FALSE(group.parent);
}

TEST_CASE("basic is a minimum of 1 that is marked") {
    const Group group = group_in(object("v1alpha3", "PodGroup", json::parse(R"({"schedulingPolicy": {"basic": {}}})")));
    CHECK(group.basic);
    CHECK(group.minimum == 1);
    CHECK(group.problem.empty());
}

TEST_CASE("a policy is basic or gang, not both and not neither") {
    const auto problem = [](const char* policy) {
        return group_in(object("v1alpha3", "PodGroup", {{"schedulingPolicy", json::parse(policy)}})).problem;
    };
    CHECK(problem("{}") == "spec.schedulingPolicy states neither basic nor gang");
    CHECK(problem("null") == "spec.schedulingPolicy states neither basic nor gang");
    CHECK(problem(R"({"gang": {"minCount": 2}, "basic": {}})") == "spec.schedulingPolicy states both basic and gang");
    CHECK(group_in(object("v1alpha3", "PodGroup", nullptr)).problem ==
          "spec.schedulingPolicy states neither basic nor gang");
}

TEST_CASE("a required level that is no label key makes the group Invalid; a preferred one is dropped") {
    const Group required =
        group_in(object("v1alpha3", "PodGroup",
                        {{"schedulingPolicy", gang_of_2},
                         {"schedulingConstraints", json::parse(R"({"topology": [{"key": "a b"}]})")}}));
    CHECK(required.problem == "spec.schedulingConstraints.topology[0].key is \"a b\", which isn't a label key");
    const Group preferred = group_in(
        object("v1alpha3", "PodGroup", {{"schedulingPolicy", gang_of_2}}, {{"echelon.sh/preferred-topology", "a b"}}));
    CHECK(preferred.problem.empty());
    CHECK(preferred.preferred.empty());
    CHECK(preferred.warnings.size() == 1);
}

TEST_CASE("fields of a PodGroup, row by row (A3)") {
    check_faults(
        "scheduling.k8s.io/v1alpha3", "PodGroup",
        {{"spec", "[]", "spec: must be an object, not a list"},
         {"schedulingPolicy", R"({"schedulingPolicy": 7})", "spec.schedulingPolicy: must be an object, not 7"},
         {"gang", R"({"schedulingPolicy": {"gang": []}})", "spec.schedulingPolicy.gang: must be an object, not a list"},
         {"minCount: missing", R"({"schedulingPolicy": {"gang": {}}})",
          "spec.schedulingPolicy.gang.minCount is missing"},
         {"minCount: below", R"({"schedulingPolicy": {"gang": {"minCount": 0}}})",
          "spec.schedulingPolicy.gang.minCount: must be between 1 and 2147483647, not 0"},
         {"minCount: above", R"({"schedulingPolicy": {"gang": {"minCount": 1099511627776}}})",
          "spec.schedulingPolicy.gang.minCount: must be between 1 and 2147483647, not 1099511627776"},
         {"minCount: text", R"({"schedulingPolicy": {"gang": {"minCount": "x"}}})",
          "spec.schedulingPolicy.gang.minCount: must be an integer, not \"x\""},
         {"minCount: fraction", R"({"schedulingPolicy": {"gang": {"minCount": 2.0}}})",
          "spec.schedulingPolicy.gang.minCount: must be an integer, not 2.0"},
         {"minCount: flag", R"({"schedulingPolicy": {"gang": {"minCount": true}}})",
          "spec.schedulingPolicy.gang.minCount: must be an integer, not true"},
         {"schedulingConstraints", R"({"schedulingConstraints": []})",
          "spec.schedulingConstraints: must be an object, not a list"},
         {"topology", R"({"schedulingConstraints": {"topology": {"key": "a"}}})",
          "spec.schedulingConstraints.topology: must be a list, not an object"},
         {"topology: two", R"({"schedulingConstraints": {"topology": [{"key": "a"}, {"key": "b"}]}})",
          "spec.schedulingConstraints.topology: must have at most 1 entry, not 2"},
         {"key: missing", R"({"schedulingConstraints": {"topology": [{}]}})",
          "spec.schedulingConstraints.topology[0].key is missing"},
         {"key: number", R"({"schedulingConstraints": {"topology": [{"key": 1}]}})",
          "spec.schedulingConstraints.topology[0].key: must be a string, not 1"},
         {"parentCompositePodGroupName", R"({"parentCompositePodGroupName": ["a"]})",
          "spec.parentCompositePodGroupName: must be a string, not a list"}});
}

TEST_CASE("what a whole tree has once, row by row (A3)") {
    check_faults(
        "scheduling.k8s.io/v1alpha3", "PodGroup",
        {{"priority: above", R"({"priority": 2147483648})",
          "spec.priority: must be between -2147483648 and 2147483647, not 2147483648"},
         {"priority: text", R"({"priority": "high"})", "spec.priority: must be an integer, not \"high\""},
         {"priorityClassName", R"({"priorityClassName": 7})", "spec.priorityClassName: must be a string, not 7"},
         {"preemptionPolicy: unknown", R"({"preemptionPolicy": "Always"})",
          "spec.preemptionPolicy: must be Never or PreemptLowerPriority, not \"Always\""},
         {"preemptionPolicy: flag", R"({"preemptionPolicy": true})",
          "spec.preemptionPolicy: must be a string, not true"},
         {"workloadRef", R"({"workloadRef": "w"})", "spec.workloadRef: must be an object, not \"w\""},
         {"workloadName", R"({"workloadRef": {"workloadName": 7}})",
          "spec.workloadRef.workloadName: must be a string, not 7"},
         {"podGroupTemplateRef", R"({"podGroupTemplateRef": {"workload": "w"}})",
          "spec.podGroupTemplateRef.workload: must be an object, not \"w\""}});
    check_faults("scheduling.k8s.io/v1alpha3", "CompositePodGroup",
                 {{"minGroupCount: missing", R"({"schedulingPolicy": {"gang": {"minCount": 1}}})",
                   "spec.schedulingPolicy.gang.minGroupCount is missing"},
                  {"minGroupCount: below", R"({"schedulingPolicy": {"gang": {"minGroupCount": 0}}})",
                   "spec.schedulingPolicy.gang.minGroupCount: must be between 1 and 2147483647, not 0"},
                  {"minGroupCount: text", R"({"schedulingPolicy": {"gang": {"minGroupCount": "2"}}})",
                   "spec.schedulingPolicy.gang.minGroupCount: must be an integer, not \"2\""}});
}

TEST_CASE("fields of a Workload of 1.35, row by row (A3)") {
    const auto group = [](const std::string& fields) { return R"({"podGroups": [{"name": "a", )" + fields + "}]}"; };
    const std::vector<std::pair<std::string, std::string>> rows = {
        {R"({"podGroups": 7})", "spec.podGroups: must be a list, not 7"},
        {R"({"podGroups": [7]})", "spec.podGroups[0]: must be an object, not 7"},
        {R"({"podGroups": [{}]})", "spec.podGroups[0].name is missing"},
        {R"({"podGroups": [{"name": "a"}, {"name": "a"}]})", "spec.podGroups[1].name: \"a\" is given twice"},
        {group(R"("policy": 7)"), "spec.podGroups[0].policy: must be an object, not 7"},
        {group(R"("policy": {"gang": {"minCount": 0}})"),
         "spec.podGroups[0].policy.gang.minCount: must be between 1 and 2147483647, not 0"},
        {group(R"("policy": {"gang": {"minCount": "4"}})"),
         "spec.podGroups[0].policy.gang.minCount: must be an integer, not \"4\""},
    };
    for (const auto& [spec, fault] : rows) {
        CAPTURE(spec);
        CHECK(fault_in(object("v1alpha1", "Workload", json::parse(spec))) == "Workload ns/g: " + fault);
    }
}

TEST_CASE("defaults of a PodGroup, and what of it isn't read") {
    const Group plain = group_in(object("v1alpha3", "PodGroup", {{"schedulingPolicy", gang_of_2}}));
    CHECK_FALSE(plain.parent);
    CHECK_FALSE(plain.priority);
    CHECK_FALSE(plain.preempts);
    CHECK(plain.priority_class == "");
    CHECK(plain.required.empty());
    CHECK(plain.preferred.empty());
    CHECK_FALSE(plain.expected);
    CHECK(plain.policy.workload == "");
    json written =
        object("v1alpha3", "PodGroup", json::parse(R"({"schedulingPolicy": {"gang": {"minCount": 2}},
        "schedulingConstraints": null, "parentCompositePodGroupName": null, "disruptionMode": "Pod", "later": 7})"),
               {{"scheduling.k8s.io/group-template-name", "t"}, {"scheduling.k8s.io/parent-composite-podgroup", "p"}});
    written["status"] = {{"conditions", "none"}};
    CHECK(group_in(written) == plain);
    written["spec"]["disruptionMode"] = {{"single", json::object()}};
    CHECK(group_in(written) == plain);
    const json both = {{"schedulingPolicy", gang_of_2},
                       {"workloadRef", {{"workloadName", "newer"}}},
                       {"podGroupTemplateRef", {{"workload", {{"workloadName", "older"}}}}}};
    CHECK(group_in(object("v1alpha3", "PodGroup", both)).policy.workload == "newer");
}

TEST_CASE(
    "disruptionMode is a word or a struct, single when absent; what is neither is a fault of the object (S28, U2)") {
    using Mode = model::DisruptionMode;
    const auto read = [](const std::string& kind, const json& mode) {
        json spec = {{"schedulingPolicy", {{"gang", {{kind == "PodGroup" ? "minCount" : "minGroupCount", 2}}}}}};
        if (!mode.is_null())
            spec["disruptionMode"] = mode;
        return group_in(object("v1alpha3", kind, spec));
    };
    for (const std::string kind : {"PodGroup", "CompositePodGroup"}) {
        CHECK(read(kind, nullptr).disruption == Mode::single);
        CHECK(read(kind, "Pod").disruption == Mode::single);
        CHECK(read(kind, "PodGroup").disruption == Mode::all);
        CHECK(read(kind, {{"single", json::object()}}).disruption == Mode::single);
        CHECK(read(kind, {{"all", json::object()}}).disruption == Mode::all);
        CHECK(read(kind, "").problem == "spec.disruptionMode is \"\", which is neither single nor all");
        CHECK(read(kind, "Gang").problem == "spec.disruptionMode is \"Gang\", which is neither single nor all");
        CHECK(read(kind, 7).problem != "");
        CHECK(read(kind, json::object()).problem != "");
        CHECK(read(kind, {{"all", json::object()}, {"single", json::object()}}).problem ==
              "spec.disruptionMode states both single and all");
        CHECK(read(kind, {{"all", json::object()}}).problem == "");
    }
}

TEST_CASE("a Workload of 1.35 has a leaf for each pod group") {
    const json workload = object("v1alpha1", "Workload", json::parse(R"({"podGroups": [
        {"name": "a", "policy": {"gang": {"minCount": 4}}}, {"name": "b", "policy": {"basic": {}}}, {"name": "c"}]})"));
    const auto events = decode(workload, Change::seen);
    REQUIRE(events);
    REQUIRE(events->size() == 1);
    const auto& set = std::get<model::GroupSetSeen>(events->front()).set;
    CHECK(set.owner == GroupKey{"workload", "ns/g"});
    REQUIRE(set.groups.size() == 3);
    const Group& first = set.groups.front();
    CHECK(first.key == GroupKey{"workload-podgroup", "ns/g/a"});
    CHECK(first.minimum == 4);
    CHECK_FALSE(first.parent);
    CHECK(first.uid == "u1");
    CHECK(first.api_kind == "Workload");
    // Each replica is a separate gang.
    const json pod = {{"apiVersion", "v1"},
                      {"kind", "Pod"},
                      {"metadata", {{"name", "p"}, {"namespace", "ns"}}},
                      {"spec", {{"workloadRef", {{"name", "g"}, {"podGroup", "a"}, {"podGroupReplicaKey", "2"}}}}}};
    const auto labels = std::get<model::PodSeen>(decode(pod, Change::seen)->front()).labels;
    const auto replica = model::select_leaf(first, {labels.begin(), labels.end()});
    REQUIRE(replica);
    CHECK(replica->leaf.key == GroupKey{"workload-replica", "ns/g/a/2"});
    CHECK(replica->leaf.minimum == 4);
    CHECK(replica->leaf.uid == "u1");
    CHECK_FALSE(replica->leaf.parent);
    CHECK_FALSE(model::select_leaf(first, {}));
    CHECK(set.groups[1].basic);
    CHECK(set.groups[2].problem == "spec.podGroups[2].policy states neither basic nor gang");

    const auto gone = decode(workload, Change::gone);
    REQUIRE(gone);
    REQUIRE(gone->size() == 1);
    CHECK(std::get<model::GroupSetGone>(gone->front()).owner == set.owner);
    CHECK(std::get<model::GroupSetGone>(gone->front()).uid == "u1");
}

TEST_CASE("each gang of a Workload beyond its bound is Invalid, and says field, value and bound (BD1)") {
    json groups = json::array();
    for (int i = 0; i < 4097; ++i)
        groups.push_back({{"name", std::to_string(i)}, {"policy", {{"gang", {{"minCount", 1}}}}}});
    const json workload = object("v1alpha1", "Workload", {{"podGroups", std::move(groups)}});
    const auto events = decode(workload, Change::seen);
    REQUIRE_FALSE(events);
    const auto event = event_of_unreadable(workload, events.error());
    REQUIRE(event);
    const auto& set = std::get<model::GroupSetSeen>(*event).set;
    CHECK(set.groups.size() == 4096);
    for (const Group& group : set.groups) {
        CHECK(group.problem ==
              "spec.podGroups: 4097 entries are more than the 4096 groups that a gang may have (limits.groups)");
    }
}

TEST_CASE("later Workloads are templates without meaning for a scheduler") {
    const auto events =
        decode(object("v1alpha3", "Workload", json::parse(R"({"podGroupTemplates": [{"name": "a"}]})")), Change::seen);
    REQUIRE(events);
    CHECK(events->empty());
}

TEST_CASE("a pod names its leaf by a field of the spec") {
    const auto leaf = [](const char* spec) {
        const auto read = membership_of(json::object(), nullptr, json::parse(spec));
        return read ? std::optional(read->leaf) : std::nullopt;
    };
    CHECK(leaf(R"({"schedulingGroup": {"podGroupName": "g"}})") == GroupKey{"podgroup", "ns/g"});
    CHECK(leaf(R"({"workloadRef": {"name": "w", "podGroup": "a"}})") == GroupKey{"workload-podgroup", "ns/w/a"});
    CHECK(leaf(R"({"workloadRef": {"name": "w", "podGroup": "a", "podGroupReplicaKey": "2"}})") ==
          GroupKey{"workload-podgroup", "ns/w/a"});
    CHECK_FALSE(leaf("{}"));
    CHECK_FALSE(leaf(R"({"schedulingGroup": null, "workloadRef": null})"));
    CHECK_FALSE(leaf(R"({"schedulingGroup": {}})"));
}

}  // namespace
}  // namespace echelon::kube
