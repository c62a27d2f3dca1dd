// `scheduling.k8s.io`: PodGroup, CompositePodGroup, Workload.

#include "unit-tests/big_objects/dialects.hpp"

#include <string>

namespace echelon::big_objects {
namespace {

constexpr const char* newest = "scheduling.k8s.io/v1alpha3";
constexpr const char* oldest = "scheduling.k8s.io/v1alpha1";
constexpr const char* level = "example.com/rack";

json pod_group(const std::string& ns, const std::string& name, const std::string& parent = {}) {
    json out = object(newest, "PodGroup", ns, name);
    out["spec"] = {{"schedulingPolicy", {{"gang", {{"minCount", 1}}}}}};
    if (!parent.empty())
        out["spec"]["parentCompositePodGroupName"] = parent;
    return out;
}

json composite(const std::string& ns, const std::string& name, const std::string& parent = {}) {
    json out = object(newest, "CompositePodGroup", ns, name);
    out["spec"] = {{"schedulingPolicy", {{"gang", {{"minGroupCount", 1}}}}},
                   {"workloadRef", {{"workloadName", "big"}, {"templateName", "big"}}}};
    if (!parent.empty())
        out["spec"]["parentCompositePodGroupName"] = parent;
    return out;
}

json member(const std::string& ns, const std::string& name, const std::string& group) {
    json out = pod(ns, name);
    out["spec"]["schedulingGroup"] = {{"podGroupName", group}};
    return out;
}

Objects pods(const std::string& ns, std::int64_t count) {
    Objects out{pod_group(ns, "big")};
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(member(ns, numbered("big", i), "big"));
    return out;
}

Objects children(const std::string& ns, std::int64_t count) {
    Objects out{composite(ns, "big")};
    for (std::int64_t i = 0; i < count; ++i) {
        const std::string name = numbered("big", i);
        out.push_back(pod_group(ns, name, "big"));
        out.push_back(member(ns, name, name));
    }
    return out;
}

// One composite below another; the leaf with its pod comes first, so that each arrival moves the root.
Objects chain(const std::string& ns, std::int64_t count) {
    Objects out{member(ns, "big", "leaf"), pod_group(ns, "leaf", numbered("big", count - 1))};
    for (std::int64_t i = count - 1; i >= 0; --i)
        out.push_back(composite(ns, numbered("big", i), i == 0 ? std::string() : numbered("big", i - 1)));
    return out;
}

Objects cycle(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(composite(ns, numbered("big", i), numbered("big", (i + 1) % count)));
    out.push_back(pod_group(ns, "leaf", "big-0"));
    out.push_back(member(ns, "big", "leaf"));
    return out;
}

Objects gangs(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::string name = numbered("big", i);
        out.push_back(pod_group(ns, name));
        out.push_back(member(ns, name, name));
    }
    return out;
}

Objects constraints(const std::string& ns, std::int64_t count) {
    json out = pod_group(ns, "big");
    out["spec"]["schedulingConstraints"]["topology"] = list(count, [](std::int64_t) { return json{{"key", level}}; });
    return {out, member(ns, "big", "big")};
}

Objects templates(const std::string& ns, std::int64_t count) {
    json out = object(oldest, "Workload", ns, "big");
    out["spec"]["podGroups"] = list(count, [](std::int64_t i) {
        return json{{"name", numbered("part", i)}, {"policy", {{"gang", {{"minCount", 1}}}}}};
    });
    json first = pod(ns, "big");
    first["spec"]["workloadRef"] = {{"name", "big"}, {"podGroup", "part-0"}};
    return {out, first};
}

// Each key is a separate gang.
Objects replica_keys(const std::string& ns, std::int64_t count) {
    Objects out = templates(ns, 1);
    for (std::int64_t i = 0; i < count; ++i) {
        json next = pod(ns, numbered("big", i));
        next["spec"]["workloadRef"] = {
            {"name", "big"}, {"podGroup", "part-0"}, {"podGroupReplicaKey", std::to_string(i)}};
        out.push_back(std::move(next));
    }
    return out;
}

Objects template_depth(const std::string& ns, std::int64_t count) {
    json inner = {{"name", "leaf"}, {"schedulingPolicy", {{"gang", {{"minCount", 1}}}}}};
    for (std::int64_t i = 0; i < count; ++i) {
        json outer = {{"name", numbered("part", i)}};
        outer["compositePodGroupTemplates"].push_back(std::move(inner));
        inner = std::move(outer);
    }
    json out = object(newest, "Workload", ns, "big");
    out["spec"]["compositePodGroupTemplates"].push_back(std::move(inner));
    return {out};
}

}  // namespace

Rows upstream_rows() {
    return {
        {"upstream/pods", "pods", 20'000, pods},
        {"upstream/children", "groups", 4'095, children},
        {"upstream/chain", "levels above the leaf", 3, chain},
        {"upstream/cycle", "composites", 4'095, cycle},
        {"upstream/gangs", "gangs", 20'000, gangs},
        {"upstream/constraints", "topology constraints", 1, constraints},
        {"upstream/templates", "pod groups of a Workload", 4'096, templates},
        {"upstream/replica-keys", "gangs of a Workload", 20'000, replica_keys},
        {"upstream/template-depth", "levels of templates", 2'000, template_depth},
    };
}

}  // namespace echelon::big_objects
