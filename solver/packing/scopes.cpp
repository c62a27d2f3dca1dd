#include "solver/packing/scopes.hpp"

#include <algorithm>
#include <set>

namespace echelon::solver {
namespace {

using model::LevelRef;
using model::NodeId;

}  // namespace

std::string path_of(const model::Snapshot& snapshot, const Place& place) {
    const auto& [level, domain] = place;
    const auto& tree = snapshot.trees[level.tree];
    return snapshot.path(level.tree, level.depth, tree.order[tree.domains[level.depth][domain].first]);
}

Scopes::Scopes(const model::Snapshot& snapshot, const model::Gang& gang, const Demand& demand)
    : snapshot_(snapshot), gang_(gang), demand_(demand), added_levels_(gang.groups.size()) {
    std::set<LevelRef> used;
    for (const model::GangGroup& group : gang.groups) {
        used.insert(group.required.begin(), group.required.end());
        for (const auto& [level, multiple] : group.multiples) {
            used.insert(level);
        }
        for (const LevelRef level : group.preferred) {  // A preferred level is tried at every wider level, too.
            for (std::uint32_t depth = 0; depth <= level.depth; ++depth) {
                used.insert({level.tree, depth});
            }
        }
    }
    for (const model::DomainLimit& limit : gang.domain_limits) {
        used.insert(limit.level);
    }
    for (const model::Pairing& pairing : gang.pairings) {
        used.insert(pairing.level);
    }
    used_levels_.assign(used.begin(), used.end());
    is_nested_ = used_levels_.empty() || used_levels_.front().tree == used_levels_.back().tree;
    intern({});
}

bool Scopes::is_used(LevelRef level) const {
    return std::ranges::binary_search(used_levels_, level);
}

void Scopes::require_also(std::uint32_t group, std::optional<LevelRef> level) {
    added_levels_[group].clear();
    if (level) {
        added_levels_[group].push_back(*level);
    }
}

std::vector<LevelRef> Scopes::levels_of(std::uint32_t group) const {
    std::vector<LevelRef> levels = gang_.groups[group].required;
    levels.insert(levels.end(), added_levels_[group].begin(), added_levels_[group].end());
    std::ranges::sort(levels);
    levels.erase(std::ranges::unique(levels).begin(), levels.end());
    return levels;
}

const std::vector<ScopeId>& Scopes::candidates(std::uint32_t group, ScopeId outer) {
    std::vector<LevelRef> levels = levels_of(group);
    const auto next = static_cast<std::uint32_t>(level_set_numbers_.size());
    const std::uint64_t number = level_set_numbers_.emplace(std::move(levels), next).first->second;
    // Groups without bound members that ask for the same levels have the same candidates.
    const std::uint64_t owner = demand_.groups[group].bound_nodes.empty() ? 0 : std::uint64_t{group} + 1;
    const auto key = std::make_pair(owner << 32U | number, outer);
    if (const auto known = candidates_.find(key); known != candidates_.end()) {
        return known->second;
    }
    return candidates_.emplace(key, enumerate(group, outer)).first->second;
}

std::vector<ScopeId> Scopes::enumerate(std::uint32_t group, ScopeId outer) {
    const std::vector<LevelRef> levels = levels_of(group);
    std::vector<ScopeId> found;
    if (levels.empty()) {
        found = {outer};
    } else if (std::ranges::all_of(levels, [&](LevelRef level) { return level.tree == levels.front().tree; })) {
        found = enumerate_nested(levels.back(), levels, outer);
    } else {
        found = enumerate_crossed(levels, outer);
    }
    const std::vector<NodeId>& bound = demand_.groups[group].bound_nodes;
    std::erase_if(found, [&](ScopeId scope) {
        return std::ranges::any_of(bound, [&](NodeId node) { return !holds(scope, node); });
    });
    return found;
}

std::vector<ScopeId> Scopes::inside(LevelRef level, ScopeId outer) {
    const std::vector<LevelRef> levels{level};
    return enumerate_nested(level, levels, outer);
}

bool Scopes::obeys(std::span<const LevelRef> levels, NodeId node) const {
    return std::ranges::all_of(levels, [&](LevelRef level) {
        return snapshot_.trees[level.tree].domain_of[level.depth][node] != model::nowhere;
    });
}

// For levels of one tree, which is also the outer scope's: the domains of the narrowest level inside the outer range.
std::vector<ScopeId> Scopes::enumerate_nested(LevelRef narrowest, std::span<const LevelRef> levels, ScopeId outer) {
    const std::vector<Place>& places = scopes_[outer].places;
    if (places.size() > 1 || (!places.empty() && places.front().level.tree != narrowest.tree)) {
        return enumerate_crossed(levels, outer);
    }
    const model::Tree& tree = snapshot_.trees[narrowest.tree];
    if (!places.empty() && places.front().level.depth >= narrowest.depth) {  // D3: a wider level is implied.
        const model::Domain& domain = tree.domains[places.front().level.depth][places.front().domain];
        return obeys(levels, tree.order[domain.first]) ? std::vector{outer} : std::vector<ScopeId>{};
    }
    const auto [first, last] =
        places.empty() ? std::pair{0U, static_cast<std::uint32_t>(tree.order.size())} : range_of(outer);
    std::vector<ScopeId> found;
    for (const std::uint32_t domain : domains_in(narrowest, first, last)) {
        if (levels.size() == 1 || obeys(levels, tree.order[tree.domains[narrowest.depth][domain].first])) {
            found.push_back(intern({Place{narrowest, domain}}));
        }
    }
    return found;
}

// Levels of several trees: every combination of domains that some node of the outer scope is in.
std::vector<ScopeId> Scopes::enumerate_crossed(std::span<const LevelRef> levels, ScopeId outer) {
    std::map<std::uint32_t, LevelRef> narrowest;  // By tree.
    for (const Place& place : scopes_[outer].places) {
        narrowest[place.level.tree] = place.level;
    }
    for (const LevelRef level : levels) {
        const auto [entry, is_new] = narrowest.emplace(level.tree, level);
        if (!is_new && entry->second.depth < level.depth) {
            entry->second = level;
        }
    }
    std::set<std::vector<Place>> seen;
    std::vector<ScopeId> found;
    const std::vector<NodeId> nodes = nodes_of(outer);
    for (const NodeId node : nodes) {
        if (!obeys(levels, node)) {
            continue;
        }
        std::vector<Place> places;
        for (const auto& [tree, level] : narrowest) {
            places.push_back({level, snapshot_.trees[tree].domain_of[level.depth][node]});
        }
        if (seen.insert(places).second) {
            found.push_back(intern(std::move(places)));
        }
    }
    return found;
}

std::vector<std::uint32_t> Scopes::domains_in(LevelRef level, std::uint32_t first, std::uint32_t last) const {
    const model::Tree& tree = snapshot_.trees[level.tree];
    const std::vector<model::Domain>& domains = tree.domains[level.depth];
    std::vector<std::uint32_t> found;
    for (std::uint32_t d = 0; d < domains.size(); ++d) {
        if (domains[d].first >= first && domains[d].last <= last) {
            found.push_back(d);
        }
    }
    const auto start = [&](std::uint32_t d) { return domains[d].first; };
    if (!std::ranges::is_sorted(found, {}, start)) {
        std::ranges::sort(found, {}, start);
    }
    return found;
}

ScopeId Scopes::intern(std::vector<Place> places) {
    const auto next = static_cast<ScopeId>(scopes_.size());
    if (places.size() == 1) {  // The common case: one table for each level.
        const Place& place = places.front();
        std::vector<ScopeId>& table = tables_[place.level];
        if (table.empty()) {
            table.assign(snapshot_.trees[place.level.tree].domains[place.level.depth].size(), everywhere);
        }
        if (table[place.domain] != everywhere) {
            return table[place.domain];
        }
        table[place.domain] = next;
    } else if (const auto [entry, is_new] = numbers_.emplace(places, next); !is_new) {
        return entry->second;
    }
    Scope scope{.places = std::move(places), .within = {}};
    for (const Place& place : scope.places) {
        const model::Tree& tree = snapshot_.trees[place.level.tree];
        const NodeId node = tree.order[tree.domains[place.level.depth][place.domain].first];
        for (const LevelRef level : used_levels_) {
            if (level.tree == place.level.tree && level.depth <= place.level.depth) {
                if (const std::uint32_t domain = tree.domain_of[level.depth][node]; domain != model::nowhere) {
                    scope.within.push_back({level, domain});
                }
            }
        }
    }
    scopes_.push_back(std::move(scope));
    return next;
}

std::uint32_t Scopes::tree_of(ScopeId scope) const {
    return scopes_[scope].places.empty() ? 0 : scopes_[scope].places.front().level.tree;
}

std::pair<std::uint32_t, std::uint32_t> Scopes::range_of(ScopeId scope) const {
    if (scopes_[scope].places.empty()) {
        return {0, static_cast<std::uint32_t>(snapshot_.node_count())};
    }
    const Place& place = scopes_[scope].places.front();
    const model::Domain& domain = snapshot_.trees[place.level.tree].domains[place.level.depth][place.domain];
    return {domain.first, domain.last};
}

bool Scopes::holds(ScopeId scope, NodeId node) const {
    return std::ranges::all_of(scopes_[scope].places, [&](const Place& place) {
        return snapshot_.trees[place.level.tree].domain_of[place.level.depth][node] == place.domain;
    });
}

bool Scopes::may_overlap(ScopeId one, ScopeId other) const {
    if (tree_of(one) != tree_of(other) || one == everywhere || other == everywhere) {
        return true;
    }
    const auto [first, last] = range_of(one);
    const auto [other_first, other_last] = range_of(other);
    return first < other_last && other_first < last;
}

std::vector<NodeId> Scopes::nodes_of(ScopeId scope) const {
    const std::vector<NodeId>& order = snapshot_.trees[tree_of(scope)].order;
    const auto [first, last] = range_of(scope);
    std::vector<NodeId> nodes(order.begin() + first, order.begin() + last);
    if (scopes_[scope].places.size() > 1) {
        std::erase_if(nodes, [&](NodeId node) { return !holds(scope, node); });
    }
    return nodes;
}

}  // namespace echelon::solver
