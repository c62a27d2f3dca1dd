#include "kube/topology/koordinator_topology.hpp"

#include "kube/json/quoted_text.hpp"
#include "kube/topology/topology_object.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

constexpr std::string_view list_path = "spec.networkTopologySpec";
constexpr std::string_view host_level = "kubernetes.io/hostname";
constexpr std::string_view only_name = "default";

struct Layer {
    std::string name;
    std::string parent;  // Empty: none.
    std::string path;
    bool is_host = false;
    bool is_dropped = false;
    DeclaredLevel level;
};

std::vector<Layer> read_layers(const Field& object) {
    std::vector<Layer> layers;
    for (const Field& entry : object.at("spec").at("networkTopologySpec").items()) {
        Layer& layer = layers.emplace_back();
        layer.name = entry.required_text("topologyLayer");
        layer.parent = entry.text("parentTopologyLayer");
        layer.path = entry.path();
        layer.is_host = layer.name == model::node_layer;
        layer.level.label_path = entry.path() + ".labelKey";
        layer.level.alias_path = entry.path() + ".topologyLayer";
        layer.level.aliases = {layer.name};
        for (const Field& label : entry.at("labelKey").items())
            layer.level.labels.push_back(label.text());
        if (layer.is_host)
            layer.level.labels = {std::string(host_level)};
        if (layer.parent == model::whole_cluster_level)
            layer.parent.clear();
    }
    std::erase_if(layers, [](const Layer& layer) { return layer.name == model::whole_cluster_level; });
    return layers;
}

// Sorts the layers into one chain, widest first. Returns the problem, or "".
std::string put_in_order(std::vector<Layer>& layers) {
    std::map<std::string, const Layer*, std::less<>> by_name;
    std::map<std::string, std::size_t, std::less<>> child_of;  // Parent -> index of the child; "": the widest.
    for (std::size_t index = 0; index < layers.size(); ++index) {
        const Layer& layer = layers[index];
        if (!by_name.emplace(layer.name, &layer).second)
            return fmt::format("{}.topologyLayer {} is listed twice", layer.path, shown(layer.name));
        if (!child_of.emplace(layer.parent, index).second) {
            return layer.parent.empty()
                       ? fmt::format("{}.parentTopologyLayer is missing, and another layer has none either", layer.path)
                       : fmt::format("{}.parentTopologyLayer {} is the parent of two layers", layer.path,
                                     shown(layer.parent));
        }
    }
    for (const Layer& layer : layers) {
        if (!layer.parent.empty() && !by_name.contains(layer.parent))
            return fmt::format("{}.parentTopologyLayer {} isn't a layer", layer.path, shown(layer.parent));
    }
    std::vector<Layer> chain;
    for (auto at = child_of.find(""); at != child_of.end() && chain.size() < layers.size();
         at = child_of.find(chain.back().name))
        chain.push_back(layers[at->second]);
    if (chain.size() < layers.size())
        return fmt::format("{}: the layers form a cycle", list_path);  // Each has at most one child.
    layers = std::move(chain);
    return {};
}

// Removes labels that a wider layer lists, too (Z35), and layers without any label left.
std::vector<model::TopologyFault> drop_repeated_labels(std::vector<Layer>& layers) {
    std::vector<model::TopologyFault> faults;
    std::map<std::string, std::string, std::less<>> layer_of;
    for (Layer& layer : layers) {
        auto& labels = layer.level.labels;
        std::vector<std::string> repeated;
        std::erase_if(labels, [&](const std::string& label) {
            const bool is_repeated = !layer_of.emplace(label, layer.name).second && layer_of[label] != layer.name;
            if (is_repeated)
                repeated.push_back(label);
            return is_repeated;
        });
        for (const std::string& label : repeated) {
            faults.push_back({.sentence = fmt::format("{} {} is that of layer {}, too, which has it",
                                                      layer.level.label_path, shown(label), shown(layer_of[label])),
                              .levels = {},
                              .nodes = {}});
        }
        layer.is_dropped = labels.empty() && !repeated.empty();
    }
    std::erase_if(layers, [](const Layer& layer) { return layer.is_dropped; });
    return faults;
}

}  // namespace

model::Topology read_koordinator_topology(const Field& object, const Metadata& metadata) {
    std::vector<Layer> layers = read_layers(object);
    std::string problem = put_in_order(layers);
    if (const auto node = std::ranges::find(layers, true, &Layer::is_host);
        problem.empty() && node != layers.end() && node + 1 != layers.end()) {
        problem = fmt::format("{}.parentTopologyLayer: no layer is narrower than {}", (node + 1)->path,
                              shown(model::node_layer));
    }
    auto repeated = problem.empty() ? drop_repeated_labels(layers) : std::vector<model::TopologyFault>();
    std::vector<DeclaredLevel> levels;
    for (Layer& layer : layers) {
        if (problem.empty() && layer.level.labels.empty())
            problem = fmt::format("{} is empty, so layer {} has no nodes", layer.level.label_path, shown(layer.name));
        levels.push_back(std::move(layer.level));
    }
    model::Topology topology = topology_of(koordinator_topology, metadata, levels, list_path);
    if (!problem.empty())
        topology.problem = problem;
    topology.flaws = std::move(repeated);
    if (topology.name != only_name) {
        topology = topology_of(koordinator_topology, metadata, {}, list_path);
        topology.problem = fmt::format("only the ClusterNetworkTopology named {} is used", shown(only_name));
    }
    return topology;
}

}  // namespace echelon::kube
