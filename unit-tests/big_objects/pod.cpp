// Fields that any pod may have. All pods are members of a gang by labels, since those are checked most.

#include "unit-tests/big_objects/dialects.hpp"

#include <string>
#include <utility>

namespace echelon::big_objects {
namespace {

json member(const std::string& ns, const std::string& name = "big", std::int64_t minimum = 1) {
    json out = pod(ns, name);
    out["metadata"]["labels"] = {{"echelon.sh/gang", "big"}};
    out["metadata"]["annotations"] = {{"echelon.sh/gang-minimum", std::to_string(minimum)}};
    return out;
}

json& requests_of(json& pod) {
    return pod["spec"]["containers"][0]["resources"]["requests"];
}

Objects containers(const std::string& ns, std::int64_t count) {
    json out = member(ns);
    out["spec"]["containers"] = list(count, [](std::int64_t i) {
        return json{{"name", numbered("c", i)}, {"resources", {{"requests", {{"cpu", "1m"}}}}}};
    });
    return {out};
}

Objects resources(const std::string& ns, std::int64_t count) {
    json out = member(ns);
    for (std::int64_t i = 0; i < count; ++i)
        requests_of(out)["example.com/" + numbered("device", i)] = "1";
    return {out};
}

// Together they name many resources, each of them few.
Objects unlike_resources(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i) {
        json next = member(ns, numbered("big", i));
        requests_of(next)["example.com/" + numbered("device", i)] = "0";
        out.push_back(std::move(next));
    }
    return out;
}

Objects unlike_sizes(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i) {
        json next = member(ns, numbered("big", i), count);
        requests_of(next)["cpu"] = std::to_string(1'000 + (i * 7'919) % 15'000) + "m";
        requests_of(next)["memory"] = std::to_string(1 + (i * 104'729) % 60) + "Gi";
        out.push_back(std::move(next));
    }
    return out;
}

Objects tolerations(const std::string& ns, std::int64_t count) {
    json out = member(ns);
    out["spec"]["tolerations"] = list(count, [](std::int64_t i) {
        return json{{"key", numbered("taint", i)}, {"operator", "Exists"}, {"effect", "NoSchedule"}};
    });
    return {out};
}

Objects node_selector(const std::string& ns, std::int64_t count) {
    json out = member(ns);
    for (std::int64_t i = 0; i < count; ++i)
        out["spec"]["nodeSelector"]["example.com/" + numbered("label", i)] = "v";
    return {out};
}

Objects node_terms(const std::string& ns, std::int64_t count) {
    json out = member(ns);
    out["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"] =
        list(count, [](std::int64_t i) {
            return json{{"matchExpressions", json::array({{{"key", numbered("label", i)}, {"operator", "Exists"}}})}};
        });
    return {out};
}

json apart(const std::string& key, json selector) {
    return {{"topologyKey", key}, {"labelSelector", std::move(selector)}};
}

json& apart_terms(json& pod) {
    return pod["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
}

Objects topology_keys(const std::string& ns, std::int64_t count) {
    json out = member(ns);
    apart_terms(out) = list(count, [](std::int64_t i) {
        return apart("example.com/" + numbered("level", i), {{"matchLabels", {{"app", "big"}}}});
    });
    return {out};
}

Objects expressions(const std::string& ns, std::int64_t count) {
    json out = member(ns);
    json all =
        list(count, [](std::int64_t i) { return json{{"key", numbered("k", i)}, {"operator", "DoesNotExist"}}; });
    apart_terms(out) = json::array({apart("kubernetes.io/hostname", {{"matchExpressions", std::move(all)}})});
    return {out};
}

// Terms without a selector of labels select every pod of the namespaces that they name.
Objects namespaces(const std::string& ns, std::int64_t count) {
    json out = member(ns);
    json term = apart("kubernetes.io/hostname", json::object());
    term["namespaces"] = list(count, [](std::int64_t i) { return numbered("other", i); });
    apart_terms(out) = json::array({std::move(term)});
    return {out};
}

// Members that must all stay apart from each other, and from whatever else is selected.
Objects apart_pods(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i) {
        json next = member(ns, numbered("big", i));
        next["metadata"]["labels"]["app"] = numbered("app", i);
        apart_terms(next) =
            json::array({apart("kubernetes.io/hostname", {{"matchLabels", {{"app", numbered("app", i)}}}})});
        out.push_back(std::move(next));
    }
    return out;
}

Objects gates(const std::string& ns, std::int64_t count) {
    json out = member(ns);
    out["spec"]["schedulingGates"] = list(count, [](std::int64_t i) { return json{{"name", numbered("gate", i)}}; });
    return {out};
}

Objects labels(const std::string& ns, std::int64_t count) {
    json out = member(ns);
    for (std::int64_t i = 0; i < count; ++i)
        out["metadata"]["labels"]["example.com/" + numbered("label", i)] = numbered("value", i);
    return {out};
}

Objects annotations(const std::string& ns, std::int64_t count) {
    json out = member(ns);
    out["metadata"]["annotations"]["example.com/text"] = std::string(static_cast<std::size_t>(count), '[');
    return {out};
}

Objects owners(const std::string& ns, std::int64_t count) {
    json out = member(ns);
    out["metadata"]["ownerReferences"] = list(count, [](std::int64_t i) {
        return json{{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", numbered("owner", i)}, {"uid", numbered("uid", i)}};
    });
    return {out};
}

Objects long_value(const std::string& ns, std::int64_t count) {
    json out = member(ns);
    out["metadata"]["annotations"]["echelon.sh/gang-required-topology"] =
        std::string(static_cast<std::size_t>(count), 'x');
    return {out};
}

Objects tiny_gangs(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i) {
        json next = member(ns, numbered("big", i));
        next["metadata"]["labels"]["echelon.sh/gang"] = numbered("big", i);
        out.push_back(std::move(next));
    }
    return out;
}

// Each its own priority: the queue is sorted by it.
Objects priorities(const std::string& ns, std::int64_t count) {
    Objects out = tiny_gangs(ns, count);
    for (std::int64_t i = 0; i < count; ++i)
        out[static_cast<std::size_t>(i)]["spec"]["priority"] = 1'000'000 + i;
    return out;
}

}  // namespace

Rows pod_rows() {
    return {
        {"pod/containers", "containers", 15'000, containers},
        {"pod/resources", "resource names", 61, resources},
        {"pod/unlike-resources", "pods with a resource of their own", 5'000, unlike_resources},
        {"pod/unlike-sizes", "members of unlike sizes", 96, unlike_sizes},
        {"pod/tolerations", "tolerations", 15'000, tolerations},
        {"pod/node-selector", "labels of the nodeSelector", 30'000, node_selector},
        {"pod/node-terms", "terms of node affinity", 15'000, node_terms},
        {"pod/topology-keys", "terms of pod anti-affinity", 64, topology_keys},
        {"pod/expressions", "matchExpressions of a term", 30'000, expressions},
        {"pod/namespaces", "namespaces of a term", 80'000, namespaces},
        {"pod/apart", "members with terms of their own", 5'000, apart_pods},
        {"pod/gates", "scheduling gates", 30'000, gates},
        {"pod/labels", "labels", 25'000, labels},
        {"pod/annotations", "bytes of an annotation that nobody reads", 260'000, annotations},
        {"pod/owners", "owner references", 15'000, owners},
        {"pod/long-value", "bytes of an annotation that is read", 260'000, long_value},
        {"pod/tiny-gangs", "gangs of one pod", 20'000, tiny_gangs},
        {"pod/priorities", "gangs of unlike priorities", 20'000, priorities},
    };
}

}  // namespace echelon::big_objects
