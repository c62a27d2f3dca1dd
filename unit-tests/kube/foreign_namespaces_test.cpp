// No object or pod can name anything in another namespace. Lists of Koordinator can, but affect only the listing gang
// (unit-tests/model/isolation_test.cpp), BD3.

#include "unit-tests/kube/support/decoded.hpp"

#include <set>
#include <variant>
#include <vector>

namespace echelon::kube {
namespace {

using nlohmann::json;

// Every group that a group mentions, `listed` left out.
void collect(const model::Group& group, std::set<std::string>& names) {
    names.insert(group.key.name);
    for (const auto& other : {group.parent, group.anchor, group.described_by}) {
        if (other)
            names.insert(other->name);
    }
    for (const auto& sorting : group.sorts)
        collect(sorting.leaf, names);
}

std::set<std::string> names_in(const std::vector<model::Event>& events) {
    std::set<std::string> names;
    for (const auto& event : events) {
        if (const auto* seen = std::get_if<model::GroupSeen>(&event)) {
            collect(seen->group, names);
        } else if (const auto* set = std::get_if<model::GroupSetSeen>(&event)) {
            names.insert(set->set.owner.name);
            for (const auto* groups : {&set->set.groups, &set->set.shared}) {
                for (const auto& group : *groups)
                    collect(group, names);
            }
        } else if (const auto* pod = std::get_if<model::PodSeen>(&event); pod != nullptr && pod->pod.membership) {
            names.insert(pod->pod.membership->leaf.name);
            for (const auto& group : pod->pod.membership->declared)
                collect(group, names);
        } else if (const auto* plan = std::get_if<model::PlanSeen>(&event)) {
            names.insert(plan->record.root.name);
        }
    }
    return names;
}

// All in namespace "b"; every name that is the object's to choose is `theirs`.
void check_all_own(const json& object) {
    CAPTURE(object.dump());
    const auto events = decode(object, Change::seen);
    if (!events)
        return;  // What isn't a name at all.
    for (const std::string& name : names_in(*events)) {
        CAPTURE(name);
        CHECK(name.starts_with("b/"));
    }
}

json object_of(const std::string& version, const std::string& kind, const json& spec, const json& metadata = {}) {
    json out = {{"apiVersion", version}, {"kind", kind}, {"spec", spec}};
    out["metadata"] = {{"name", "mine"}, {"namespace", "b"}, {"uid", "u"}};
    for (const auto& [key, value] : metadata.items())
        out["metadata"][key] = value;
    return out;
}

// How a name of another namespace may be written.
const std::vector<std::string> theirs = {"a/train", "../a/train", "/a/train", "a/train/0", "train", "a,train"};

TEST_CASE("a group that a pod names is in the pod's namespace, however it is written") {
    for (const std::string& name : theirs) {
        const std::vector<std::pair<json, json>> rows = {
            {{{"echelon.sh/gang", name}, {"echelon.sh/group", name}}, {{"echelon.sh/gang-minimum", "1"}}},
            {{{"grove.io/podgang", name}, {"grove.io/podclique", name}, {"grove.io/base-podgang", "a/base"}}, {}},
            {{{"kai.scheduler/subgroup-name", name}}, {{"pod-group-name", name}}},
            {{}, {{"scheduling.k8s.io/group-name", name}, {"volcano.sh/task-spec", name}}},
            {{}, {{"scheduling.volcano.sh/group-name", name}}},
            {{{"scheduling.x-k8s.io/pod-group", name}}, {}},
            {{{"pod-group.scheduling.sigs.k8s.io", name}}, {}},
            {{},
             {{"gang.scheduling.koordinator.sh/name", name}, {"gang.scheduling.koordinator.sh/min-available", "1"}}},
            {{{"leaderworkerset.sigs.k8s.io/name", name},
              {"leaderworkerset.sigs.k8s.io/group-index", name},
              {"leaderworkerset.sigs.k8s.io/group-key", "k"},
              {"leaderworkerset.sigs.k8s.io/worker-index", "0"}},
             {{"leaderworkerset.sigs.k8s.io/size", "4"},
              {"leaderworkerset.sigs.k8s.io/subgroup-size", "2"},
              {"leaderworkerset.sigs.k8s.io/leader-name", "a/leader"}}},
            {{{"leaderworkerset.sigs.k8s.io/name", name},
              {"leaderworkerset.sigs.k8s.io/group-index", "0"},
              {"leaderworkerset.sigs.k8s.io/group-key", "k"},
              {"disaggregatedset.x-k8s.io/name", name},
              {"disaggregatedset.x-k8s.io/slice", name},
              {"disaggregatedset.x-k8s.io/revision", name},
              {"disaggregatedset.x-k8s.io/role", name}},
             {{"leaderworkerset.sigs.k8s.io/size", "2"}}},
            {{{"pod-group.scheduling.sigs.k8s.io/name", name},
              {"rbg.workloads.x-k8s.io/group-name", name},
              {"rbg.workloads.x-k8s.io/role-name", name}},
             {}},
            {{{"jobset.sigs.k8s.io/jobset-name", name},
              {"jobset.sigs.k8s.io/replicatedjob-name", name},
              {"jobset.sigs.k8s.io/job-index", name}},
             {{"alpha.jobset.sigs.k8s.io/exclusive-topology", "rack"}}},
            {{{"kueue.x-k8s.io/podset", name}}, {{"kueue.x-k8s.io/workload", name}}},
            {{{"kueue.x-k8s.io/pod-group-name", name}}, {{"kueue.x-k8s.io/pod-group-total-count", "2"}}}};
        for (const auto& [labels, annotations] : rows) {
            const json metadata = {{"labels", labels}, {"annotations", annotations}};
            json pod = object_of("v1", "Pod", {{"schedulerName", "default-scheduler"}}, metadata);
            check_all_own(pod);
        }
        for (const char* field : {"podGroupName", "name"}) {
            check_all_own(object_of("v1", "Pod", {{"schedulingGroup", {{field, name}}}}));
            check_all_own(object_of("v1", "Pod", {{"workloadRef", {{"name", name}, {"podGroup", name}}}}));
        }
        // An owner of another namespace is none.
        json owned = object_of("v1", "Pod", {{"schedulerName", "default-scheduler"}});
        owned["metadata"]["ownerReferences"] = json::array(
            {{{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"name", name}, {"uid", "o"}, {"controller", true}}});
        check_all_own(owned);
    }
}

TEST_CASE("a group that a group object names is in the object's namespace, however it is written") {
    for (const std::string& name : theirs) {
        const json leaf = {{"gang", {{"minCount", 1}}}};
        for (const char* version : {"scheduling.k8s.io/v1alpha2", "scheduling.k8s.io/v1alpha3"}) {
            json spec = {{"schedulingPolicy", leaf},
                         {"parentCompositePodGroupName", name},
                         {"workloadRef", {{"workloadName", name}}}};
            check_all_own(object_of(version, "PodGroup", spec));
            spec["schedulingPolicy"] = {{"gang", {{"minGroupCount", 1}}}};
            check_all_own(object_of(version, "CompositePodGroup", spec));
        }
        check_all_own(
            object_of("scheduling.run.ai/v2alpha2", "PodGroup",
                      {{"minSubGroup", 1},
                       {"subGroups",
                        {{{"name", name}, {"minSubGroup", 1}}, {{"name", "x"}, {"parent", name}, {"minMember", 1}}}}}));
        check_all_own(object_of("scheduling.volcano.sh/v1beta1", "PodGroup",
                                {{"minMember", 1}, {"minTaskMember", {{name, 1}}}, {"queue", name}}));
        check_all_own(object_of("scheduler.grove.io/v1alpha1", "PodGang",
                                {{"podgroups", {{{"name", name}, {"minReplicas", 1}}}},
                                 {"topologyConstraintGroupConfigs", {{{"name", name}, {"podGroupNames", {name}}}}}},
                                {{"labels", {{"grove.io/base-podgang", name}}}}));
        check_all_own(object_of("scheduling.x-k8s.io/v1alpha1", "PodGroup", {{"minMember", 1}}));
        check_all_own(object_of("scheduling.sigs.k8s.io/v1alpha1", "PodGroup", {{"minMember", 1}}));
        check_all_own(
            object_of("kueue.x-k8s.io/v1beta1", "Workload",
                      {{"podSets", {{{"name", name}, {"count", 1}, {"template", {{"spec", json::object()}}}}}}}));
        const json pod = {{"metadata", {{"labels", {{"scheduling.x-k8s.io/pod-group", name}}}}},
                          {"spec", json::object()}};
        check_all_own(
            object_of("jobset.x-k8s.io/v1alpha2", "JobSet",
                      {{"startupPolicy", {{"startupPolicyOrder", "InOrder"}}},
                       {"replicatedJobs",
                        {{{"name", "first"}, {"groupName", name}, {"template", {{"spec", {{"template", pod}}}}}},
                         {{"name", name}, {"template", {{"spec", {{"template", pod}}}}}}}}}));
        check_all_own(object_of("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
                                {{"leaderWorkerTemplate", {{"size", 2}, {"workerTemplate", pod}}}}));
        check_all_own(object_of("echelon.sh/v1alpha1", "Gang", {{"groups", {{{"name", name}, {"minimum", 1}}}}}));
        check_all_own(object_of("echelon.sh/v1alpha1", "GangPlan",
                                {{"root", {{"kind", "podgroup"}, {"name", name}, {"namespace", "a"}}}}));
    }
}

}  // namespace
}  // namespace echelon::kube
