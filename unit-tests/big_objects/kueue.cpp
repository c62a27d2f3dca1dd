// `kueue.x-k8s.io` Workload, and its annotations on pods.

#include "unit-tests/big_objects/dialects.hpp"

#include <string>
#include <utility>

namespace echelon::big_objects {
namespace {

constexpr const char* slices_key = "kueue.x-k8s.io/podset-slice-required-topology-constraints";

json pod_set(const std::string& name, std::int64_t count, json annotations = json::object()) {
    return {{"name", name},
            {"count", count},
            {"template",
             {{"metadata", {{"annotations", std::move(annotations)}}}, {"spec", {{"containers", json::array()}}}}}};
}

json workload(const std::string& ns, json pod_sets) {
    json out = object("kueue.x-k8s.io/v1beta2", "Workload", ns, "big");
    out["spec"] = {{"podSets", std::move(pod_sets)}};
    return out;
}

json member(const std::string& ns, const std::string& name, const std::string& part) {
    json out = pod(ns, name);
    out["metadata"]["labels"] = {{"kueue.x-k8s.io/podset", part}};
    out["metadata"]["annotations"] = {{"kueue.x-k8s.io/workload", "big"}};
    return out;
}

Objects pods(const std::string& ns, std::int64_t count) {
    Objects out{workload(ns, json::array({pod_set("main", count)}))};
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(member(ns, numbered("big", i), "main"));
    return out;
}

Objects pod_sets(const std::string& ns, std::int64_t count) {
    return {workload(ns, list(count, [](std::int64_t i) { return pod_set(numbered("part", i), 1); })),
            member(ns, "big", "part-0")};
}

Objects one_count(const std::string& ns, std::int64_t count) {
    return {workload(ns, json::array({pod_set("main", count)})), member(ns, "big", "main")};
}

Objects slices(const std::string& ns, std::int64_t count) {
    const json annotations = {{"kueue.x-k8s.io/podset-slice-required-topology", "example.com/rack"},
                              {"kueue.x-k8s.io/podset-slice-size", "1"}};
    return {workload(ns, json::array({pod_set("main", count, annotations)})), member(ns, "big", "main")};
}

Objects nested_slices(const std::string& ns, std::int64_t count) {
    const json annotations = {{slices_key, nested_text("[", "]", count)}};
    return {workload(ns, json::array({pod_set("main", 1, annotations)})), member(ns, "big", "main")};
}

// Below a key that is read.
Objects nested_size(const std::string& ns, std::int64_t count) {
    const std::string text = R"([{"topology":"example.com/rack","size":)" + nested_text("[", "]", count) + "}]";
    return {workload(ns, json::array({pod_set("main", 1, {{slices_key, text}})})), member(ns, "big", "main")};
}

Objects slice_levels(const std::string& ns, std::int64_t count) {
    const json levels = list(
        count, [](std::int64_t i) { return json{{"topology", "example.com/" + numbered("level", i)}, {"size", 1}}; });
    return {workload(ns, json::array({pod_set("main", 1, {{slices_key, levels.dump()}})})), member(ns, "big", "main")};
}

// A group of plain pods says how many it will be.
Objects group_total(const std::string& ns, std::int64_t count) {
    json out = pod(ns, "big");
    out["metadata"]["labels"] = {{"kueue.x-k8s.io/pod-group-name", "big"}};
    out["metadata"]["annotations"] = {{"kueue.x-k8s.io/pod-group-total-count", std::to_string(count)}};
    return {out};
}

// A pod of no gang at all, with an annotation that is parsed.
Objects nested_on_pod(const std::string& ns, std::int64_t count) {
    Objects out = group_total(ns, 1);
    out[0]["metadata"]["annotations"][slices_key] = nested_text("[", "]", count);
    return out;
}

Objects assignments(const std::string& ns, std::int64_t count) {
    json out = workload(ns, json::array({pod_set("main", 1)}));
    out["status"]["admission"]["podSetAssignments"] =
        list(count, [](std::int64_t i) { return json{{"name", numbered("part", i)}, {"count", 1}}; });
    return {out, member(ns, "big", "main")};
}

}  // namespace

Rows kueue_rows() {
    return {
        {"kueue/pods", "pods", 20'000, pods},
        {"kueue/pod-sets", "podSets", 4'095, pod_sets},
        {"kueue/count", "count of one podSet", 20'000, one_count},
        {"kueue/slices", "slices of one pod", 20'000, slices},
        {"kueue/nested-slices", "depth of the annotation", 16, nested_slices},
        {"kueue/nested-size", "depth of a value of the annotation", 14, nested_size},
        {"kueue/slice-levels", "levels of the annotation", 3, slice_levels},
        {"kueue/group-total", "pods that one pod announces", 20'000, group_total},
        {"kueue/nested-on-pod", "depth of a pod's annotation", 16, nested_on_pod},
        {"kueue/assignments", "podSetAssignments", 20'000, assignments},
    };
}

}  // namespace echelon::big_objects
