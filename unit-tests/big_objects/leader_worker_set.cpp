// `leaderworkerset.x-k8s.io` LeaderWorkerSet and its pods, `disaggregatedset.x-k8s.io` DisaggregatedSet,
// `workloads.x-k8s.io` RoleBasedGroup.

#include "unit-tests/big_objects/dialects.hpp"

#include <string>
#include <utility>

namespace echelon::big_objects {
namespace {

constexpr const char* size_key = "leaderworkerset.sigs.k8s.io/size";
constexpr const char* part_size_key = "leaderworkerset.sigs.k8s.io/subgroup-size";
constexpr const char* exclusive_key = "leaderworkerset.sigs.k8s.io/exclusive-topology";

json leader_worker_set(const std::string& ns, std::int64_t size) {
    json out = object("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", ns, "big");
    const json containers = json::array({{{"name", "main"}, {"resources", {{"requests", {{"cpu", "1"}}}}}}});
    out["spec"] = {
        {"replicas", 1},
        {"startupPolicy", "LeaderReady"},
        {"leaderWorkerTemplate", {{"size", size}, {"workerTemplate", {{"spec", {{"containers", containers}}}}}}}};
    return out;
}

json leader(const std::string& ns, const std::string& name, std::int64_t group, std::int64_t size) {
    json out = pod(ns, name);
    out["metadata"]["labels"] = {{"leaderworkerset.sigs.k8s.io/name", "big"},
                                 {"leaderworkerset.sigs.k8s.io/group-index", std::to_string(group)},
                                 {"leaderworkerset.sigs.k8s.io/group-key", numbered("key", group)},
                                 {"leaderworkerset.sigs.k8s.io/worker-index", "0"}};
    out["metadata"]["annotations"] = {{size_key, std::to_string(size)}};
    return out;
}

Objects size(const std::string& ns, std::int64_t count) {
    return {leader_worker_set(ns, count), leader(ns, "big", 0, count)};
}

// Without the object: the pod's word alone.
Objects size_of_pod(const std::string& ns, std::int64_t count) {
    json out = leader(ns, "big", 0, count);
    out["metadata"]["annotations"][exclusive_key] = "example.com/rack";
    return {out};
}

// Leaders whose workers don't exist yet: a small object each, and a gang of the largest size.
Objects sizes_of_pods(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i) {
        json next = leader(ns, numbered("big", i), i, 20'000);
        next["metadata"]["annotations"][exclusive_key] = "example.com/rack";
        out.push_back(std::move(next));
    }
    return out;
}

Objects parts(const std::string& ns, std::int64_t count) {
    json out = leader(ns, "big", 0, count);
    out["metadata"]["annotations"][part_size_key] = "1";
    return {out};
}

// Small pods, each of which declares as many groups as it may: ten of 700 bytes were 1 GB.
Objects pods_of_parts(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i) {
        json next = leader(ns, numbered("big", i), i, 60);
        next["metadata"]["annotations"][part_size_key] = "1";
        next["metadata"]["annotations"]["leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology"] =
            "example.com/" + std::string(60, 'r');
        out.push_back(std::move(next));
    }
    return out;
}

Objects pods(const std::string& ns, std::int64_t count) {
    Objects out{leader_worker_set(ns, count)};
    for (std::int64_t i = 0; i < count; ++i) {
        json next = leader(ns, numbered("big", i), 0, count);
        next["metadata"]["labels"]["leaderworkerset.sigs.k8s.io/worker-index"] = std::to_string(i);
        out.push_back(std::move(next));
    }
    return out;
}

json disaggregated_set(const std::string& ns, std::int64_t roles) {
    json out = object("disaggregatedset.x-k8s.io/v1", "DisaggregatedSet", ns, "big");
    out["spec"] = {{"slices", 1}, {"roles", list(roles, [](std::int64_t i) {
                                       return json{{"name", numbered("role", i)}, {"spec", {{"replicas", 1}}}};
                                   })}};
    return out;
}

json role_member(const std::string& ns, std::int64_t role) {
    json out = leader(ns, numbered("big", role), 0, 1);
    out["metadata"]["labels"]["leaderworkerset.sigs.k8s.io/name"] = numbered("big", role);
    out["metadata"]["labels"]["disaggregatedset.x-k8s.io/name"] = "big";
    out["metadata"]["labels"]["disaggregatedset.x-k8s.io/role"] = numbered("role", role);
    return out;
}

Objects roles(const std::string& ns, std::int64_t count) {
    return {disaggregated_set(ns, count), role_member(ns, 0)};
}

Objects role_pods(const std::string& ns, std::int64_t count) {
    Objects out{disaggregated_set(ns, 2)};
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(role_member(ns, i));
    return out;
}

json role_based_group(const std::string& ns, std::int64_t roles, std::int64_t replicas, std::int64_t size) {
    json out = object("workloads.x-k8s.io/v1alpha2", "RoleBasedGroup", ns, "big");
    out["spec"] = {{"roles", list(roles, [&](std::int64_t i) {
                        return json{{"name", numbered("role", i)},
                                    {"replicas", replicas},
                                    {"leaderWorkerPattern", {{"size", size}}}};
                    })}};
    return out;
}

json instance_member(const std::string& ns, std::int64_t instance) {
    json out = pod(ns, numbered("big", instance));
    out["metadata"]["labels"] = {{"pod-group.scheduling.sigs.k8s.io/name", "big"},
                                 {"rbg.workloads.x-k8s.io/group-name", "big"},
                                 {"rbg.workloads.x-k8s.io/role-name", numbered("role", 0)},
                                 {"rbg.workloads.x-k8s.io/role-instance-name", numbered("instance", instance)}};
    return out;
}

Objects group_roles(const std::string& ns, std::int64_t count) {
    return {role_based_group(ns, count, 1, 1), instance_member(ns, 0)};
}

Objects group_replicas(const std::string& ns, std::int64_t count) {
    return {role_based_group(ns, 1, count, 1), instance_member(ns, 0)};
}

Objects group_instances(const std::string& ns, std::int64_t count) {
    Objects out{role_based_group(ns, 1, 1, 1)};
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(instance_member(ns, i));
    return out;
}

}  // namespace

Rows leader_worker_set_rows() {
    return {
        {"leaderworkerset/size", "size of a group", 20'000, size},
        {"leaderworkerset/size-of-pod", "size that a pod states", 20'000, size_of_pod},
        {"leaderworkerset/sizes-of-pods", "pods that state the largest size", 1'000, sizes_of_pods},
        {"leaderworkerset/parts", "sub-groups that a pod declares", 63, parts},
        {"leaderworkerset/pods-of-parts", "pods with sixty sub-groups each", 2'000, pods_of_parts},
        {"leaderworkerset/pods", "pods", 20'000, pods},
        {"disaggregatedset/roles", "roles", 4'000, roles},
        {"disaggregatedset/role-pods", "pods of unlike roles", 2'000, role_pods},
        {"rolebasedgroup/roles", "roles of instances", 4'000, group_roles},
        {"rolebasedgroup/replicas", "instances of a role", 20'000, group_replicas},
        {"rolebasedgroup/instances", "pods of unlike instances", 2'000, group_instances},
    };
}

}  // namespace echelon::big_objects
