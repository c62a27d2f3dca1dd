#include "kube/decode.hpp"

#include "kube/write/gangplan.hpp"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {
namespace {

using nlohmann::json;

json object(const std::string& api_version, const std::string& kind) {
    return {
        {"apiVersion", api_version}, {"kind", kind}, {"metadata", {{"name", "a"}, {"namespace", "ns"}, {"uid", "u"}}}};
}

std::string error_of(const json& written) {
    const auto events = decode(written, Change::seen);
    return events ? "" : events.error().sentence;
}

TEST_CASE("kinds are known by group and kind, whatever the version") {
    for (const auto& [api_version, kind] : {std::pair{"v1", "Pod"},
                                            std::pair{"v1", "Node"},
                                            std::pair{"scheduling.k8s.io/v1alpha2", "PodGroup"},
                                            std::pair{"scheduling.k8s.io/v1beta1", "PodGroup"},
                                            std::pair{"scheduling.k8s.io/v1alpha3", "CompositePodGroup"},
                                            std::pair{"scheduling.k8s.io/v1alpha1", "Workload"},
                                            std::pair{"scheduling.k8s.io/v1", "PriorityClass"},
                                            std::pair{"kueue.x-k8s.io/v1beta1", "Topology"},
                                            std::pair{"kai.scheduler/v1alpha1", "Topology"},
                                            std::pair{"grove.io/v1alpha1", "ClusterTopologyBinding"},
                                            std::pair{"grove.io/v1alpha1", "ClusterTopology"},
                                            std::pair{"scheduling.koordinator.sh/v1alpha1", "ClusterNetworkTopology"},
                                            std::pair{"scheduling.volcano.sh/v1beta1", "PodGroup"},
                                            std::pair{"kueue.x-k8s.io/v1beta1", "Workload"},
                                            std::pair{"jobset.x-k8s.io/v1alpha2", "JobSet"},
                                            std::pair{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"},
                                            std::pair{"disaggregatedset.x-k8s.io/v1", "DisaggregatedSet"},
                                            std::pair{"workloads.x-k8s.io/v1alpha2", "RoleBasedGroup"},
                                            std::pair{"topology.volcano.sh/v1alpha1", "HyperNode"},
                                            std::pair{"topology.node.k8s.io/v1alpha2", "NodeResourceTopology"},
                                            std::pair{"echelon.sh/v1alpha1", "Gang"},
                                            std::pair{"echelon.sh/v1alpha1", "GangPlan"}}) {
        CHECK(is_known_kind(api_version, kind));
    }
    for (const auto& [api_version, kind] :
         {std::pair{"apps/v1", "Pod"}, std::pair{"v1", "PodGroup"}, std::pair{"scheduling.volcano.sh/v1beta1", "Queue"},
          std::pair{"kueue.x-k8s.io/v1beta1", "LocalQueue"}, std::pair{"v1", "pod"}, std::pair{"v1", "List"},
          std::pair{"", ""}, std::pair{"/", "Pod/"}}) {
        CHECK_FALSE(is_known_kind(api_version, kind));
    }
}

TEST_CASE("an object needs apiVersion, kind and a name") {
    CHECK(error_of(json::array()) == "must be an object, not a list");
    CHECK(error_of({{"kind", "Pod"}}) == "apiVersion is missing");
    CHECK(error_of({{"apiVersion", "v1"}}) == "kind is missing");
    CHECK(error_of({{"apiVersion", "v1"}, {"kind", 7}}) == "kind: must be a string, not 7");
    CHECK(error_of({{"apiVersion", "v1"}, {"kind", "Pod"}}) == "Pod: metadata.name is missing");
    CHECK(error_of(object("v1", "Secret")) == "kind: \"Secret\" of \"v1\" isn't known");
    json strange = object("v1", "Pod");
    strange["metadata"]["name"] = "a\nb";
    CHECK(error_of(strange) == "Pod ns/a\\nb: metadata.name: \"a\\nb\" isn't a name");
}

TEST_CASE("a deleted object is identified by name and UID, whatever else it says") {
    json pod = object("v1", "Pod");
    pod["spec"] = "broken";
    CHECK(std::get<model::PodGone>(decode(pod, Change::gone)->at(0)).uid == "u");
    pod["metadata"].erase("uid");
    CHECK(std::get<model::PodGone>(decode(pod, Change::gone)->at(0)).uid == "ns/a");
    CHECK(std::get<model::NodeGone>(decode(object("v1", "Node"), Change::gone)->at(0)).name == "a");
    const auto group = decode(object("scheduling.k8s.io/v1alpha3", "CompositePodGroup"), Change::gone);
    CHECK(std::get<model::GroupGone>(group->at(0)).key == model::GroupKey{"compositepodgroup", "ns/a"});
    CHECK(std::get<model::GroupGone>(group->at(0)).uid == "u");
    const auto pod_group = decode(object("scheduling.k8s.io/v1beta1", "PodGroup"), Change::gone);
    CHECK(std::get<model::GroupGone>(pod_group->at(0)).key == model::GroupKey{"podgroup", "ns/a"});
    const auto plan = decode(object("echelon.sh/v1alpha1", "GangPlan"), Change::gone);
    CHECK(std::get<model::PlanGone>(plan->at(0)).ns == "ns");
    CHECK(std::get<model::PlanGone>(plan->at(0)).name == "a");
    const auto priority = decode(object("scheduling.k8s.io/v1", "PriorityClass"), Change::gone);
    CHECK(std::get<model::PriorityClassGone>(priority->at(0)).name == "a");
}

TEST_CASE("a GangPlan is read by its own decoder") {
    model::PlanRecord record;
    record.ns = "ns";
    record.name = "a";
    record.root = {"podgroup", "ns/a"};
    const auto seen = decode(gangplan_object(record), Change::seen);
    REQUIRE_MESSAGE(seen, (seen ? "" : seen.error().sentence));
    CHECK(std::get<model::PlanSeen>(seen->at(0)).record == record);
    json broken = gangplan_object(record);
    broken["status"] = 7;
    CHECK(error_of(broken).starts_with("GangPlan ns/a: "));
}

TEST_CASE("an unreadable group is an Invalid group in its tree") {
    json group = object("scheduling.k8s.io/v1alpha3", "PodGroup");
    group["spec"] =
        json::parse(R"({"parentCompositePodGroupName": "root", "schedulingPolicy": {"gang": {"minCount": "x"}}})");
    const auto refused = decode(group, Change::seen);
    REQUIRE_FALSE(refused);
    const auto stands = event_of_unreadable(group, refused.error());
    REQUIRE(stands);
    const model::Group& seen = std::get<model::GroupSeen>(*stands).group;
    CHECK(seen.key == model::GroupKey{"podgroup", "ns/a"});
    CHECK(seen.kind == model::GroupKind::leaf);
    CHECK(seen.parent == model::GroupKey{"compositepodgroup", "ns/root"});
    CHECK(seen.uid == "u");
    CHECK(seen.problem == "spec.schedulingPolicy.gang.minCount: must be an integer, not \"x\"");

    const base::Error fault{"broken"};
    json composite = object("scheduling.k8s.io/v1alpha3", "CompositePodGroup");
    composite["spec"] = 7;
    CHECK(std::get<model::GroupSeen>(*event_of_unreadable(composite, fault)).group.kind == model::GroupKind::composite);
    CHECK_FALSE(event_of_unreadable(object("v1", "Pod"), fault));
    CHECK_FALSE(event_of_unreadable(object("scheduling.k8s.io/v1", "PriorityClass"), fault));
    // It would have declared groups, and has none.
    CHECK_FALSE(event_of_unreadable(object("scheduling.k8s.io/v1alpha1", "Workload"), fault));
    CHECK_FALSE(event_of_unreadable(json::array(), fault));
    // Its namespace couldn't be read at deletion, and the placeholder would stay for ever.
    composite["metadata"]["namespace"] = " ns";
    CHECK_FALSE(event_of_unreadable(composite, fault));
    composite["metadata"] = nullptr;
    CHECK_FALSE(event_of_unreadable(composite, fault));
}

TEST_CASE("a pod on a node that can't be read takes the room that can") {
    json pod = object("v1", "Pod");
    pod["spec"] = json::parse(R"({"nodeName": "n1", "containers": [
        {"name": "a", "resources": {"requests": {"cpu": "3"}}},
        {"name": "b", "resources": {"requests": {"cpu": "1", "nvidia.com/gpu": "-1"}}}]})");
    const auto refused = decode(pod, Change::seen);
    REQUIRE_FALSE(refused);
    const auto stands = event_of_unreadable(pod, refused.error());
    REQUIRE(stands);
    const model::Pod& seen = std::get<model::PodSeen>(*stands).pod;
    CHECK(seen.node == "n1");
    CHECK(seen.pod_class.requests.of("cpu") == 4000);
    pod["status"]["phase"] = "Succeeded";
    CHECK(std::get<model::PodGone>(*event_of_unreadable(pod, refused.error())).uid == "u");
    pod["status"].erase("phase");
    pod["spec"].erase("nodeName");
    CHECK_FALSE(event_of_unreadable(pod, refused.error()));
}

TEST_CASE("a pod that has succeeded stays when it is of a gang, and else is as good as gone (M2)") {
    json pod =
        json::parse(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ns", "uid": "u"},
                               "spec": {"containers": []}, "status": {"phase": "Succeeded"}})");
    CHECK(std::get<model::PodGone>(decode(pod, Change::seen)->at(0)).uid == "u");
    pod["metadata"]["labels"] = {{"echelon.sh/gang", "train"}};
    CHECK(std::get<model::PodSeen>(decode(pod, Change::seen)->at(0)).pod.phase == model::PodPhase::succeeded);
    pod["metadata"].erase("labels");
    pod["status"]["phase"] = "Running";
    CHECK(std::holds_alternative<model::PodSeen>(decode(pod, Change::seen)->at(0)));
}

// The name of the root of the groups that a pod declares.
std::optional<std::string> root_named_by(const model::Event& event) {
    const std::optional<model::Membership>& membership = std::get<model::PodSeen>(event).pod.membership;
    if (!membership)
        return std::nullopt;
    return membership->declared.empty() ? membership->leaf.name : membership->declared.back().key.name;
}

TEST_CASE("the gang that a pod names is found without decoding the pod") {
    struct Row {
        std::string pod;
        std::optional<std::string> gang;
    };
    const Row rows[] = {
        {R"({"metadata": {"name": "p", "namespace": "ns"}, "spec": {"schedulingGroup": {"podGroupName": "g"}}})",
         "ns/g"},
        {R"({"metadata": {"name": "p", "namespace": "ns"}, "spec": {"workloadRef": {"name": "w", "podGroup": "a"}}})",
         "ns/w/a"},
        {R"({"metadata": {"name": "p", "namespace": "ns"},
             "spec": {"workloadRef": {"name": "w", "podGroup": "a", "podGroupReplicaKey": "3"}}})",
         "ns/w/a"},  // Before its Workload has said what replicas are like.
        {R"({"metadata": {"name": "p", "annotations": {"scheduling.k8s.io/group-name": "v"}}})", "default/v"},
        {R"({"metadata": {"name": "p", "annotations": {"scheduling.volcano.sh/group-name": "v"}}})", "default/v"},
        {R"({"metadata": {"name": "p", "namespace": "ns", "labels": {"echelon.sh/gang": "train", "echelon.sh/group": "x"}}})",
         "ns/train"},
        {R"({"metadata": {"name": "p", "labels": {"echelon.sh/gang": "train"}}})", "default/train"},
        {R"({"metadata": {"name": "p", "labels": {"echelon.sh/gang": ""}}})", std::nullopt},
        {R"({"metadata": {"name": "p", "labels": null}, "spec": {"containers": null, "schedulingGroup": null}})",
         std::nullopt},
        {R"({"metadata": {"name": "p", "labels": {"grove.io/podgang": "g", "grove.io/podclique": "c"}}})",
         "default/g/c"},
        {R"({"metadata": {"name": "p", "labels": {"grove.io/podgang": "g"}}})", std::nullopt},
        {R"({"metadata": {"name": "p", "annotations": {"pod-group-name": "g"}}})", "default/g"},
        {R"({"metadata": {"name": "p", "labels": {"kai.scheduler/subgroup-name": "s"},
             "annotations": {"pod-group-name": "g"}}})",
         "default/g/s"},
        {R"({"metadata": {"name": "p", "labels": {"scheduling.x-k8s.io/pod-group": "g"}}})", "default/g"},
        {R"({"metadata": {"name": "p", "labels": {"pod-group.scheduling.sigs.k8s.io": "g"}}})", "default/g"},
        {R"({"metadata": {"name": "p", "annotations": {"gang.scheduling.koordinator.sh/name": "g"}}})", "default/g"},
        {R"({"metadata": {"name": "p", "labels": {"leaderworkerset.sigs.k8s.io/name": "l",
             "leaderworkerset.sigs.k8s.io/group-index": "1", "leaderworkerset.sigs.k8s.io/group-key": "k"}}})",
         "default/l/1"},
        {R"({"metadata": {"name": "p", "labels": {"leaderworkerset.sigs.k8s.io/name": "l",
             "leaderworkerset.sigs.k8s.io/group-index": "1", "leaderworkerset.sigs.k8s.io/group-key": "k",
             "disaggregatedset.x-k8s.io/name": "d", "disaggregatedset.x-k8s.io/role": "r",
             "disaggregatedset.x-k8s.io/revision": "v"}}})",
         "default/d/0/v"},
        {R"({"metadata": {"name": "p", "labels": {"pod-group.scheduling.sigs.k8s.io/name": "g",
             "rbg.workloads.x-k8s.io/group-name": "g", "rbg.workloads.x-k8s.io/role-name": "r"}}})",
         "default/g"},
        {R"({"metadata": {"name": "p", "labels": {"jobset.sigs.k8s.io/jobset-name": "j",
             "jobset.sigs.k8s.io/replicatedjob-name": "w", "jobset.sigs.k8s.io/job-index": "3"}}})",
         "default/j/w/3"},
        {R"({"metadata": {"name": "p", "labels": {"kueue.x-k8s.io/podset": "main"},
             "annotations": {"kueue.x-k8s.io/workload": "w"}}})",
         "default/w/main"},
        {R"({"metadata": {"name": "p", "labels": {"kueue.x-k8s.io/podset": "main"}, "annotations": {
             "kueue.x-k8s.io/workload": "w-2", "kueue.x-k8s.io/workload-slice-name": "w"}}})",
         "default/w/main"},
        {R"({"metadata": {"name": "p", "labels": {"kueue.x-k8s.io/pod-group-name": "g"}}})", "default/g"},
        {"{}", std::nullopt},
        {"[]", std::nullopt},
        {"7", std::nullopt},
        {"", std::nullopt},
        {R"({"metadata": {"labels": {"echelon.sh/gang": "train"})", std::nullopt},
        {R"({"metadata": {"labels": {"echelon.sh/gang": 7}}})", std::nullopt},
        {R"({"metadata": []})", std::nullopt},
        {std::string(100'000, '['), std::nullopt},
        {std::string("\0\xff", 2), std::nullopt},
    };
    for (const Row& row : rows) {
        CAPTURE(row.pod.substr(0, 200));
        CHECK((named_gang(row.pod) == row.gang));
        // The decoder says the same of a pod that it can read: the name of the root.
        json parsed = json::parse(row.pod, nullptr, false);
        if (!parsed.is_object() || !parsed.contains("metadata") || !parsed["metadata"].is_object())
            continue;
        parsed["apiVersion"] = "v1";
        parsed["kind"] = "Pod";
        for (const WatchedKind& kind : watched_kinds) {
            CAPTURE(full_name(kind));
            const UnservedKinds unserved{kind_bit(kind.resource, kind.group)};
            if (const auto events = decode(parsed, Change::seen, unserved))
                CHECK((named_gang(row.pod, unserved) == root_named_by(events->at(0))));
        }
        if (const auto events = decode(parsed, Change::seen))
            CHECK((row.gang == root_named_by(events->at(0))));
    }
}

}  // namespace
}  // namespace echelon::kube
