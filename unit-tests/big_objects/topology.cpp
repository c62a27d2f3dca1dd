// Nodes, HyperNodes, topology objects of every kind, and documents of Topograph.

#include "unit-tests/big_objects/dialects.hpp"

#include <string>
#include <utility>

namespace echelon::big_objects {
namespace {

json node(const std::string& name) {
    json out = cluster_object("v1", "Node", name);
    out["metadata"]["labels"] = {{"kubernetes.io/hostname", name}};
    out["status"]["allocatable"] = {{"cpu", "1"}, {"pods", "110"}};
    out["spec"]["unschedulable"] = true;  // Gives room to no gang.
    return out;
}

Objects nodes(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(node(numbered(name_in(ns), i)));
    return out;
}

Objects node_labels(const std::string& ns, std::int64_t count) {
    json out = node(name_in(ns));
    for (std::int64_t i = 0; i < count; ++i)
        out["metadata"]["labels"]["example.com/" + numbered("label", i)] = numbered("value", i);
    return {out};
}

Objects node_resources(const std::string& ns, std::int64_t count) {
    json out = node(name_in(ns));
    for (std::int64_t i = 0; i < count; ++i)
        out["status"]["allocatable"]["example.com/" + numbered("device", i)] = "1";
    return {out};
}

Objects node_taints(const std::string& ns, std::int64_t count) {
    json out = node(name_in(ns));
    out["spec"]["taints"] =
        list(count, [](std::int64_t i) { return json{{"key", numbered("taint", i)}, {"effect", "NoSchedule"}}; });
    return {out};
}

json hypernode(const std::string& name, std::int64_t tier, json members) {
    json out = cluster_object("topology.volcano.sh/v1alpha1", "HyperNode", name);
    out["spec"] = {{"tier", tier}, {"members", std::move(members)}};
    return out;
}

json by_pattern(std::string pattern) {
    return {{"type", "Node"}, {"selector", {{"regexMatch", {{"pattern", std::move(pattern)}}}}}};
}

json by_name(const char* type, std::string name) {
    return {{"type", type}, {"selector", {{"exactMatch", {{"name", std::move(name)}}}}}};
}

Objects hypernode_names(const std::string& ns, std::int64_t count) {
    return {hypernode(name_in(ns), 1, list(count, [](std::int64_t i) { return by_name("Node", numbered("n", i)); }))};
}

Objects hypernode_patterns(const std::string& ns, std::int64_t count) {
    return {hypernode(name_in(ns), 1, list(count, [](std::int64_t i) {
                          return by_pattern("^" + numbered("absent", i) + "-[0-9]+$");
                      }))};
}

// A few bytes each that take a program of megabytes.
Objects hypernode_repetitions(const std::string& ns, std::int64_t count) {
    return {hypernode(name_in(ns), 1,
                      list(count, [](std::int64_t i) { return by_pattern("\\pL{200}" + numbered("absent", i)); }))};
}

Objects hypernode_long_pattern(const std::string& ns, std::int64_t count) {
    const auto bytes = static_cast<std::size_t>(count);
    std::string pattern;
    while (pattern.size() < bytes)
        pattern += "absent[0-9]|";
    pattern.resize(bytes);
    for (std::size_t at = pattern.rfind('|') + 1; at < bytes; ++at)
        pattern[at] = 'x';  // The last alternative may be cut anywhere.
    return {hypernode(name_in(ns), 1, json::array({by_pattern(std::move(pattern))}))};
}

Objects hypernode_labels(const std::string& ns, std::int64_t count) {
    json selector = {{"matchExpressions", list(count, [](std::int64_t i) {
                          return json{{"key", numbered("k", i)}, {"operator", "Exists"}};
                      })}};
    return {hypernode(name_in(ns), 1,
                      json::array({{{"type", "Node"}, {"selector", {{"labelMatch", std::move(selector)}}}}}))};
}

Objects hypernode_chain(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i) {
        json members =
            json::array({i == 0 ? by_name("Node", "absent") : by_name("HyperNode", numbered(name_in(ns), i - 1))});
        out.push_back(hypernode(numbered(name_in(ns), i), i + 1, std::move(members)));
    }
    return out;
}

Objects hypernode_cycle(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i) {
        json members = json::array({by_name("HyperNode", numbered(name_in(ns), (i + 1) % count))});
        out.push_back(hypernode(numbered(name_in(ns), i), 1, std::move(members)));
    }
    return out;
}

json levels_of(std::int64_t count, const char* key) {
    return list(count, [key](std::int64_t i) { return json{{key, "big.example.com/" + numbered("level", i)}}; });
}

Objects kueue_levels(const std::string& ns, std::int64_t count) {
    json out = cluster_object("kueue.x-k8s.io/v1beta2", "Topology", name_in(ns));
    out["spec"]["levels"] = levels_of(count, "nodeLabel");
    return {out};
}

Objects kai_levels(const std::string& ns, std::int64_t count) {
    json out = cluster_object("kai.scheduler/v1alpha1", "Topology", name_in(ns));
    out["spec"]["levels"] = levels_of(count, "nodeLabel");
    return {out};
}

Objects grove_levels(const std::string& ns, std::int64_t count) {
    json out = cluster_object("grove.io/v1alpha1", "ClusterTopologyBinding", name_in(ns));
    json levels = levels_of(count, "key");
    for (std::size_t i = 0; i < levels.size(); ++i)
        levels[i]["domain"] = numbered("domain", static_cast<std::int64_t>(i));
    out["spec"]["levels"] = std::move(levels);
    return {out};
}

Objects koordinator_layers(const std::string& ns, std::int64_t count) {
    json out = cluster_object("scheduling.koordinator.sh/v1alpha1", "ClusterNetworkTopology", name_in(ns));
    out["spec"]["networkTopologySpec"] = list(count, [](std::int64_t i) {
        json layer = {{"topologyLayer", numbered("layer", i)},
                      {"labelKey", {"big.example.com/" + numbered("level", i)}}};
        if (i > 0)
            layer["parentTopologyLayer"] = numbered("layer", i - 1);
        return layer;
    });
    return {out};
}

Objects koordinator_labels(const std::string& ns, std::int64_t count) {
    Objects out = koordinator_layers(ns, 1);
    out[0]["spec"]["networkTopologySpec"][0]["labelKey"] =
        list(count, [](std::int64_t i) { return "big.example.com/" + numbered("level", i); });
    return out;
}

Objects many_topologies(const std::string& ns, std::int64_t count) {
    Objects out;
    for (std::int64_t i = 0; i < count; ++i) {
        json next = kueue_levels(ns, 3)[0];
        next["metadata"]["name"] = numbered(name_in(ns), i);
        next["metadata"]["uid"] = numbered("uid-" + name_in(ns), i);
        out.push_back(std::move(next));
    }
    return out;
}

constexpr const char* accelerators = "accelerator.topology.test/domain";

Objects instances(const std::string& ns, std::int64_t count) {
    return {{{"instances", list(count, [&ns](std::int64_t i) {
                  return json{{"id", numbered(name_in(ns), i)},
                              {"network_layers", {numbered("leaf", i / 16), numbered("spine", i / 256), "core"}}};
              })}}};
}

Objects network_layers(const std::string& ns, std::int64_t count) {
    json instance = {{"id", name_in(ns)}};
    instance["network_layers"] = list(count, [](std::int64_t i) { return numbered("switch", i); });
    return {{{"instances", json::array({std::move(instance)})}}};
}

Objects switches(const std::string& ns, std::int64_t count) {
    json chain = json::object();
    for (std::int64_t i = 0; i < count; ++i)
        chain[numbered("switch", i)] = {{"switches", {numbered("switch", i + 1)}}};
    return {{{"switches", std::move(chain)},
             {"blocks", json::array({{{"switch", numbered("switch", count)}, {"nodes", {name_in(ns)}}}})}}};
}

json block_of(std::string nodes) {
    return {{"nodes", {std::move(nodes)}}, {"annotations", {{accelerators, "domain"}}}};
}

// "big[0-99]" is a hundred nodes.
Objects range(const std::string& ns, std::int64_t count) {
    return {{{"blocks", json::array({block_of(name_in(ns) + "[0-" + std::to_string(count - 1) + "]")})}}};
}

Objects blocks(const std::string& ns, std::int64_t count) {
    return {{{"blocks", list(count, [&ns](std::int64_t i) { return block_of(numbered(name_in(ns), i)); })}}};
}

}  // namespace

Rows node_rows() {
    return {
        {"node/nodes", "nodes", 20'000, nodes},
        {"node/labels", "labels", 25'000, node_labels},
        {"node/resources", "resource names", 30'000, node_resources},
        {"node/taints", "taints", 25'000, node_taints},
    };
}

Rows hypernode_rows() {
    return {
        {"hypernode/names", "members by name", 20'000, hypernode_names},
        {"hypernode/patterns", "members by pattern", 10'000, hypernode_patterns},
        {"hypernode/repetitions", "patterns with large programs", 10, hypernode_repetitions},
        {"hypernode/long-pattern", "bytes of one pattern", 100'000, hypernode_long_pattern},
        {"hypernode/labels", "matchExpressions", 25'000, hypernode_labels},
        {"hypernode/chain", "HyperNodes below each other", 64, hypernode_chain},
        {"hypernode/cycle", "HyperNodes in a circle", 4'000, hypernode_cycle},
    };
}

Rows topology_rows() {
    return {
        {"kueue-topology/levels", "levels", 16, kueue_levels},
        {"kueue-topology/many", "Topology objects", 2'000, many_topologies},
        {"kai-topology/levels", "levels", 16, kai_levels},
        {"grove-topology/levels", "levels", 16, grove_levels},
        {"koordinator-topology/layers", "layers", 16, koordinator_layers},
        {"koordinator-topology/labels", "labels of one layer", 20'000, koordinator_labels},
        {"topograph/instances", "instances", 15'000, instances},
        {"topograph/layers", "switches above one instance", 16, network_layers},
        {"topograph/switches", "switches below each other", 16, switches},
        {"topograph/range", "nodes of one range", 200'000, range},
        {"topograph/blocks", "blocks", 20'000, blocks},
    };
}

}  // namespace echelon::big_objects
