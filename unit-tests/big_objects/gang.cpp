// `echelon.sh`: Gang, GangPlan, and gangs by labels; with them the small API of scheduler-plugins.

#include "unit-tests/big_objects/dialects.hpp"

#include <string>
#include <utility>

namespace echelon::big_objects {
namespace {

json gang(const std::string& ns, json spec) {
    json out = object("echelon.sh/v1alpha1", "Gang", ns, "big");
    out["spec"] = std::move(spec);
    return out;
}

json member(const std::string& ns, const std::string& name, const std::string& group = {}) {
    json out = pod(ns, name);
    out["metadata"]["labels"] = {{"echelon.sh/gang", "big"}};
    if (!group.empty())
        out["metadata"]["labels"]["echelon.sh/group"] = group;
    return out;
}

Objects pods(const std::string& ns, std::int64_t count) {
    Objects out{gang(ns, {{"minimum", count}})};
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(member(ns, numbered("big", i)));
    return out;
}

Objects groups(const std::string& ns, std::int64_t count) {
    json parts = list(count, [](std::int64_t i) { return json{{"name", numbered("part", i)}, {"minimum", 1}}; });
    return {gang(ns, {{"groups", std::move(parts)}}), member(ns, "big", "part-0")};
}

// Without copies, which recurse as deep as an object is nested.
Objects both(json one, json other) {
    Objects objects;
    objects.push_back(std::move(one));
    objects.push_back(std::move(other));
    return objects;
}

Objects depth(const std::string& ns, std::int64_t count) {
    json inner = {{"name", "leaf"}, {"minimum", 1}};
    for (std::int64_t i = 2; i < count; ++i) {
        json outer = {{"name", "g"}};
        outer["groups"].push_back(std::move(inner));
        inner = std::move(outer);
    }
    json spec;
    spec["groups"].push_back(std::move(inner));
    return both(gang(ns, std::move(spec)), member(ns, "big", "leaf"));
}

Objects replicas(const std::string& ns, std::int64_t count) {
    const json part = {{"name", "part"}, {"replicas", count}, {"minimum", 1}};
    return {gang(ns, {{"groups", json::array({part})}}), member(ns, "big", "part")};
}

// Two of each group, one inside the other: 2^depth leaves from a few hundred bytes.
Objects doubled(const std::string& ns, std::int64_t count) {
    json inner = {{"name", "leaf"}, {"minimum", 1}};
    for (std::int64_t i = 0; i < count; ++i) {
        json outer = {{"name", "g"}, {"replicas", 2}, {"replicaLabel", "example.com/" + numbered("replica", i)}};
        outer["groups"].push_back(std::move(inner));
        inner = std::move(outer);
    }
    json spec;
    spec["groups"].push_back(std::move(inner));
    return both(gang(ns, std::move(spec)), member(ns, "big", "leaf"));
}

// Leaves that are selected by many labels each: the selector is kept once per replica, unless it is shared.
Objects selected_replicas(const std::string& ns, std::int64_t count) {
    json part = {{"name", "part"}, {"replicas", count}, {"minimum", 1}};
    part["podSelector"]["matchExpressions"] =
        list(64, [](std::int64_t i) { return json{{"key", numbered("key", i)}, {"operator", "DoesNotExist"}}; });
    return {gang(ns, {{"groups", json::array({std::move(part)})}}), member(ns, "big")};
}

Objects expected_pods(const std::string& ns, std::int64_t count) {
    return {gang(ns, {{"minimum", count}, {"expectedPods", count}, {"startPods", 1}}), member(ns, "big")};
}

Objects multiples(const std::string& ns, std::int64_t count) {
    json levels = json::object();
    for (std::int64_t i = 0; i < count; ++i)
        levels["example.com/" + numbered("level", i)] = 2;
    return {gang(ns, {{"minimum", 1}, {"topologyMultiples", std::move(levels)}}), member(ns, "big")};
}

// Text that ends in sentences about the gang.
Objects long_level(const std::string& ns, std::int64_t count) {
    return {gang(ns, {{"minimum", 1}, {"requiredTopology", std::string(static_cast<std::size_t>(count), 'l')}}),
            member(ns, "big")};
}

json labelled(const std::string& ns, const std::string& name, const std::string& group, std::int64_t minimum) {
    json out = member(ns, name, group);
    out["metadata"]["annotations"] = {{"echelon.sh/gang-minimum", std::to_string(minimum)}};
    if (!group.empty())
        out["metadata"]["annotations"]["echelon.sh/group-minimum"] = "1";
    return out;
}

Objects labelled_pods(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(labelled(ns, numbered("big", i), {}, count));
    return out;
}

Objects labelled_groups(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(labelled(ns, numbered("big", i), numbered("part", i), 1));
    return out;
}

// Groups of one to three pods, each pod on another host.
Objects limited(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t group = 0; group < count; ++group) {
        for (std::int64_t i = 0; i <= group % 3; ++i) {
            json next = labelled(ns, numbered("big", group) + "-" + std::to_string(i), numbered("part", group), count);
            next["metadata"]["annotations"]["echelon.sh/group-minimum"] = std::to_string(group % 3 + 1);
            next["metadata"]["annotations"]["echelon.sh/group-max-per-domain"] = "kubernetes.io/hostname=1";
            out.push_back(std::move(next));
        }
    }
    return out;
}

// And they are in proportion in each rack.
Objects paired(const std::string& ns, std::int64_t count) {
    Objects out = limited(ns, count);
    for (json& next : out)
        next["metadata"]["annotations"]["echelon.sh/gang-paired-topology"] = "example.com/rack";
    return out;
}

// Each pod declares the gang differently.
Objects disagreeing(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(labelled(ns, numbered("big", i), {}, i + 1));
    return out;
}

json plan(const std::string& ns, json status) {
    json out = object("echelon.sh/v1alpha1", "GangPlan", ns, "big");
    out["spec"]["root"] = {{"kind", "label-gang"}, {"name", "big"}};
    out["status"] = std::move(status);
    return out;
}

Objects seats(const std::string& ns, std::int64_t count) {
    json all = list(count, [&ns](std::int64_t i) {
        return json{{"pod", ns + "/" + numbered("big", i)},
                    {"uid", "uid-" + ns + "-Pod-" + numbered("big", i)},
                    {"node", numbered("node", i)},
                    {"bound", false}};
    });
    return {plan(ns, {{"phase", "Committed"}, {"epoch", 1}, {"seats", std::move(all)}})};
}

Objects recorded_groups(const std::string& ns, std::int64_t count) {
    json all = list(count, [&ns](std::int64_t i) {
        return json{{"group", ns + "/" + numbered("big", i)}, {"placed", 0}, {"minimum", 1}, {"domain", ""}};
    });
    return {plan(ns, {{"phase", "Pending"}, {"epoch", 1}, {"groups", std::move(all)}})};
}

Objects message(const std::string& ns, std::int64_t count) {
    return {plan(ns, {{"phase", "Pending"}, {"message", std::string(static_cast<std::size_t>(count), 'm')}})};
}

json small_group(const std::string& ns, std::int64_t minimum) {
    json out = object("scheduling.x-k8s.io/v1alpha1", "PodGroup", ns, "big");
    out["spec"] = {{"minMember", minimum}};
    return out;
}

json small_member(const std::string& ns, const std::string& name) {
    json out = pod(ns, name);
    out["metadata"]["labels"] = {{"scheduling.x-k8s.io/pod-group", "big"}};
    return out;
}

Objects small_pods(const std::string& ns, std::int64_t count) {
    Objects out{small_group(ns, count)};
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(small_member(ns, numbered("big", i)));
    return out;
}

Objects small_minimum(const std::string& ns, std::int64_t count) {
    return {small_group(ns, count), small_member(ns, "big")};
}

}  // namespace

Rows gang_rows() {
    return {
        {"gang/pods", "pods", 20'000, pods},
        {"gang/groups", "groups", 4'095, groups},
        {"gang/depth", "levels of groups", 64, depth},
        {"gang/replicas", "replicas of a group", 4'094, replicas},
        {"gang/doubled", "levels of two replicas each", 9, doubled},
        {"gang/selected-replicas", "replicas with a long selector", 4'094, selected_replicas},
        {"gang/expected-pods", "pods to come", 20'000, expected_pods},
        {"gang/multiples", "levels with a multiple", 30'000, multiples},
        {"gang/long-level", "bytes of a level's name", largest_object, long_level},
        {"labels/pods", "pods", 20'000, labelled_pods},
        {"labels/groups", "groups of one pod", 4'095, labelled_groups},
        {"labels/limited", "groups whose pods keep apart", 4'095, limited},
        {"labels/paired", "groups in proportion", 4'095, paired},
        {"labels/disagreeing", "pods that disagree", 20'000, disagreeing},
        {"gangplan/seats", "seats", 10'000, seats},
        {"gangplan/groups", "groups", 15'000, recorded_groups},
        {"gangplan/message", "bytes of the message", largest_object, message},
    };
}

Rows small_api_rows() {
    return {
        {"scheduler-plugins/pods", "pods", 20'000, small_pods},
        {"scheduler-plugins/minimum", "pods that it needs", largest_int32, small_minimum},
    };
}

}  // namespace echelon::big_objects
