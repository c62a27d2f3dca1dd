// `scheduler.grove.io` PodGang.

#include "unit-tests/big_objects/dialects.hpp"

#include <string>
#include <utility>

namespace echelon::big_objects {
namespace {

json pod_gang(const std::string& ns, json spec) {
    json out = object("scheduler.grove.io/v1alpha1", "PodGang", ns, "big");
    out["spec"] = std::move(spec);
    return out;
}

json member(const std::string& ns, const std::string& name, const std::string& part) {
    json out = pod(ns, name);
    out["metadata"]["labels"] = {{"grove.io/podgang", "big"}, {"grove.io/podclique", part}};
    return out;
}

json parts(std::int64_t count, std::int64_t minimum = 1) {
    return list(count,
                [minimum](std::int64_t i) { return json{{"name", numbered("part", i)}, {"minReplicas", minimum}}; });
}

Objects pods(const std::string& ns, std::int64_t count) {
    Objects out{pod_gang(ns, {{"podgroups", parts(1, count)}})};
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(member(ns, numbered("big", i), "part-0"));
    return out;
}

Objects pod_groups(const std::string& ns, std::int64_t count) {
    return {pod_gang(ns, {{"podgroups", parts(count)}}), member(ns, "big", "part-0")};
}

Objects references(const std::string& ns, std::int64_t count) {
    json part = parts(1)[0];
    part["podReferences"] =
        list(count, [&ns](std::int64_t i) { return json{{"namespace", ns}, {"name", numbered("big", i)}}; });
    return {pod_gang(ns, {{"podgroups", json::array({std::move(part)})}}), member(ns, "big-0", "part-0")};
}

// One entry that names all groups.
Objects config(const std::string& ns, std::int64_t count) {
    json entry = {{"name", "config"},
                  {"podGroupNames", list(count, [](std::int64_t i) { return numbered("part", i); })}};
    return {pod_gang(ns, {{"podgroups", parts(count)}, {"topologyConstraintGroupConfigs", json::array({entry})}}),
            member(ns, "big", "part-0")};
}

Objects configs(const std::string& ns, std::int64_t count) {
    json entries = list(count, [](std::int64_t i) {
        return json{{"name", numbered("config", i)}, {"podGroupNames", {numbered("part", i)}}};
    });
    return {pod_gang(ns, {{"podgroups", parts(count)}, {"topologyConstraintGroupConfigs", std::move(entries)}}),
            member(ns, "big", "part-0")};
}

// Entries that all name the same group.
Objects contested(const std::string& ns, std::int64_t count) {
    json entries = list(
        count, [](std::int64_t i) { return json{{"name", numbered("config", i)}, {"podGroupNames", {"part-0"}}}; });
    return {pod_gang(ns, {{"podgroups", parts(1)}, {"topologyConstraintGroupConfigs", std::move(entries)}}),
            member(ns, "big", "part-0")};
}

Objects minimum(const std::string& ns, std::int64_t count) {
    return {pod_gang(ns, {{"podgroups", parts(1, count)}}), member(ns, "big", "part-0")};
}

}  // namespace

Rows grove_rows() {
    return {
        {"grove/pods", "pods", 20'000, pods},
        {"grove/podgroups", "podgroups", 4'095, pod_groups},
        {"grove/references", "podReferences of a group", 20'000, references},
        {"grove/config", "groups of one entry", 4'094, config},
        {"grove/configs", "entries of one group each", 2'047, configs},
        {"grove/contested", "entries that want one group", 4'094, contested},
        {"grove/minimum", "pods that a group needs", 20'000, minimum},
    };
}

}  // namespace echelon::big_objects
