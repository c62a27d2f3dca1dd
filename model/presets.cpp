#include "model/presets.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <system_error>

namespace echelon::model {

namespace {

using Keys = std::vector<std::string_view>;  // Widest first.

constexpr std::string_view clique_label = "nvidia.com/gpu.clique";
constexpr std::string_view clique_cluster_level = "nvidia.com/gpu.clique/cluster";
constexpr std::string_view tier_prefix = "fabric.topograph.run/tier-";

const Keys standard = {"topology.kubernetes.io/region", "topology.kubernetes.io/zone"};

// One family is used: the first that a node carries a mark of. Topograph 1.0, whose depth is open, comes before these.
struct Family {
    Keys marks;  // Empty: any of the levels.
    Keys levels;
};
const std::vector<Family> fabrics = {
    {{"network.topology.nvidia.com/core", "network.topology.nvidia.com/leaf"},
     {"network.topology.nvidia.com/core", "network.topology.nvidia.com/spine", "network.topology.nvidia.com/leaf"}},
    {{},
     {"network.topology.nvidia.com/datacenter", "network.topology.nvidia.com/spine",
      "network.topology.nvidia.com/block"}},
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
    const auto digits = label.substr(tier_prefix.size());
    std::uint32_t tier = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), tier);
    if (error != std::errc{} || end != digits.data() + digits.size())
        return std::nullopt;
    return tier;
}

bool is_carried(std::string_view key, std::span<const Node* const> nodes) {
    return std::ranges::any_of(nodes, [key](const Node* node) { return place_at(*node, key).has_value(); });
}

std::vector<std::string> carried(const Keys& keys, std::span<const Node* const> nodes) {
    std::vector<std::string> found;
    for (const auto key : keys) {
        if (is_carried(key, nodes))
            found.emplace_back(key);
    }
    return found;
}

std::vector<std::string> first_family(const std::vector<Family>& families, std::span<const Node* const> nodes) {
    for (const auto& family : families) {
        if (family.marks.empty() || !carried(family.marks, nodes).empty()) {
            if (auto levels = carried(family.levels, nodes); !levels.empty())
                return levels;
        }
    }
    return {};
}

// Tier 0 is the closest: descending numbers are widest first.
std::vector<std::string> topograph_tiers(std::span<const Node* const> nodes) {
    std::map<std::uint32_t, std::string, std::greater<>> tiers;
    for (const auto* node : nodes) {
        for (const auto& [label, value] : node->labels) {
            if (const auto tier = tier_of(label); tier && !value.empty())
                tiers.emplace(*tier, label);
        }
    }
    std::vector<std::string> levels;
    for (auto& [tier, label] : tiers) {
        levels.push_back(std::move(label));
    }
    return levels;
}

// The path of a node down to the last of `keys`; nullopt when a level is missing.
std::optional<std::string> full_path(const Node& node, std::span<const std::string> keys) {
    std::string path;
    for (const auto& key : keys) {
        const auto value = place_at(node, key);
        if (!value)
            return std::nullopt;
        path.append(*value).push_back('/');
    }
    return path;
}

// Every domain of `inner` lies in one domain of `outer`, and every node that is in one is in the other.
bool lies_within(std::span<const std::string> inner, std::span<const std::string> outer,
                 std::span<const Node* const> nodes) {
    std::map<std::string, std::string> outer_of;
    for (const auto* node : nodes) {
        auto inside = full_path(*node, inner);
        auto around = full_path(*node, outer);
        if (inside.has_value() != around.has_value())
            return false;
        if (!inside)
            continue;
        const auto [known, is_new] = outer_of.try_emplace(std::move(*inside), *around);
        if (!is_new && known->second != *around)
            return false;
    }
    return true;
}

// Where the accelerator levels can be inserted as a whole: below `fabric[0..position)`; nullopt: they don't nest.
std::optional<std::size_t> nesting_position(const std::vector<std::string>& fabric,
                                            const std::vector<std::string>& accelerator,
                                            std::span<const Node* const> nodes) {
    for (std::size_t position = fabric.size() + 1; position-- > 0;) {
        const std::span<const std::string> all(fabric);
        const bool fits_below = position == 0 || lies_within({accelerator.data(), 1}, all.first(position), nodes);
        const bool fits_above =
            position == fabric.size() || lies_within(all.first(position + 1), std::span(accelerator), nodes);
        if (fits_below && fits_above)
            return position;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string_view> place_at(const Node& node, std::string_view key) {
    const bool is_cluster = key == clique_cluster_level;
    const auto label = node.labels.find(is_cluster ? clique_label : key);
    if (label == node.labels.end() || label->second.empty())
        return std::nullopt;
    const std::string_view value = label->second;
    if (!is_cluster)
        return value;
    const auto dot = value.rfind('.');
    if (dot == std::string_view::npos || dot == 0)
        return std::nullopt;
    return value.substr(0, dot);
}

bool is_preset_label(std::string_view label) {
    const auto lists = [label](const Family& family) {
        return std::ranges::find(family.levels, label) != family.levels.end();
    };
    return std::ranges::find(standard, label) != standard.end() || std::ranges::any_of(fabrics, lists) ||
           std::ranges::any_of(accelerators, lists) || tier_of(label).has_value();
}

std::vector<Levels> preset_levels(std::span<const Node* const> nodes) {
    auto fabric = topograph_tiers(nodes);
    if (fabric.empty())
        fabric = first_family(fabrics, nodes);
    const auto accelerator = first_family(accelerators, nodes);

    std::vector<Levels> trees(1);
    trees.front() = {"presets", carried(standard, nodes)};
    if (!accelerator.empty()) {
        if (const auto position = nesting_position(fabric, accelerator, nodes)) {
            fabric.insert(fabric.begin() + static_cast<std::ptrdiff_t>(*position), accelerator.begin(),
                          accelerator.end());
        } else {
            trees.push_back({"accelerators", accelerator});
        }
    }
    auto& keys = trees.front().keys;
    keys.insert(keys.end(), fabric.begin(), fabric.end());
    for (auto& tree : trees) {
        tree.keys.emplace_back(host_level);
    }
    return trees;
}

}  // namespace echelon::model
