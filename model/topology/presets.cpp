#include "model/topology/presets.hpp"

#include "base/whole_number.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>

namespace echelon::model {

namespace {

using Keys = std::vector<std::string_view>;  // Widest first.

constexpr std::string_view clique_label = "nvidia.com/gpu.clique";
constexpr std::string_view tier_prefix = "fabric.topograph.run/tier-";

const Keys standard = {"topology.kubernetes.io/region", "topology.kubernetes.io/zone"};

// Each family with a mark on some node is a tree, unless earlier families list all its labels. Topograph 1.0, which has
// any number of tiers, comes first.
struct Family {
    Keys marks;  // Labels that show that the family is used; empty: any level key.
    Keys levels;
};
const std::vector<Family> fabrics = {
    {{"network.topology.nvidia.com/core", "network.topology.nvidia.com/leaf"},
     {"network.topology.nvidia.com/core", "network.topology.nvidia.com/spine", "network.topology.nvidia.com/leaf"}},
    {{"network.topology.nvidia.com/datacenter", "network.topology.nvidia.com/block"},
     {"network.topology.nvidia.com/datacenter", "network.topology.nvidia.com/spine",
      "network.topology.nvidia.com/block"}},
    {{}, {"network.topology.nvidia.com/spine"}},
    {{},
     {"topology.k8s.aws/network-node-layer-1", "topology.k8s.aws/network-node-layer-2",
      "topology.k8s.aws/network-node-layer-3"}},
    {{},
     {"cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock",
      "cloud.google.com/gce-topology-host"}},
    {{}, {"oci.oraclecloud.com/host.network_block_id", "oci.oraclecloud.com/host.rack_id"}},
    {{}, {"topology.kubernetes.io/block", "topology.kubernetes.io/rack"}},
    {{}, {"cloud.provider.com/topology-block", "cloud.provider.com/topology-rack"}},
};
const std::vector<Family> accelerators = {
    {{}, {"accelerator.topograph.run/domain", "accelerator.topograph.run/sub-domain"}},
    {{}, {"network.topology.nvidia.com/accelerator"}},
    {{}, {clique_cluster_level, clique_label}},
    {{}, {"topology.k8s.aws/capacity-block-id", "topology.k8s.aws/ultraserver-id"}},
};

// N of ".../tier-N".
std::optional<std::uint32_t> tier_of(std::string_view label) {
    if (!label.starts_with(tier_prefix))
        return std::nullopt;
    return base::whole_number<std::uint32_t>(label.substr(tier_prefix.size()));
}

// The keys that nodes have. Reads the nodes only where a level is a part of a label's value.
class Carried {
public:
    Carried(const LabelCounts& labels, std::span<const NodeView> nodes) : labels_(labels), nodes_(nodes) {}

    [[nodiscard]] std::vector<std::string> among(const Keys& keys) const {
        std::vector<std::string> found;
        for (const auto key : keys) {
            if (is_carried(key, labels_, nodes_))
                found.emplace_back(key);
        }
        return found;
    }

    // The levels of each family that is used.
    [[nodiscard]] std::vector<std::vector<std::string>> all_of(const std::vector<Family>& families) const {
        std::vector<std::vector<std::string>> found;
        std::set<std::string> listed;
        for (const auto& family : families) {
            if (!family.marks.empty() && among(family.marks).empty())
                continue;
            auto levels = among(family.levels);
            const bool is_new = std::ranges::any_of(levels, [&](const auto& key) { return !listed.contains(key); });
            listed.insert(levels.begin(), levels.end());
            if (is_new)
                found.push_back(std::move(levels));
        }
        return found;
    }

    // Tier 0 is the narrowest, so descending numbers are widest first.
    [[nodiscard]] std::vector<std::string> topograph_tiers() const {
        std::map<std::uint32_t, std::string, std::greater<>> tiers;
        for (auto label = labels_.lower_bound(tier_prefix);
             label != labels_.end() && label->first.starts_with(tier_prefix); ++label) {
            if (const auto tier = tier_of(label->first))
                tiers.emplace(*tier, label->first);
        }
        std::vector<std::string> levels;
        levels.reserve(tiers.size());
        for (const auto& [tier, label] : tiers) {
            levels.push_back(label);
        }
        return levels;
    }

private:
    const LabelCounts& labels_;
    std::span<const NodeView> nodes_;
};

// The path of a node down to the last of `keys`; nullopt when a level is missing.
std::optional<std::string> full_path(const NodeView& node, std::span<const std::string> keys) {
    std::string path;
    for (const auto& key : keys) {
        const auto value = place_at(node, key);
        if (!value)
            return std::nullopt;
        path.append(*value).push_back('/');
    }
    return path;
}

// Does an accelerator family fit between the levels of a fabric, without changing the domains of either?
class Nesting {
public:
    Nesting(std::span<const std::string> fabric, std::span<const std::string> accelerator,
            std::span<const NodeView> nodes)
        : fabric_(fabric), accelerator_(accelerator), nodes_(nodes) {}

    // The accelerator levels fit below `fabric[0..position)`; nullopt: they don't nest.
    [[nodiscard]] std::optional<std::size_t> position() const {
        for (auto position = fabric_.size() + 1; position-- > 0;) {
            const bool fits_below = position == 0 || lies_within(accelerator_.first(1), fabric_.first(position));
            const bool fits_above =
                position == fabric_.size() || lies_within(fabric_.first(position + 1), accelerator_);
            if (fits_below && fits_above)
                return position;
        }
        return std::nullopt;
    }

private:
    // True if every domain of `inner` lies in one domain of `outer`, and both have the same nodes.
    [[nodiscard]] bool lies_within(std::span<const std::string> inner, std::span<const std::string> outer) const {
        std::map<std::string, std::string> outer_of;
        for (const auto& node : nodes_) {
            auto inside = full_path(node, inner);
            auto around = full_path(node, outer);
            if (!inside && !around && !has_accelerator(node))
                continue;
            if (!inside || !around)
                return false;
            const auto [known, is_new] = outer_of.try_emplace(std::move(*inside), *around);
            if (!is_new && known->second != *around)
                return false;
        }
        return true;
    }

    [[nodiscard]] bool has_accelerator(const NodeView& node) const {
        return std::ranges::any_of(accelerator_, [&](const auto& key) { return place_at(node, key).has_value(); });
    }

    std::span<const std::string> fabric_;
    std::span<const std::string> accelerator_;
    std::span<const NodeView> nodes_;
};

// Inserts the levels in the first fabric in which they nest.
bool nests(std::vector<std::vector<std::string>>& fabrics_here, const std::vector<std::string>& accelerator,
           std::span<const NodeView> nodes) {
    for (auto& fabric : fabrics_here) {
        const auto position = Nesting(fabric, accelerator, nodes).position();
        if (!position)
            continue;
        fabric.insert(fabric.begin() + static_cast<std::ptrdiff_t>(*position), accelerator.begin(), accelerator.end());
        return true;
    }
    return false;
}

}  // namespace

std::optional<std::string_view> place_at(const NodeView& node, std::string_view key) {
    const bool is_cluster = key == clique_cluster_level;
    const auto value = node.labels.value_of(is_cluster ? clique_label : key);
    if (!value || value->empty())
        return std::nullopt;
    if (!is_cluster)
        return value;
    const auto dot = value->rfind('.');
    if (dot == std::string_view::npos || dot == 0)
        return std::nullopt;
    return value->substr(0, dot);
}

std::optional<std::string_view> place_at(const NodeView& node, const Levels& levels, std::size_t depth) {
    const auto& key = levels.keys[depth];
    const auto labels = levels.labels.find(key);
    if (labels == levels.labels.end())
        return place_at(node, key);
    for (const auto& label : labels->second) {
        if (const auto place = place_at(node, label))
            return place;
    }
    return std::nullopt;
}

bool Levels::lists(std::string_view level) const {
    return std::ranges::find(keys, level) != keys.end() || aliases.contains(level);
}

bool Levels::reads(std::string_view label) const {
    const auto is_read = [&](std::string_view key) {
        return key == label || (key == clique_cluster_level && label == clique_label);
    };
    return std::ranges::any_of(keys, is_read) ||
           std::ranges::any_of(labels, [&](const auto& level) { return std::ranges::any_of(level.second, is_read); });
}

bool is_preset_label(std::string_view label) {
    const auto lists = [label](const Family& family) {
        return std::ranges::find(family.levels, label) != family.levels.end();
    };
    return std::ranges::find(standard, label) != standard.end() || std::ranges::any_of(fabrics, lists) ||
           std::ranges::any_of(accelerators, lists) || tier_of(label).has_value();
}

// Whether an accelerator family nests in a fabric depends on each node, and so does a part of a label's value.
bool nodes_decide_levels(const LabelCounts& labels) {
    return std::ranges::any_of(accelerators, [&labels](const Family& family) {
        return std::ranges::any_of(family.levels, [&labels](std::string_view level) { return labels.contains(level); });
    });
}

bool nodes_decide(std::string_view key, const LabelCounts& labels) {
    return key == clique_cluster_level && labels.contains(clique_label);
}

bool is_carried(std::string_view key, const LabelCounts& labels, std::span<const NodeView> nodes) {
    if (key != clique_cluster_level)
        return labels.contains(key);
    return nodes_decide(key, labels) &&
           std::ranges::any_of(nodes, [key](const NodeView& node) { return place_at(node, key).has_value(); });
}

std::vector<Levels> preset_levels(const LabelCounts& labels, std::span<const NodeView> nodes) {
    const Carried carried(labels, nodes);
    std::vector<std::vector<std::string>> fabric;
    if (auto tiers = carried.topograph_tiers(); !tiers.empty())
        fabric.push_back(std::move(tiers));
    std::ranges::move(carried.all_of(fabrics), std::back_inserter(fabric));
    if (fabric.empty())
        fabric.emplace_back();
    std::vector<std::vector<std::string>> apart;
    for (auto& accelerator : carried.all_of(accelerators)) {
        if (!nests(fabric, accelerator, nodes))
            apart.push_back(std::move(accelerator));
    }

    std::vector<Levels> trees;
    const auto append = [&](const std::string& name, const std::vector<std::string>& keys) {
        auto& tree =
            trees.emplace_back(Levels{.name = name, .keys = carried.among(standard), .source = TopologySource::preset});
        tree.keys.insert(tree.keys.end(), keys.begin(), keys.end());
        tree.keys.emplace_back(host_level);
    };
    for (const auto& keys : fabric)
        append(std::string(presets_tree_name), keys);
    for (const auto& keys : apart)
        append("accelerators", keys);
    return trees;
}

}  // namespace echelon::model
