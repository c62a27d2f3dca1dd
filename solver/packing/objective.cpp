#include "solver/packing/objective.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <utility>

namespace echelon::solver {

using model::LevelRef;
using model::NodeId;

Objective::Objective(const model::Snapshot& snapshot, const Room& room, const model::Gang& gang, const Demand& demand)
    : snapshot_(snapshot), gang_(gang), demand_(demand) {
    std::vector<std::int64_t> members(demand.classes.size(), 0);
    for (const GroupDemand& group : demand.groups) {
        for (std::size_t s = 0; s < group.waiting_of.size(); ++s) {
            members[s] += group.waiting_of[s];
        }
    }
    scarce_ = scarcest(snapshot, room, demand.classes, members);
    const std::vector<std::int64_t> nothing(room.empty() ? snapshot.node_count() : 0);  // No resource is known.
    sums_ = running_room(snapshot, room.empty() ? nothing : room[scarce_]);
    find_preferences();
    find_roles();
}

// The narrowest preferred level of each tree counts, unless it has no effect (D10).
void Objective::find_preferences() {
    for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
        const model::GangGroup& group = gang_.groups[g];
        std::vector<LevelRef> narrowest;
        for (const LevelRef level : group.preferred) {
            const auto same_tree = std::ranges::find(narrowest, level.tree, &LevelRef::tree);
            if (same_tree == narrowest.end()) {
                narrowest.push_back(level);
            } else {
                same_tree->depth = std::max(same_tree->depth, level.depth);
            }
        }
        for (const LevelRef level : narrowest) {
            if (!model::is_implied_by_required(group, level)) {
                preferences_.push_back({.group = g, .level = level});
                depths_ = std::max<std::size_t>(depths_, level.depth + 1);
            }
        }
    }
}

void Objective::find_roles() {
    for (const PreferredLevel& preference : preferences_) {
        const std::vector<std::uint32_t>& children = gang_.groups[preference.group].children;
        const bool has_strangers = std::ranges::any_of(children, [&](std::uint32_t child) {
            return gang_.groups[child].key.name.empty();  // A co-located gang is not part of the proportion (X5).
        });
        if (children.size() < 2 || has_strangers) {
            continue;
        }
        Roles roles;
        roles.group = preference.group;
        roles.level = preference.level;
        roles.children = children.size();
        roles.child_of.assign(gang_.groups.size() - preference.group, model::nowhere);
        for (std::uint32_t child = 0; child < children.size(); ++child) {
            roles.child_of[children[child] - preference.group] = child;
        }
        const auto& domain_of = snapshot_.trees[preference.level.tree].domain_of[preference.level.depth];
        for (std::uint32_t g = preference.group + 1; g < gang_.groups.size(); ++g) {  // Parents before children.
            const model::GangGroup& group = gang_.groups[g];
            if (roles.has(group.parent)) {
                roles.child_of[g - preference.group] = roles.child_of[group.parent - preference.group];
            }
            for (std::uint32_t m = group.first_member; roles.has(g) && group.is_leaf && m < group.last_member; ++m) {
                const model::Member& member = gang_.members[m];
                if (member.state == model::Member::State::bound && member.node != model::nowhere) {
                    std::vector<std::int64_t>& there = roles.bound_members[domain_of[member.node]];
                    there.resize(roles.children, 0);
                    ++there[roles.child_of[g - preference.group]];
                }
            }
        }
        roles_.push_back(std::move(roles));
    }
}

std::int64_t Objective::imbalance(const std::map<std::uint32_t, std::vector<std::int64_t>>& members) {
    std::vector<std::int64_t> of_child;
    std::int64_t all = 0;
    for (const auto& [domain, there] : members) {
        of_child.resize(there.size(), 0);
        for (std::size_t child = 0; child < there.size(); ++child) {
            of_child[child] += there[child];
            all += there[child];
        }
    }
    std::int64_t imbalance = 0;
    for (const auto& [domain, there] : members) {
        const std::int64_t here = std::accumulate(there.begin(), there.end(), std::int64_t{0});
        for (std::size_t child = 0; child < there.size(); ++child) {
            imbalance += std::abs(there[child] * all - here * of_child[child]);
        }
    }
    return imbalance;
}

bool Objective::is_below(std::uint32_t group, std::uint32_t above) const {
    while (group != above && group != model::nowhere) {
        group = gang_.groups[group].parent;
    }
    return group == above;
}

std::int64_t Objective::domains_used(const PreferredLevel& preference, std::uint32_t depth,
                                     std::span<const NodeId> nodes) const {
    const auto& domain_of = snapshot_.trees[preference.level.tree].domain_of[depth];
    std::vector<std::uint32_t> domains;
    std::int64_t used = 0;
    for (const NodeId node : nodes) {
        if (domain_of[node] == model::nowhere) {
            used += 2;
        } else {
            domains.push_back(domain_of[node]);
        }
    }
    std::ranges::sort(domains);
    return used + (std::ranges::unique(domains).begin() - domains.begin());
}

std::vector<NodeId> Objective::nodes_below(std::uint32_t group, std::span<const PodBatch> batches,
                                           std::span<const Placement> placements) const {
    std::vector<NodeId> nodes = demand_.groups[group].bound_nodes;
    for (const Placement& placement : placements) {
        if (is_below(batches[placement.batch].group, group)) {
            nodes.push_back(placement.node);
        }
    }
    std::ranges::sort(nodes);
    nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
    return nodes;
}

std::int64_t Objective::imbalance_of(const Roles& roles, std::span<const PodBatch> batches,
                                     std::span<const Placement> placements) const {
    std::map<std::uint32_t, std::vector<std::int64_t>> members = roles.bound_members;
    const auto& domain_of = snapshot_.trees[roles.level.tree].domain_of[roles.level.depth];
    for (const Placement& placement : placements) {
        if (const std::uint32_t leaf = batches[placement.batch].group; roles.has(leaf)) {
            std::vector<std::int64_t>& there = members[domain_of[placement.node]];
            there.resize(roles.children, 0);
            there[roles.child_of[leaf - roles.group]] += placement.count;
        }
    }
    return imbalance(members);
}

std::vector<Taken> Objective::taken_at(std::span<const std::uint32_t> domain_of, std::span<const PodBatch> batches,
                                       std::span<const Placement> placements) const {
    std::vector<Taken> taken;
    for (const Placement& placement : placements) {
        if (const std::uint32_t domain = domain_of[placement.node]; domain != model::nowhere) {
            const std::int64_t need = snapshot_.need[demand_.classes[batches[placement.batch].member_class]][scarce_];
            taken.push_back({.domain = domain, .amount = need * placement.count});
        }
    }
    std::ranges::sort(taken);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < taken.size(); ++i) {
        if (kept > 0 && taken[kept - 1].domain == taken[i].domain) {
            taken[kept - 1].amount += taken[i].amount;
        } else {
            taken[kept++] = taken[i];
        }
    }
    taken.resize(kept);
    return taken;
}

Score Objective::score_of(std::span<const PodBatch> batches, std::span<const Placement> placements) const {
    Score score{.seats = 0, .spread = std::vector<std::int64_t>(depths_, 0), .imbalance = 0, .taken = {}};
    for (const Placement& placement : placements) {
        score.seats += placement.count;
    }
    for (const PreferredLevel& preference : preferences_) {
        const std::vector<NodeId> nodes = nodes_below(preference.group, batches, placements);
        for (std::uint32_t depth = 0; depth <= preference.level.depth; ++depth) {
            score.spread[depth] += domains_used(preference, depth, nodes);
        }
    }
    for (const Roles& roles : roles_) {
        score.imbalance += imbalance_of(roles, batches, placements);
    }
    for (const auto& domain_of : snapshot_.trees.front().domain_of) {
        score.taken.push_back(taken_at(domain_of, batches, placements));
    }
    return score;
}

// Domains that both plans leave equal cancel out, so only domains that either plan uses are compared.
int Objective::compare_free_domains(std::uint32_t depth, std::span<const Taken> one,
                                    std::span<const Taken> other) const {
    if (std::ranges::equal(one, other))
        return 0;
    const auto& domains = snapshot_.trees.front().domains[depth];
    std::vector<std::int64_t> left_by_one;
    std::vector<std::int64_t> left_by_other;
    left_by_one.reserve(one.size() + other.size());
    left_by_other.reserve(one.size() + other.size());
    for (std::size_t i = 0, j = 0; i < one.size() || j < other.size();) {
        const bool takes_one = j == other.size() || (i < one.size() && one[i].domain <= other[j].domain);
        const bool takes_other = i == one.size() || (j < other.size() && other[j].domain <= one[i].domain);
        const std::uint32_t domain = takes_one ? one[i].domain : other[j].domain;
        const std::int64_t by_one = takes_one ? one[i].amount : 0;
        const std::int64_t by_other = takes_other ? other[j].amount : 0;
        i += takes_one ? 1 : 0;
        j += takes_other ? 1 : 0;
        if (by_one != by_other) {
            const std::int64_t free = free_between(domains[domain].first, domains[domain].last);
            left_by_one.push_back(free - by_one);
            left_by_other.push_back(free - by_other);
        }
    }
    std::ranges::sort(left_by_one, std::greater{});
    std::ranges::sort(left_by_other, std::greater{});
    return left_by_one == left_by_other ? 0 : left_by_one > left_by_other ? 1 : -1;
}

bool Objective::is_better(const Score& one, const Score& other) const {
    if (one.seats != other.seats) {
        return one.seats > other.seats;
    }
    if (one.spread != other.spread) {
        return one.spread < other.spread;
    }
    if (one.imbalance != other.imbalance) {
        return one.imbalance < other.imbalance;
    }
    for (std::uint32_t depth = 0; depth < one.taken.size(); ++depth) {
        if (const int order = compare_free_domains(depth, one.taken[depth], other.taken[depth]); order != 0) {
            return order > 0;
        }
    }
    return false;
}

}  // namespace echelon::solver
