// `scheduling.run.ai` PodGroup.

#include "unit-tests/big_objects/dialects.hpp"

#include <string>
#include <utility>

namespace echelon::big_objects {
namespace {

json pod_group(const std::string& ns, json spec) {
    json out = object("scheduling.run.ai/v2alpha2", "PodGroup", ns, "big");
    out["spec"] = std::move(spec);
    return out;
}

json member(const std::string& ns, const std::string& name, const std::string& part = {}) {
    json out = pod(ns, name);
    out["metadata"]["annotations"] = {{"pod-group-name", "big"}};
    if (!part.empty())
        out["metadata"]["labels"] = {{"kai.scheduler/subgroup-name", part}};
    return out;
}

Objects pods(const std::string& ns, std::int64_t count) {
    Objects out{pod_group(ns, {{"minMember", 1}})};
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(member(ns, numbered("big", i)));
    return out;
}

Objects fan(const std::string& ns, std::int64_t count) {
    json parts = list(count, [](std::int64_t i) { return json{{"name", numbered("part", i)}, {"minMember", 1}}; });
    return {pod_group(ns, {{"subGroups", std::move(parts)}}), member(ns, "big", "part-0")};
}

Objects chain(const std::string& ns, std::int64_t count) {
    json parts = list(count, [](std::int64_t i) {
        json part = {{"name", numbered("part", i)}};
        if (i > 0)
            part["parent"] = numbered("part", i - 1);
        return part;
    });
    return {pod_group(ns, {{"subGroups", std::move(parts)}}), member(ns, "big", numbered("part", count - 1))};
}

Objects cycle(const std::string& ns, std::int64_t count) {
    json parts = list(count, [count](std::int64_t i) {
        return json{{"name", numbered("part", i)}, {"parent", numbered("part", (i + 1) % count)}};
    });
    return {pod_group(ns, {{"subGroups", std::move(parts)}}), member(ns, "big", "part-0")};
}

Objects twins(const std::string& ns, std::int64_t count) {
    json parts = list(count, [](std::int64_t) { return json{{"name", "part"}, {"minMember", 1}}; });
    return {pod_group(ns, {{"subGroups", std::move(parts)}}), member(ns, "big", "part")};
}

Objects strangers(const std::string& ns, std::int64_t count) {
    Objects out = fan(ns, 1);
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(member(ns, numbered("big", i), numbered("unknown", i)));
    return out;
}

}  // namespace

Rows kai_rows() {
    return {
        {"kai/pods", "pods", 20'000, pods},
        {"kai/fan", "subGroups side by side", 4'094, fan},
        {"kai/chain", "subGroups below each other", 62, chain},
        {"kai/cycle", "subGroups in a circle", 4'094, cycle},
        {"kai/twins", "subGroups of one name", 4'094, twins},
        {"kai/strangers", "pods of subGroups that don't exist", 4'000, strangers},
    };
}

}  // namespace echelon::big_objects
