#include "translate/topology_export.hpp"

#include "kube/json/quoted_text.hpp"
#include "model/topology/united_levels.hpp"
#include "translate/targets.hpp"
#include "translate/written_name.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::translate {

namespace {

using model::nowhere;
using model::Tree;
using nlohmann::json;

constexpr std::string_view host_label = "kubernetes.io/hostname";
constexpr std::size_t most_levels = 16;  // In a Topology, including the host.

constexpr std::array<std::pair<std::string_view, TopologyTarget>, 4> targets = {{
    {"HyperNode", TopologyTarget::hyper_node},
    {"KueueTopology", TopologyTarget::kueue},
    {"KaiTopology", TopologyTarget::kai},
    {"ClusterNetworkTopology", TopologyTarget::koordinator},
}};

std::string tree_name(const Tree& tree, const std::string& name) {
    if (!name.empty())
        return written_name(name);
    return written_name(tree.name.empty() ? "topology" : tree.name);
}

json object_with(std::string_view api_version, std::string_view kind, const std::string& name, json spec) {
    return {{"apiVersion", api_version}, {"kind", kind}, {"metadata", {{"name", name}}}, {"spec", std::move(spec)}};
}

std::string_view last_part(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

// Every tree has the host as its last level, and every node has this label.
class LabelLevels {
public:
    LabelLevels(const Tree& tree, std::span<const model::Node> nodes) : tree_(tree), nodes_(nodes) {}

    // Why the labels alone give other domains than the tree; empty: they give the same.
    [[nodiscard]] std::string difference() const {
        for (std::size_t depth = 0; depth + 1 < tree_.keys.size(); ++depth) {
            for (model::NodeId node = 0; node < nodes_.size(); ++node) {
                if (!nodes_[node].name.empty() && value_of(depth, node) != label_of(depth, node)) {
                    return fmt::format("node {} isn't in its domain of {} by a label of this key",
                                       kube::shown(nodes_[node].name), kube::shown(tree_.keys[depth]));
                }
            }
        }
        return {};
    }

private:
    [[nodiscard]] std::string_view value_of(std::size_t depth, model::NodeId node) const {
        const auto domain = tree_.domain_of[depth][node];
        return domain == nowhere ? std::string_view() : last_part(tree_.path_of(depth, domain));
    }
    [[nodiscard]] std::string_view label_of(std::size_t depth, model::NodeId node) const {
        const auto label = nodes_[node].labels.find(tree_.keys[depth]);
        return label == nodes_[node].labels.end() ? std::string_view() : std::string_view(label->second);
    }

    const Tree& tree_;
    std::span<const model::Node> nodes_;
};

json topology_of_levels(const Tree& tree, std::string_view api_version, const std::string& name) {
    json levels = json::array();
    for (const std::string& key : tree.keys)
        levels.push_back({{"nodeLabel", key}});
    return object_with(api_version, "Topology", name, {{"levels", std::move(levels)}});
}

ExportedTopology layers_of_levels(const Tree& tree, const TranslationOptions& options) {
    ExportedTopology out;
    json layers = json::array();
    std::set<std::string> names;
    std::string above;
    for (const std::string& key : tree.keys) {
        const std::string name = key == host_label ? std::string(model::node_layer) : koordinator_layer(key, options);
        if (name.empty() || !names.insert(name).second) {
            out.refusal = name.empty() ? fmt::format("no layer is configured for {} (translation.topologyKeyMappings)",
                                                     kube::shown(key))
                                       : fmt::format("two levels are called {}", kube::shown(name));
            return out;
        }
        json layer = {{"topologyLayer", name}};
        if (!above.empty())
            layer["parentTopologyLayer"] = above;
        if (key != host_label)
            layer["labelKey"] = {key};
        layers.push_back(std::move(layer));
        above = name;
    }
    out.objects.push_back(object_with("scheduling.koordinator.sh/v1alpha1", "ClusterNetworkTopology", "default",
                                      {{"networkTopologySpec", std::move(layers)}}));
    return out;
}

// One HyperNode per domain; the narrowest level above the host is tier 1.
class HyperNodes {
public:
    HyperNodes(const Tree& tree, std::span<const model::Node> nodes, std::string name)
        : tree_(tree), nodes_(nodes), name_(std::move(name)), host_(tree.host_depth()), members_(host_) {}

    ExportedTopology run() {
        for (std::size_t depth = 0; depth < host_; ++depth)
            members_[depth].resize(tree_.domains[depth].size());
        ExportedTopology out;
        for (const model::NodeId node : tree_.order) {
            if (has_gap(node)) {
                out.refusal = fmt::format("node {} is in domains of some levels only", kube::shown(nodes_[node].name));
                return out;
            }
            add_node(node);
        }
        for (std::size_t depth = 0; depth < host_; ++depth) {
            for (std::uint32_t domain = 0; domain < members_[depth].size(); ++domain) {
                json spec = {{"tier", host_ - depth}, {"tierName", tree_.keys[depth]}, {"members", json::array()}};
                for (const auto& [name, type] : members_[depth][domain])
                    spec["members"].push_back({{"type", type}, {"selector", {{"exactMatch", {{"name", name}}}}}});
                out.objects.push_back(
                    object_with("topology.volcano.sh/v1alpha1", "HyperNode", name_of(depth, domain), std::move(spec)));
            }
        }
        return out;
    }

private:
    using Members = std::map<std::string, std::string_view>;  // Name -> type.

    // In Volcano the tier identifies the level, so a domain can't skip one.
    [[nodiscard]] bool has_gap(model::NodeId node) const {
        std::size_t levels = 0;
        for (std::size_t depth = 0; depth < host_; ++depth)
            levels += tree_.domain_of[depth][node] != nowhere ? 1U : 0U;
        return levels > 0 && levels < host_;
    }

    // Adds the node to its narrowest domain, and each domain to its parent.
    void add_node(model::NodeId node) {
        std::pair<std::string, std::string_view> inner(nodes_[node].name, "Node");
        if (inner.first.empty())
            return;
        for (std::size_t depth = host_; depth-- > 0;) {
            const auto domain = tree_.domain_of[depth][node];
            if (domain == nowhere)
                continue;
            members_[depth][domain].insert(inner);
            inner = {name_of(depth, domain), "HyperNode"};
        }
    }

    // Domains of two levels may have equal paths, so the name contains the level.
    [[nodiscard]] std::string name_of(std::size_t depth, std::uint32_t domain) const {
        std::string path = tree_.path_of(depth, domain);
        if (path.find('.') == std::string::npos)  // Otherwise two paths could give the same name.
            std::ranges::replace(path, '/', '.');
        return written_name(fmt::format("{}.tier-{}.{}", name_, host_ - depth, path));
    }

    const Tree& tree_;
    std::span<const model::Node> nodes_;
    std::string name_;
    std::size_t host_;
    std::vector<std::vector<Members>> members_;  // [depth][domain].
};

}  // namespace

std::vector<std::string> topology_target_names() {
    std::vector<std::string> names;
    names.reserve(targets.size());
    for (const auto& [name, target] : targets)
        names.emplace_back(name);
    return names;
}

std::optional<TopologyTarget> topology_target(std::string_view name) {
    const auto* found = std::ranges::find(targets, name, [](const auto& row) { return row.first; });
    return found == targets.end() ? std::nullopt : std::optional(found->second);
}

base::Result<const Tree*> tree_to_export(const model::Snapshot& snapshot, const std::string& name) {
    std::vector<const Tree*> trees;
    for (const auto& tree : snapshot.trees) {
        if (tree.name != model::united_tree_name && tree.keys.size() > 1)
            trees.push_back(&tree);
    }
    if (name.empty() && trees.size() == 1)
        return trees.front();
    const auto found = std::ranges::find_if(trees, [&](const auto* tree) { return tree->name == name; });
    if (!name.empty() && found != trees.end())
        return *found;
    std::vector<std::string_view> names;
    for (const auto* tree : trees)
        names.push_back(tree->name);
    return base::failure(fmt::format(
        "{}; the trees with levels above the host are: {}",
        name.empty() ? "must say which tree is meant" : fmt::format("names no tree: there is no \"{}\"", name),
        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

ExportedTopology export_topology(const Tree& tree, std::span<const model::Node> nodes, TopologyTarget target,
                                 const TranslationOptions& options, const std::string& name) {
    if (tree.keys.size() < 2)
        return {.objects = {}, .refusal = "it has no level above the host"};
    if (target == TopologyTarget::hyper_node)
        return HyperNodes(tree, nodes, tree_name(tree, name)).run();
    if (std::string difference = LabelLevels(tree, nodes).difference(); !difference.empty())
        return {.objects = {}, .refusal = std::move(difference)};
    if (target == TopologyTarget::koordinator)
        return layers_of_levels(tree, options);
    if (tree.keys.size() > most_levels)
        return {.objects = {}, .refusal = fmt::format("it has more than {} levels", most_levels)};
    const bool is_kueue = target == TopologyTarget::kueue;
    const auto version = is_kueue ? "kueue.x-k8s.io/v1beta1" : "kai.scheduler/v1alpha1";
    return {.objects = {topology_of_levels(tree, version, tree_name(tree, name))}, .refusal = {}};
}

}  // namespace echelon::translate
