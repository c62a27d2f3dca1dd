// `scheduling.volcano.sh` PodGroup.

#include "unit-tests/big_objects/dialects.hpp"

#include <string>
#include <utility>

namespace echelon::big_objects {
namespace {

json pod_group(const std::string& ns, json spec) {
    json out = object("scheduling.volcano.sh/v1beta1", "PodGroup", ns, "big");
    out["spec"] = std::move(spec);
    return out;
}

json member(const std::string& ns, const std::string& name, json labels = json::object()) {
    json out = pod(ns, name);
    out["metadata"]["annotations"] = {{"scheduling.k8s.io/group-name", "big"}};
    out["metadata"]["labels"] = std::move(labels);
    return out;
}

json policy(const std::string& name) {
    return {{"name", name},
            {"labelSelector", {{"matchLabels", {{"app", "big"}}}}},
            {"matchLabelKeys", {"part"}},
            {"subGroupSize", 1},
            {"minSubGroups", 1}};
}

json one_policy(json changed) {
    return {{"minMember", 1}, {"subGroupPolicy", json::array({std::move(changed)})}};
}

Objects pods(const std::string& ns, std::int64_t count) {
    Objects out{pod_group(ns, {{"minMember", count}})};
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(member(ns, numbered("big", i)));
    return out;
}

Objects tasks(const std::string& ns, std::int64_t count) {
    json minimums = json::object();
    for (std::int64_t i = 0; i < count; ++i)
        minimums[numbered("task", i)] = 1;
    return {pod_group(ns, {{"minMember", count}, {"minTaskMember", std::move(minimums)}}),
            member(ns, "big", {{"volcano.sh/task-spec", numbered("task", count - 1)}})};
}

Objects policies(const std::string& ns, std::int64_t count) {
    json all = list(count, [](std::int64_t i) { return policy(numbered("policy", i)); });
    return {pod_group(ns, {{"minMember", 1}, {"subGroupPolicy", std::move(all)}}),
            member(ns, "big", {{"app", "big"}, {"part", "0"}})};
}

Objects expressions(const std::string& ns, std::int64_t count) {
    json changed = policy("policy");
    changed["labelSelector"]["matchExpressions"] =
        list(count, [](std::int64_t i) { return json{{"key", numbered("k", i)}, {"operator", "DoesNotExist"}}; });
    return {pod_group(ns, one_policy(std::move(changed))), member(ns, "big", {{"app", "big"}, {"part", "0"}})};
}

Objects values(const std::string& ns, std::int64_t count) {
    json changed = policy("policy");
    changed["labelSelector"]["matchExpressions"] =
        json::array({{{"key", "app"}, {"operator", "In"}, {"values", list(count, [](std::int64_t i) {
                                                               return numbered("v", i);
                                                           })}}});
    return {pod_group(ns, one_policy(std::move(changed))), member(ns, "big", {{"app", "big"}, {"part", "0"}})};
}

Objects label_keys(const std::string& ns, std::int64_t count) {
    json changed = policy("policy");
    changed["matchLabelKeys"] = list(count, [](std::int64_t i) { return numbered("k", i); });
    return {pod_group(ns, one_policy(std::move(changed))), member(ns, "big", {{"app", "big"}, {"part", "0"}})};
}

Objects partitions(const std::string& ns, std::int64_t count) {
    Objects out{pod_group(ns, one_policy(policy("policy")))};
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(member(ns, numbered("big", i), {{"app", "big"}, {"part", std::to_string(i)}}));
    return out;
}

}  // namespace

Rows volcano_rows() {
    return {
        {"volcano/pods", "pods", 20'000, pods},
        {"volcano/tasks", "tasks", 2'000, tasks},
        {"volcano/policies", "sub-group policies", 2'000, policies},
        {"volcano/expressions", "matchExpressions of a policy", 30'000, expressions},
        {"volcano/values", "values of one expression", 100'000, values},
        {"volcano/label-keys", "matchLabelKeys of a policy", 100'000, label_keys},
        {"volcano/partitions", "sub-groups by label values", 4'000, partitions},
    };
}

}  // namespace echelon::big_objects
