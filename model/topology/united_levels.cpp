#include "model/topology/united_levels.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace echelon::model {

namespace {

bool places(const Tree& tree, std::uint32_t depth, NodeId node) {
    return tree.domain_of[depth][node] != nowhere;
}

std::size_t levels_placed(const Tree& tree, std::uint32_t end, NodeId node) {
    std::size_t count = 0;
    for (std::uint32_t depth = 0; depth < end; ++depth) {
        count += places(tree, depth, node) ? 1U : 0U;
    }
    return count;
}

// The last part of a node's path at a level: "r1" of "b0/-/r1".
std::string_view part_at(const Tree& tree, std::uint32_t depth, NodeId node) {
    std::size_t wider = 0;
    for (std::uint32_t each = 0; each < depth; ++each) {
        const auto domain = tree.domain_of[each][node];
        wider = domain == nowhere ? wider + 2 : tree.path_of(each, domain).size() + 1;
    }
    const std::string_view path = tree.path_of(depth, tree.domain_of[depth][node]);
    return path.substr(std::min(wider, path.size()));
}

// The path of a node from level `first` down to level `last`.
std::string path_between(const Tree& tree, std::uint32_t first, std::uint32_t last, NodeId node) {
    std::string path;
    for (auto depth = first; depth <= last; ++depth) {
        if (depth > first)
            path.push_back('/');
        path.append(places(tree, depth, node) ? part_at(tree, depth, node) : Places::missing);
    }
    return path;
}

// Gives unique names: different domains with equal text get different names.
class Names {
public:
    std::string_view name(const std::string& wider, const std::string& text, const std::string& identity,
                          const Tree& tree) {
        auto chosen = text;
        for (std::size_t attempt = 1;; ++attempt) {
            const auto [known, is_new] = identities_.try_emplace(wider + "/" + chosen, identity);
            if (known->second == identity)
                return *stored_.insert(chosen).first;
            chosen = text + " of " + (tree.name.empty() ? "labels" : tree.name);
            if (attempt > 1)
                chosen += " " + std::to_string(attempt);
        }
    }

private:
    std::map<std::string, std::string> identities_;  // By path.
    std::set<std::string> stored_;
};

}  // namespace

std::vector<std::string> UnitedLevels::identities_in(const Listing& listing) const {
    const auto& tree = trees_[listing.tree];
    std::vector<std::string> identities;
    identities.reserve(tree.domains[listing.depth].size());
    for (std::uint32_t domain = 0; domain < tree.domains[listing.depth].size(); ++domain) {
        const auto node = tree.order[tree.domains[listing.depth][domain].first];
        std::string identity;
        if (!origins_[listing.tree].is_by_labels) {
            identity = std::to_string(listing.tree) + "\n" + tree.path_of(listing.depth, domain);
        } else {
            for (std::uint32_t depth = 0; depth <= listing.depth; ++depth) {
                if (places(tree, depth, node))
                    identity.append(tree.keys[depth]).append("=").append(part_at(tree, depth, node)).append("\n");
            }
        }
        identities.push_back(std::move(identity));
    }
    return identities;
}

// Trees in the order in which `Snapshot::level` looks the level up, then those that only list its key: another name of
// a label key is the same level.
std::vector<UnitedLevels::Listing> UnitedLevels::listings_of(const std::string& level) const {
    std::vector<Listing> listings;
    std::set<std::string_view> keys;  // What the level is another name of.
    const auto add = [&](std::uint32_t tree, std::string_view name) {
        const auto depth = trees_[tree].depth_of(name);
        if (!depth || *depth >= trees_[tree].host_depth())
            return false;
        const std::string_view key = trees_[tree].keys[*depth];
        if (key != level && origins_[tree].is_by_labels)
            keys.insert(key);
        listings.push_back(
            {.tree = tree, .depth = *depth, .is_alias = key != level ? std::uint8_t{1} : std::uint8_t{0}});
        return true;
    };
    std::vector<std::uint32_t> others;
    for (std::uint32_t tree = 0; tree < trees_.size(); ++tree) {
        if (!add(tree, level) && origins_[tree].is_by_labels)
            others.push_back(tree);
    }
    for (const auto tree : others) {
        const auto& list = trees_[tree].keys;
        const auto key = std::ranges::find_if(list, [&](const std::string& each) { return keys.contains(each); });
        if (key != list.end())
            static_cast<void>(add(tree, *key));
    }
    return listings;
}

UnitedLevels::Placement UnitedLevels::place(const std::string& level) const {
    Placement placement;
    placement.listings = listings_of(level);
    placement.listing_of.assign(nodes_.size(), nowhere);
    for (NodeId node = 0; node < nodes_.size(); ++node) {
        // A tree in which the node has most wider levels goes first, then one in which it lacks none.
        std::tuple<std::size_t, bool, std::uint8_t, std::size_t, TopologySource> best;
        for (std::uint32_t index = 0; index < placement.listings.size(); ++index) {
            const auto& listing = placement.listings[index];
            const auto& tree = trees_[listing.tree];
            if (!places(tree, listing.depth, node))
                continue;
            const auto& origin = origins_[listing.tree];
            const auto wider = levels_placed(tree, listing.depth, node);
            const bool is_partial = origin.is_by_labels && wider < listing.depth;
            const auto levels = levels_placed(tree, tree.host_depth(), node);
            const std::tuple here(SIZE_MAX - wider, is_partial, listing.is_alias, SIZE_MAX - levels, origin.source);
            auto& chosen = placement.listing_of[node];
            if (chosen == nowhere || here < best) {
                chosen = index;
                best = here;
            }
        }
    }
    return placement;
}

bool UnitedLevels::is_used(std::uint32_t tree) const {
    if (origins_[tree].source == origins_.front().source)
        return true;
    const auto& keys = trees_[tree].keys;
    return std::any_of(keys.begin(), keys.end() - 1, [&](const std::string& key) {
        auto placement = place(key);
        const bool places_nodes = std::ranges::any_of(placement.listing_of, [&](std::uint32_t listing) {
            return listing != nowhere && placement.listings[listing].tree == tree;
        });
        if (!places_nodes || placement.listings.front().tree == tree)
            return places_nodes;
        for (auto& listing : placement.listings) {
            listing.identities = identities_in(listing);
        }
        return !is_as_in_first(placement);
    });
}

bool UnitedLevels::is_as_in_first(const Placement& placement) const {
    const auto& first = placement.listings.front();
    const auto& domain_of = trees_[first.tree].domain_of[first.depth];
    std::map<std::string_view, std::uint32_t> domain_with;
    std::map<std::uint32_t, std::string_view> identity_of;
    for (NodeId node = 0; node < nodes_.size(); ++node) {
        const auto index = placement.listing_of[node];
        if ((index == nowhere) != (domain_of[node] == nowhere))
            return false;
        if (index == nowhere)
            continue;
        const auto& listing = placement.listings[index];
        const std::string_view identity = listing.identities[trees_[listing.tree].domain_of[listing.depth][node]];
        if (domain_with.try_emplace(identity, domain_of[node]).first->second != domain_of[node] ||
            identity_of.try_emplace(domain_of[node], identity).first->second != identity)
            return false;
    }
    return true;
}

// Wider levels that all trees in use have, in one order.
std::vector<std::string> UnitedLevels::shared_wider_keys(const Placement& placement) const {
    std::set<std::uint32_t> used(placement.listing_of.begin(), placement.listing_of.end());
    used.erase(nowhere);
    const auto& first = placement.listings[*used.begin()];
    std::vector<std::string> shared;
    std::map<std::uint32_t, std::uint32_t> next;  // By listing: where the next shared level may be.
    for (std::uint32_t depth = 0; depth < first.depth; ++depth) {
        const auto& key = trees_[first.tree].keys[depth];
        const auto depth_in = [&](std::uint32_t index) {
            const auto& listing = placement.listings[index];
            const auto at = trees_[listing.tree].depth_of(key);
            const bool is_wider =
                at && *at < listing.depth && *at >= next[index] && origins_[listing.tree].is_by_labels;
            return is_wider && trees_[listing.tree].keys[*at] == key ? at : std::nullopt;
        };
        if (!std::ranges::all_of(used, [&](std::uint32_t index) { return depth_in(index).has_value(); }))
            continue;
        for (const auto index : used) {
            next[index] = *depth_in(index) + 1;
        }
        shared.push_back(key);
    }
    return shared;
}

std::optional<Tree> UnitedLevels::unite(const std::string& level, HostRanks hosts) const {
    auto placement = place(level);
    if (placement.listings.size() < 2)
        return std::nullopt;
    for (auto& listing : placement.listings) {
        listing.identities = identities_in(listing);
    }
    if (is_as_in_first(placement))
        return std::nullopt;
    Levels levels{.name = std::string(united_tree_name), .keys = shared_wider_keys(placement)};
    const auto wider = levels.keys;
    const auto& first = placement.listings.front();
    levels.keys.push_back(trees_[first.tree].keys[first.depth]);
    levels.keys.emplace_back(host_level);
    levels.aliases.emplace(level, levels.keys[wider.size()]);

    Places united{.depth = levels.keys.size(), .parts = {}};
    Names names;
    for (NodeId node = 0; node < nodes_.size(); ++node) {
        std::uint32_t from = 0;
        std::string around;
        const auto index = placement.listing_of[node];
        for (const auto& key : wider) {
            auto part = Places::missing;
            if (index != nowhere) {
                const auto& tree = trees_[placement.listings[index].tree];
                const auto depth = *tree.depth_of(key);
                from = depth + 1;
                if (places(tree, depth, node))
                    part = part_at(tree, depth, node);
            }
            united.parts.push_back(part);
            around.append(part).push_back('/');
        }
        auto part = Places::missing;
        if (index != nowhere) {
            const auto& listing = placement.listings[index];
            const auto& tree = trees_[listing.tree];
            const auto domain = tree.domain_of[listing.depth][node];
            const auto text = origins_[listing.tree].is_by_labels ? path_between(tree, from, listing.depth, node)
                                                                  : tree.path_of(listing.depth, domain);
            part = names.name(around, text, listing.identities[domain], tree);
        }
        united.parts.push_back(part);
        united.parts.push_back(nodes_[node].name());
    }
    return build_tree(levels, united, hosts);
}

}  // namespace echelon::model
