// What each decoder bounds: controllers of pods, and our own Gang.

#include "unit-tests/kube/bounds_rows.hpp"

namespace echelon::kube::hostile {

namespace {

using Rows = std::vector<Row>;

constexpr std::int64_t int32 = 2147483647;
const std::string of_members = " is more than the 20000 members that a gang may have (limits.members)";
const std::string of_groups = "more than the 4096 groups that a gang may have (limits.groups)";
const std::string of_bytes = "bytes are more than the 317 bytes that a name or key may have";

json job_set(json jobs) {
    return object("jobset.x-k8s.io/v1alpha2", "JobSet", {{"replicatedJobs", std::move(jobs)}});
}

json job(std::int64_t replicas, std::int64_t parallelism, json pod = nullptr) {
    return {{"name", "a"},
            {"replicas", replicas},
            {"template", {{"spec", {{"parallelism", parallelism}, {"template", std::move(pod)}}}}}};
}

// Late Jobs with a large template, of which each was given a copy.
json late_jobs(std::int64_t replicas) {
    json pod = {{"spec", {{"nodeSelector", map(1'000, "a value of some length")}}}};
    json out = job_set({job(1, 1), job(replicas, 1, std::move(pod))});
    out["spec"]["replicatedJobs"][1]["name"] = "b";
    out["spec"]["startupPolicy"] = {{"startupPolicyOrder", "InOrder"}};
    return out;
}

Rows job_set_rows() {
    const std::string kind = "JobSet.jobset.x-k8s.io";
    return {
        {"replicas", kind, [](std::int64_t n) { return job_set({job(n, 0)}); }, 4094, 100'000,
         "spec.replicatedJobs[0].replicas: 4097 groups with its Jobs are " + of_groups},
        {"more replicas than groups", kind, [](std::int64_t n) { return job_set({job(n, 0)}); }, 4094, int32,
         "spec.replicatedJobs[0].replicas: 4097 groups with its Jobs are " + of_groups},
        {"replicas with a large template", kind, late_jobs, 4092, 100'000, of_groups},
        {"parallelism", kind, [](std::int64_t n) { return job_set({job(1, n)}); }, 20'000, int32,
         "spec.replicatedJobs[0]: 20001 pods of all its Jobs are more than the 20000 members"},
        {"pods of all Jobs", kind, [](std::int64_t n) { return job_set({job(100, n)}); }, 200, int32,
         "spec.replicatedJobs[0]: 20100 pods of all its Jobs are more than the 20000 members"},
        {"replicatedJobs", kind,
         [](std::int64_t n) {
             json jobs = named(n);
             for (json& each : jobs)
                 each["replicas"] = 0;
             return job_set(std::move(jobs));
         },
         4095, 20'000, of_groups},
        {"a job's name", kind, [](std::int64_t n) { return job_set({{{"name", text(n)}, {"replicas", 0}}}); }, 317,
         1'000'000, "spec.replicatedJobs[0].name: 318 " + of_bytes},
    };
}

// A pod of a LeaderWorkerSet, and the annotation that it states.
json lws_pod(const std::string& size, const std::string& part_size = "") {
    json annotations = {{"leaderworkerset.sigs.k8s.io/size", size}};
    if (!part_size.empty())
        annotations["leaderworkerset.sigs.k8s.io/subgroup-size"] = part_size;
    return pod(std::move(annotations), {{"leaderworkerset.sigs.k8s.io/name", "a"},
                                        {"leaderworkerset.sigs.k8s.io/group-index", "0"},
                                        {"leaderworkerset.sigs.k8s.io/group-key", "k"},
                                        {"leaderworkerset.sigs.k8s.io/worker-index", "0"}});
}

json template_of(std::int64_t resources) {
    return {{"spec", {{"containers", {{{"name", "c"}, {"resources", {{"requests", map(resources, "1")}}}}}}}}};
}

Rows set_rows() {
    return {
        {"resources of the worker template", "LeaderWorkerSet.leaderworkerset.x-k8s.io",
         [](std::int64_t n) {
             return object("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
                           {{"leaderWorkerTemplate", {{"workerTemplate", template_of(n)}}}});
         },
         64, 4'000, "requests: 65 is more than the 64 resource names that one pod may have (limits.resources)"},
        {"size that a pod of a LeaderWorkerSet states", "Pod.",
         [](std::int64_t n) { return lws_pod(std::to_string(n)); }, 20'000, int32,
         "leaderworkerset.sigs.k8s.io/size: 20001" + of_members},
        {"sub-groups that a pod of a LeaderWorkerSet declares", "Pod.",
         [](std::int64_t n) { return lws_pod(std::to_string(n), "1"); }, 64, 20'000,
         "65 sub-groups are more than the 64 groups that one pod may declare (limits.declaredGroups)"},
        {"roles", "DisaggregatedSet.disaggregatedset.x-k8s.io",
         [](std::int64_t n) {
             return object("disaggregatedset.x-k8s.io/v1", "DisaggregatedSet", {{"roles", named(n)}});
         },
         4096, 20'000, "spec.roles: 4097 entries are " + of_groups},
    };
}

json role_based_group(std::int64_t replicas, std::int64_t size) {
    return object("workloads.x-k8s.io/v1alpha2", "RoleBasedGroup",
                  {{"roles", {{{"name", "a"}, {"replicas", replicas}, {"leaderWorkerPattern", {{"size", size}}}}}}});
}

Rows role_rows() {
    const std::string kind = "RoleBasedGroup.workloads.x-k8s.io";
    return {
        {"roles", kind,
         [](std::int64_t n) { return object("workloads.x-k8s.io/v1alpha2", "RoleBasedGroup", {{"roles", named(n)}}); },
         4096, 20'000, "spec.roles: 4097 entries are " + of_groups},
        {"replicas", kind, [](std::int64_t n) { return role_based_group(n, 1); }, 20'000, int32,
         "spec.roles[0].replicas: 20001" + of_members},
        {"pods of all instances", kind, [](std::int64_t n) { return role_based_group(100, n); }, 200, 20'000,
         "spec.roles[0]: 20100 pods of all its instances are more than the 20000 members"},
    };
}

json workload(json sets) {
    return object("kueue.x-k8s.io/v1beta1", "Workload", {{"podSets", std::move(sets)}});
}

json sliced(const std::string& text) {
    json annotations = {{"kueue.x-k8s.io/podset-slice-required-topology-constraints", text}};
    return workload({{{"name", "a"}, {"count", 1}, {"template", {{"metadata", {{"annotations", annotations}}}}}}});
}

Rows kueue_rows() {
    const std::string kind = "Workload.kueue.x-k8s.io";
    const std::string slice = R"([{"topology":"rack","size":1}])";
    return {
        {"podSets", kind, [](std::int64_t n) { return workload(named(n)); }, 4096, 20'000,
         "spec.podSets: 4097 entries are " + of_groups},
        {"count", kind, [](std::int64_t n) { return workload({{{"name", "a"}, {"count", n}}}); }, 20'000, int32,
         "spec.podSets[0].count: 20001" + of_members},
        {"text of slices", kind,
         [slice](std::int64_t n) { return sliced(slice + text(n - static_cast<std::int64_t>(slice.size()), ' ')); },
         65'536, 260'000, "65537 bytes are more than the 65536 bytes of an annotation"},
        {"nesting of slices", kind,
         [](std::int64_t n) { return sliced(R"([{"topology":"rack","size":1,"x":)" + nest(n - 2) + "}]"); }, 16, 30'000,
         "nests deeper than 16 levels (limits.annotationDepth)"},
        {"pod-group-total-count", "Pod.",
         [](std::int64_t n) {
             return pod({{"kueue.x-k8s.io/pod-group-total-count", std::to_string(n)}},
                        {{"kueue.x-k8s.io/pod-group-name", "a"}});
         },
         20'000, int32, "kueue.x-k8s.io/pod-group-total-count: 20001" + of_members},
    };
}

json gang(json spec) {
    return object("echelon.sh/v1alpha1", "Gang", std::move(spec));
}

json one_group(const char* key, json value) {
    return gang({{"groups", {{{"name", "a"}, {"minimum", 1}, {key, std::move(value)}}}}});
}

json nested(std::int64_t depth) {
    json group = {{"name", "a"}, {"minimum", 1}};
    for (std::int64_t above = 2; above < depth; ++above)
        group = {{"name", "a"}, {"groups", {group}}};
    return gang({{"groups", {group}}});
}

// Replicas with a large selector, of which each was given a copy.
json selecting(std::int64_t replicas) {
    const json values = list(4'000, [](std::int64_t at) { return json("value-" + std::to_string(at)); });
    json group = {{"name", "a"}, {"minimum", 1}, {"replicas", replicas}};
    group["podSelector"]["matchExpressions"] = {{{"key", "k"}, {"operator", "In"}, {"values", values}}};
    return gang({{"groups", {group}}});
}

Rows gang_rows() {
    const std::string kind = "Gang.echelon.sh";
    return {
        {"groups", kind,
         [](std::int64_t n) {
             json groups = named(n);
             for (json& each : groups)
                 each["minimum"] = 1;
             return gang({{"groups", std::move(groups)}});
         },
         4095, 20'000, of_groups},
        {"replicas", kind, [](std::int64_t n) { return one_group("replicas", n); }, 4094, int32, of_groups},
        {"replicas with a large selector", kind, selecting, 4094, 100'000, of_groups},
        {"minimum", kind, [](std::int64_t n) { return gang({{"minimum", n}}); }, 20'000, int32,
         "spec.minimum: 20001" + of_members},
        {"expectedPods", kind, [](std::int64_t n) { return one_group("expectedPods", n); }, 20'000, int32,
         "spec.groups[0].expectedPods: 20001" + of_members},
        {"topologyMultiples", kind, [](std::int64_t n) { return one_group("topologyMultiples", map(n, 2)); }, 16,
         50'000, "17 entries are more than the 16 levels that a topology may have"},
        {"a multiple", kind, [](std::int64_t n) { return one_group("topologyMultiples", {{"rack", n}}); }, 20'000,
         int32, "spec.groups[0].topologyMultiples.rack: 20001" + of_members},
        {"maxPerDomain", kind, [](std::int64_t n) { return one_group("maxPerDomain", map(n, 2)); }, 16, 50'000,
         "17 entries are more than the 16 levels that a topology may have"},
        {"a limit for each domain", kind, [](std::int64_t n) { return one_group("maxPerDomain", {{"rack", n}}); },
         20'000, int32, "spec.groups[0].maxPerDomain.rack: 20001" + of_members},
        {"pairedTopology", kind,
         [](std::int64_t n) {
             json groups = named(1);
             groups.front()["minimum"] = 1;
             return gang({{"pairedTopology", text(n)}, {"groups", std::move(groups)}});
         },
         317, 1'000'000, "spec.pairedTopology: 318 " + of_bytes},
        {"matchExpressions", kind,
         [](std::int64_t n) {
             const auto exists = [](std::int64_t at) {
                 return json{{"key", "k" + std::to_string(at)}, {"operator", "Exists"}};
             };
             return one_group("podSelector", {{"matchExpressions", list(n, exists)}});
         },
         64, 20'000, "65 entries are more than the 64 requirements that a podSelector may have"},
        {"depth", kind, nested, 64, 500, "65 is more than the 64 levels of groups that a gang may have (limits.depth)"},
        {"a group's name", kind,
         [](std::int64_t n) { return gang({{"groups", {{{"name", text(n)}, {"minimum", 1}}}}}); }, 63, 1'000'000,
         "spec.groups[0].name"},
        {"timeoutSeconds", kind, [](std::int64_t n) { return gang({{"minimum", 1}, {"timeoutSeconds", n}}); }, 3'600,
         int32, "spec.timeoutSeconds: 3601 is more than the 3600 seconds that seats may be held (limits.longestHold)"},
    };
}

}  // namespace

std::vector<Row> rows_of_workloads() {
    Rows all;
    for (const auto& some : {job_set_rows(), set_rows(), role_rows(), kueue_rows(), gang_rows()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

}  // namespace echelon::kube::hostile
