// `scheduling.sigs.k8s.io` PodGroup, and gangs by annotations below `gang.scheduling.koordinator.sh/`.

#include "unit-tests/big_objects/dialects.hpp"

#include <string>
#include <utility>

namespace echelon::big_objects {
namespace {

constexpr const char* groups_key = "gang.scheduling.koordinator.sh/groups";
constexpr const char* spec_key = "gang.scheduling.koordinator.sh/network-topology-spec";

json pod_group(const std::string& ns, const std::string& name, json annotations = json::object()) {
    json out = object("scheduling.sigs.k8s.io/v1alpha1", "PodGroup", ns, name);
    out["metadata"]["annotations"] = std::move(annotations);
    out["spec"] = {{"minMember", 1}};
    return out;
}

json member(const std::string& ns, const std::string& name, const std::string& group) {
    json out = pod(ns, name);
    out["metadata"]["labels"] = {{"pod-group.scheduling.sigs.k8s.io", group}};
    return out;
}

// Of a gang without an object.
json annotated(const std::string& ns, const std::string& name, const std::string& gang, json annotations) {
    json out = pod(ns, name);
    annotations["gang.scheduling.koordinator.sh/name"] = gang;
    annotations["gang.scheduling.koordinator.sh/min-available"] = "1";
    out["metadata"]["annotations"] = std::move(annotations);
    return out;
}

std::string names_of(const std::string& ns, std::int64_t count) {
    return list(count, [&ns](std::int64_t i) { return ns + "/" + numbered("big", i); }).dump();
}

Objects pods(const std::string& ns, std::int64_t count) {
    Objects out{pod_group(ns, "big")};
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(member(ns, numbered("big", i), "big"));
    return out;
}

// One gang that names many.
Objects listed(const std::string& ns, std::int64_t count) {
    return {pod_group(ns, "big-0", {{groups_key, names_of(ns, count)}}), member(ns, "big", "big-0")};
}

// Every gang names all of them.
Objects mutual(const std::string& ns, std::int64_t count) {
    Objects out;
    const std::string names = names_of(ns, count);
    for (std::int64_t i = 0; i < count; ++i) {
        out.push_back(pod_group(ns, numbered("big", i), {{groups_key, names}}));
        out.push_back(member(ns, numbered("big", i), numbered("big", i)));
    }
    return out;
}

// Every gang names one more than the gang before it: as many roots as gangs, and each gang is in all of them.
Objects overlapping(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i) {
        out.push_back(pod_group(ns, numbered("big", i), {{groups_key, names_of(ns, i + 2)}}));
        out.push_back(member(ns, numbered("big", i), numbered("big", i)));
    }
    return out;
}

// The same by pods alone, whose lists change the gang each time.
Objects overlapping_pods(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(annotated(ns, numbered("big", i), numbered("big", i), {{groups_key, names_of(ns, i + 2)}}));
    return out;
}

Objects annotated_pods(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(annotated(ns, numbered("big", i), "big", {{groups_key, names_of(ns, 64)}}));
    return out;
}

Objects nested_list(const std::string& ns, std::int64_t count) {
    return {annotated(ns, "big", "big", {{groups_key, nested_text("[", "]", count)}})};
}

Objects open_list(const std::string& ns, std::int64_t count) {
    return {annotated(ns, "big", "big", {{groups_key, std::string(static_cast<std::size_t>(count), '[')}})};
}

Objects nested_spec(const std::string& ns, std::int64_t count) {
    return {annotated(ns, "big", "big", {{spec_key, nested_text("{\"gatherStrategy\":[", "]}", count)}})};
}

// Below a key that is read.
Objects nested_strategy(const std::string& ns, std::int64_t count) {
    const std::string text = R"({"gatherStrategy":[{"layer":"x","strategy":)" + nested_text("[", "]", count) + "}]}";
    return {annotated(ns, "big", "big", {{spec_key, text}})};
}

Objects gathered(const std::string& ns, std::int64_t count) {
    const json entries = list(count, [](std::int64_t i) {
        return json{{"layer", numbered("layer", i)}, {"strategy", "PreferGather"}, {"podCountMultiple", 2}};
    });
    return {annotated(ns, "big", "big", {{spec_key, json{{"gatherStrategy", entries}}.dump()}})};
}

Objects total_number(const std::string& ns, std::int64_t count) {
    return {annotated(ns, "big", "big", {{"gang.scheduling.koordinator.sh/total-number", std::to_string(count)}})};
}

}  // namespace

Rows koordinator_rows() {
    return {
        {"koordinator/pods", "pods", 20'000, pods},
        {"koordinator/listed", "gangs that one PodGroup names", 3'600, listed},
        {"koordinator/mutual", "gangs that name each other", 2'000, mutual},
        {"koordinator/overlapping", "gangs with unlike lists", 2'000, overlapping},
        {"koordinator/overlapping-pods", "pods with unlike lists", 2'000, overlapping_pods},
        {"koordinator/annotated-pods", "pods of one gang without an object", 20'000, annotated_pods},
        {"koordinator/nested-list", "depth of the annotation", 16, nested_list},
        {"koordinator/open-list", "brackets that nobody closes", 16, open_list},
        {"koordinator/nested-spec", "depth of the annotation", 8, nested_spec},
        {"koordinator/nested-strategy", "depth of a value of the annotation", 13, nested_strategy},
        {"koordinator/gathered", "layers of the annotation", 800, gathered},
        {"koordinator/total-number", "pods that one pod announces", 20'000, total_number},
    };
}

}  // namespace echelon::big_objects
