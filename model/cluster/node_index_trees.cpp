// Builds the trees of the nodes: those of objects, of the configuration and of labels, and those that unite several
// trees for one level.

#include "model/cluster/node_index.hpp"
#include "model/topology/reported_placements.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

namespace echelon::model {

namespace {

// Erases trees that place no node beyond what trees of a better source place. Requires: sorted by source.
void drop_unused(std::vector<Tree>& trees, std::vector<TreeOrigin>& origins, const std::vector<NodeView>& nodes) {
    if (origins.front().source == origins.back().source)
        return;
    const UnitedLevels united(trees, origins, nodes);
    std::vector<std::uint8_t> used;
    used.reserve(trees.size());
    for (std::uint32_t tree = 0; tree < trees.size(); ++tree) {
        used.push_back(united.is_used(tree) ? 1 : 0);
    }
    std::size_t index = 0;
    std::erase_if(origins, [&](const auto&) { return used[index++] == 0; });
    index = 0;
    std::erase_if(trees, [&](const auto&) { return used[index++] == 0; });
}

}  // namespace

// Topologies that list the places of nodes, by name and kind; in all others, labels decide.
std::map<std::pair<std::string_view, std::string_view>, const Topology*> NodeIndex::topologies_with_places() const {
    std::map<std::pair<std::string_view, std::string_view>, const Topology*> with_places;
    for (const auto& [key, topology] : topologies_) {
        if (topology.problem.empty() && !topology.places.empty())
            with_places.try_emplace({topology.name, topology.api_kind}, &topology);
    }
    return with_places;
}

// Builds the trees. Returns the new numbers of the nodes, in order of names.
std::vector<NodeId> NodeIndex::build_trees() {
    const auto nodes = known_nodes();
    const auto hosts = host_ranks();
    flat_.trees.clear();
    flat_.left_out.clear();
    if (std::exchange(are_label_trees_stale_, false))
        label_trees_.clear();
    for (auto& known : label_trees_) {
        known.is_used = false;
    }
    auto origins = build_declared_trees(nodes, hosts);
    drop_unused(flat_.trees, origins, nodes);
    of_several_ = requested_of_several_trees();
    build_united_trees(std::move(origins), nodes, hosts);
    single_label_levels_ = single_label_levels(declared_, asked_, label_counts_, nodes);
    for (const auto& levels : single_label_levels_) {
        flat_.trees.push_back(label_tree(levels, nodes, hosts));
    }
    std::erase_if(label_trees_, [](const auto& known) { return !known.is_used; });
    const auto order = flat_.trees.front().order;
    for (auto& tree : flat_.trees) {
        echelon::model::renumber(tree, order);
    }
    std::vector<NodeId> numbers(order.size());
    for (NodeId id = 0; id < order.size(); ++id) {
        numbers[order[id]] = id;
    }
    std::ranges::stable_sort(flat_.left_out, {}, &UnusablePart::sentence);
    for (auto& part : flat_.left_out) {
        for (auto& node : part.nodes) {
            node = numbers[node];
        }
        std::ranges::sort(part.nodes);
    }
    return numbers;
}

// Builds the tree, unless it is known. A copy takes a tenth of the time.
Tree NodeIndex::label_tree(const Levels& levels, const std::vector<NodeView>& nodes,
                           const std::vector<std::uint32_t>& hosts) {
    const auto known = std::ranges::find(label_trees_, levels, &LabelTree::levels);
    const bool do_objects_place_nodes = !forest_.empty() || !topologies_with_places().empty();
    if (known != label_trees_.end()) {
        known->is_used = do_objects_place_nodes;
        return known->tree;
    }
    auto tree = build_tree(levels, nodes, hosts);
    if (do_objects_place_nodes)
        label_trees_.push_back({levels, tree, true});
    return tree;
}

// The levels of all declared trees, by precedence.
void NodeIndex::choose_declared_levels(const DeclaredTrees& declared, const std::vector<NodeView>& nodes) {
    std::vector<const Topology*> topologies;
    topologies.reserve(topologies_.size());
    for (const auto& [key, topology] : topologies_) {
        topologies.push_back(&topology);
    }
    if (!declared.topology.levels.empty())
        topologies.push_back(&declared.topology);
    declared_ = choose_levels(topologies, label_counts_, nodes);

    // Adds a tree of one level for each requested tier name that isn't simply one tier.
    split_names_.clear();
    for (const auto& named : declared.named) {
        split_names_.insert(named.name);
    }
    named_ = requested_level_names();
    const auto ends_objects = [](const Levels& levels) { return levels.source != TopologySource::object; };
    auto end = std::ranges::find_if(declared_, ends_objects) - declared_.begin();
    for (const auto& named : declared.named) {
        if (named_.contains(named.name)) {
            declared_.insert(declared_.begin() + end++, {.name = declared.topology.name,
                                                         .keys = {named.name, std::string(host_level)},
                                                         .api_kind = declared.topology.api_kind});
        }
    }
}

// Builds all declared trees, by precedence, and records their unusable parts.
std::vector<TreeOrigin> NodeIndex::build_declared_trees(const std::vector<NodeView>& nodes,
                                                        const std::vector<std::uint32_t>& hosts) {
    auto declared = forest_.empty() ? DeclaredTrees{} : forest_.resolve(nodes);
    choose_declared_levels(declared, nodes);
    std::vector<TreeOrigin> origins;
    flat_.left_out = std::move(declared.left_out);
    const auto with_places = topologies_with_places();
    for (const auto& levels : declared_) {
        const auto found = with_places.find({levels.name, levels.api_kind});
        origins.push_back({.source = levels.source, .is_by_labels = false});
        if (found != with_places.end() && found->second != nullptr) {
            const auto& topology = *found->second;
            flat_.trees.push_back(build_tree(levels, reported_placements(topology, levels, nodes), hosts));
            std::ranges::move(unusable_parts_of(topology, nodes), std::back_inserter(flat_.left_out));
        } else if (levels.api_kind == declared.topology.api_kind && !levels.api_kind.empty()) {
            const auto named = std::ranges::find(declared.named, levels.keys.front(), &DeclaredTrees::Named::name);
            const bool is_of_tiers = levels.keys.size() == declared.tiers.size() + 1 && tier_in(levels.keys.front());
            flat_.trees.push_back(build_tree(levels, is_of_tiers ? declared.places : named->places, hosts));
            if (is_of_tiers)
                flat_.trees.back().tiers = declared.tiers;
        } else {
            origins.back().is_by_labels = true;
            flat_.trees.push_back(label_tree(levels, nodes, hosts));
        }
    }
    note_flaws_beside_labels();
    return origins;
}

// If labels place the nodes, faults of the object remove nothing.
void NodeIndex::note_flaws_beside_labels() {
    for (const auto& [key, topology] : topologies_) {
        if (!topology.problem.empty() || !topology.places.empty())
            continue;
        for (const auto& flaw : topology.flaws) {
            flat_.left_out.push_back(
                {.sentence = title_of(topology) + ": " + flaw.sentence, .tiers = {}, .names = {}, .nodes = {}});
        }
    }
}

std::vector<const Topology*> NodeIndex::topologies() const {
    std::vector<const Topology*> all;
    all.reserve(topologies_.size());
    for (const auto& [key, topology] : topologies_)
        all.push_back(&topology);
    return all;
}

// Adds trees for requested levels that several trees list with different domains.
void NodeIndex::build_united_trees(std::vector<TreeOrigin> origins, const std::vector<NodeView>& nodes,
                                   const std::vector<std::uint32_t>& hosts) {
    std::vector<Tree> united;
    for (const auto& level : of_several_) {
        if (auto tree = UnitedLevels(flat_.trees, origins, nodes).unite(level, hosts))
            united.push_back(std::move(*tree));
    }
    std::ranges::move(united, std::back_inserter(flat_.trees));
}

std::set<std::string> NodeIndex::requested_level_names() const {
    std::set<std::string> names;
    std::ranges::set_intersection(asked_, split_names_, std::inserter(names, names.end()));
    return names;
}

// With another name of a level, trees that list its key count, too.
std::set<std::string> NodeIndex::requested_of_several_trees() const {
    const auto key_in = [](const Tree& tree, std::string_view level) -> const std::string* {
        const auto depth = tree.name == united_tree_name ? std::nullopt : tree.depth_of(level);
        return depth && *depth + 1 < tree.keys.size() ? &tree.keys[*depth] : nullptr;
    };
    std::set<std::string> levels;
    for (const auto& level : asked_) {
        std::set<std::string> names = {level};
        for (const auto& tree : flat_.trees) {
            if (const auto* key = key_in(tree, level))
                names.insert(*key);
        }
        const auto lists = [&](const Tree& tree) {
            return std::ranges::any_of(names, [&](const std::string& name) { return key_in(tree, name) != nullptr; });
        };
        if (!tier_in(level) && std::ranges::count_if(flat_.trees, lists) > 1)
            levels.insert(level);
    }
    return levels;
}

}  // namespace echelon::model
