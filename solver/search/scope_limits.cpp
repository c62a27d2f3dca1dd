#include "solver/search/scope_limits.hpp"

#include "solver/packing/hash.hpp"
#include "solver/search/partial_plan.hpp"

#include <algorithm>
#include <set>

namespace echelon::solver {

using model::LevelRef;

ScopeLimits::ScopeLimits(const model::Snapshot& snapshot, const model::Gang& gang, const Demand& demand,
                         const Scopes& scopes)
    : snapshot_(snapshot), scopes_(scopes) {
    if (gang.domain_limits.empty() || !are_searchable(snapshot, gang, demand)) {
        return;  // Distribution keeps them.
    }
    for (const model::DomainLimit& limit : gang.domain_limits) {
        const model::Tree& tree = snapshot.trees[limit.level.tree];
        Limit& kept = limits_.emplace_back();
        kept.level = limit.level;
        kept.most = limit.most;
        kept.counts.assign(tree.domains[limit.level.depth].size(), 0);
        for (const std::uint32_t child : gang.groups[limit.group].children) {
            std::set<std::uint32_t> domains;
            for (const model::NodeId node : demand.groups[child].bound_nodes) {
                domains.insert(tree.domain_of[limit.level.depth][node]);
            }
            if (domains.empty() && demand.groups[child].waiting > 0) {  // Other children take no seat.
                limits_on_[child].push_back(limits_.size() - 1);
            }
            domains.erase(model::nowhere);  // A child with nodes outside every domain gets no seat.
            for (const std::uint32_t domain : domains) {
                ++kept.counts[domain];
            }
        }
    }
}

bool ScopeLimits::are_searchable(const model::Snapshot& snapshot, const model::Gang& gang, const Demand& demand) {
    const auto is_searchable = [&](const model::DomainLimit& limit) {
        const model::GangGroup& group = gang.groups[limit.group];
        const auto& domain_of = snapshot.trees[limit.level.tree].domain_of[limit.level.depth];
        return !group.is_leaf && std::ranges::all_of(group.children, [&](std::uint32_t child) {
            const GroupDemand& own = demand.groups[child];
            const bool is_confined = std::ranges::any_of(gang.groups[child].required, [&](LevelRef level) {
                return level.tree == limit.level.tree && level.depth >= limit.level.depth;
            });
            const bool takes_a_seat = !own.bound_nodes.empty() || !own.is_satisfied;
            const bool is_inside = std::ranges::all_of(
                own.bound_nodes, [&](model::NodeId node) { return domain_of[node] != model::nowhere; });
            return own.waiting == 0 || !own.is_satisfiable || (is_confined && takes_a_seat && is_inside);
        });
    };
    return gang.domain_limits.empty() || (!demand.has_floors && std::ranges::all_of(gang.domain_limits, is_searchable));
}

const std::vector<std::size_t>& ScopeLimits::limits_on(std::uint32_t group) const {
    static const std::vector<std::size_t> none;
    const auto found = limits_on_.find(group);
    return found == limits_on_.end() ? none : found->second;
}

std::uint32_t ScopeLimits::domain_of(const Limit& limit, ScopeId scope) const {
    for (const Place& place : scopes_[scope].places) {
        if (place.level.tree == limit.level.tree && place.level.depth >= limit.level.depth) {
            const model::Tree& tree = snapshot_.trees[place.level.tree];
            const model::NodeId node = tree.order[tree.domains[place.level.depth][place.domain].first];
            return tree.domain_of[limit.level.depth][node];
        }
    }
    return model::nowhere;
}

bool ScopeLimits::admits(std::uint32_t group, ScopeId scope) const {
    return scope == no_scope || std::ranges::all_of(limits_on(group), [&](std::size_t l) {
               const std::uint32_t domain = domain_of(limits_[l], scope);
               return domain != model::nowhere && limits_[l].counts[domain] < limits_[l].most;
           });
}

void ScopeLimits::count(std::uint32_t group, ScopeId scope, std::int64_t sign) {
    for (const std::size_t l : limits_on(group)) {
        if (scope == no_scope) {
            continue;
        }
        const std::uint32_t domain = domain_of(limits_[l], scope);
        limits_[l].counts[domain] += sign;
        const std::uint64_t one = mix(mix(l + 1) ^ (domain + 1));
        hash_ += sign > 0 ? one : -one;
    }
}

std::int64_t ScopeLimits::most(std::uint32_t group, ScopeId scope, std::int64_t most, Spent& spent) const {
    for (const std::size_t l : limits_on(group)) {
        const std::uint32_t domain = domain_of(limits_[l], scope);
        if (domain == model::nowhere) {
            return 0;
        }
        const auto before = spent.find({l, domain});
        const std::int64_t others = before == spent.end() ? 0 : before->second;
        most = std::min(most, std::max<std::int64_t>(limits_[l].most - limits_[l].counts[domain] - others, 0));
    }
    for (const std::size_t l : limits_on(group)) {
        if (limits_[l].level.tree == limits_[limits_on(group).front()].level.tree) {
            spent[{l, domain_of(limits_[l], scope)}] += most;
        }
    }
    return most;
}

}  // namespace echelon::solver
