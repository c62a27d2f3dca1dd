// An unreadable requirement makes the gang wait; an unreadable preference is dropped with a warning (rule A8).

#include "unit-tests/kube/support/decoded.hpp"

#include <string>
#include <vector>

namespace echelon::kube {
namespace {

using model::Group;
using nlohmann::json;

// A group by its name: of the object, or declared by a pod.
Group group_in(const json& object, const std::string& name) {
    const auto events = decode(object, Change::seen);
    REQUIRE_MESSAGE(events, (events ? "" : events.error().sentence));
    const model::Event& event = events->front();
    if (const auto* one = std::get_if<model::GroupSeen>(&event))
        return one->group;
    if (const auto* pod = std::get_if<model::PodSeen>(&event))
        return pod->pod.membership->declared.back();
    return part_of(std::get<model::GroupSetSeen>(event).set, name);
}

json pod(const json& labels, const json& annotations) {
    return {{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata", {{"name", "p"}, {"namespace", "ns"}, {"labels", labels}, {"annotations", annotations}}}};
}

json pod_group(const std::string& constraint, const json& annotations) {
    return group_object("scheduling.k8s.io/v1alpha3", "PodGroup",
                        R"({"schedulingPolicy": {"gang": {"minCount": 2}})" + constraint + "}", annotations);
}

json pod_gang(const std::string& pack) {
    return group_object("scheduler.grove.io/v1alpha1", "PodGang",
                        R"({"topologyConstraint": {"packConstraint": )" + pack + "}}");
}

json kueue(const std::string& key) {
    json object = group_object("kueue.x-k8s.io/v1beta1", "Workload", "{}");
    object["spec"]["podSets"] = json::parse(
        R"([{"name": "a", "count": 2, "template": {"metadata": {"annotations": {")" + key + R"(": "no key"}}}}])");
    return object;
}

const json lws_labels = {{"leaderworkerset.sigs.k8s.io/name", "l"},
                         {"leaderworkerset.sigs.k8s.io/group-index", "0"},
                         {"leaderworkerset.sigs.k8s.io/group-key", "k"}};

struct Row {
    const char* name;
    json object;
    std::string group = "ns/g";
};

TEST_CASE("an unreadable requirement makes the gang wait (A8)") {
    const std::vector<Row> rows = {
        {"PodGroup: a required level",
         pod_group(R"(, "schedulingConstraints": {"topology": [{"key": "no key"}]})", nullptr)},
        {"PodGroup: no policy", group_object("scheduling.k8s.io/v1alpha3", "PodGroup", "{}")},
        {"PodGang: a required level", pod_gang(R"({"required": "no key"})")},
        {"KAI: a list that contradicts itself",
         group_object("scheduling.run.ai/v2alpha2", "PodGroup", R"({"subGroups": [{"name": "a", "parent": "x"}]})")},
        {"Volcano: hard, and no tier",
         group_object("scheduling.volcano.sh/v1beta1", "PodGroup", R"({"networkTopology": {"mode": "hard"}})")},
        {"Koordinator: a list of gangs",
         group_object("scheduling.sigs.k8s.io/v1alpha1", "PodGroup", R"({"minMember": 2})",
                      {{"gang.scheduling.koordinator.sh/groups", "ns/a"}})},
        {"Koordinator: levels, preferred ones too",
         group_object("scheduling.sigs.k8s.io/v1alpha1", "PodGroup", R"({"minMember": 2})",
                      {{"gang.scheduling.koordinator.sh/network-topology-spec",
                        R"({"gatherStrategy": [{"strategy": "PreferGather"}]})"}})},
        {"Kueue: a required level", kueue("kueue.x-k8s.io/podset-required-topology"), "ns/g/a"},
        {"Kueue: slices", kueue("kueue.x-k8s.io/podset-slice-required-topology-constraints"), "ns/g/a"},
        {"JobSet: an exclusive level",
         group_object("jobset.x-k8s.io/v1alpha2", "JobSet", R"({"replicatedJobs": [{"name": "a"}]})",
                      {{"alpha.jobset.sigs.k8s.io/exclusive-topology", "no key"}}),
         "ns/g/a/0"},
        {"LeaderWorkerSet: an exclusive level",
         pod(lws_labels, {{"leaderworkerset.sigs.k8s.io/size", "2"},
                          {"leaderworkerset.sigs.k8s.io/exclusive-topology", "no key"}})},
        {"labels: a required level",
         pod({{"echelon.sh/gang", "g"}},
             {{"echelon.sh/gang-minimum", "2"}, {"echelon.sh/gang-required-topology", "no key"}})},
        {"labels: a minimum", pod({{"echelon.sh/gang", "g"}}, {{"echelon.sh/gang-minimum", "many"}})},
        {"Gang: minimumReplicas without replicas",
         group_object("echelon.sh/v1alpha1", "Gang", R"({"groups": [{"name": "a", "minimumReplicas": 1}]})")},
    };
    for (const Row& row : rows) {
        SUBCASE(row.name) {
            const Group group = group_in(row.object, row.group);
            CHECK(group.problem != "");
            CHECK(group.required.empty());
        }
    }
}

TEST_CASE("an unreadable preference is dropped with a warning, and makes no pod wait (A8)") {
    const json wish = {{"echelon.sh/preferred-topology", "no key"}};
    const std::vector<Row> rows = {
        {"PodGroup", pod_group("", wish)},
        {"scheduler-plugins", group_object("scheduling.x-k8s.io/v1alpha1", "PodGroup", R"({"minMember": 2})", wish)},
        {"PodGang", pod_gang(R"({"preferred": "no key"})")},
        {"KAI: a level without a topology",
         group_object("scheduling.run.ai/v2alpha2", "PodGroup",
                      R"({"topologyConstraint": {"preferredTopologyLevel": "rack"}})")},
        {"Koordinator: a mode", group_object("scheduling.sigs.k8s.io/v1alpha1", "PodGroup", R"({"minMember": 2})",
                                             {{"gang.scheduling.koordinator.sh/mode", "Loose"}})},
        {"Kueue", kueue("kueue.x-k8s.io/podset-preferred-topology"), "ns/g/a"},
        {"labels", pod({{"echelon.sh/gang", "g"}},
                       {{"echelon.sh/gang-minimum", "2"}, {"echelon.sh/gang-preferred-topology", "no key"}})},
    };
    for (const Row& row : rows) {
        SUBCASE(row.name) {
            const Group group = group_in(row.object, row.group);
            CHECK(group.problem == "");
            CHECK(group.preferred.empty());
            CHECK(group.warnings.size() == 1);
        }
    }
}

}  // namespace
}  // namespace echelon::kube
