#include "solver/explain/domain_rule_words.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace echelon::solver {
namespace {

constexpr std::size_t longest_name = 90;  // In a sentence.

using model::GangGroup;
using model::Member;

// Bound members of a leaf, or children with a bound member, in each domain of the level.
class BoundReplicas {
public:
    BoundReplicas(const SearchContext& context, const model::DomainLimit& limit)
        : context_(context), domain_of_(context.snapshot.trees[limit.level.tree].domain_of[limit.level.depth]) {
        const GangGroup& group = context_.gang.groups[limit.group];
        if (group.is_leaf) {
            count(limit.group, model::nowhere);
        }
        for (const std::uint32_t child : group.children) {
            count(child, child);
        }
    }

    [[nodiscard]] std::int64_t in(std::uint32_t domain) const {
        const auto found = by_domain_.find(domain);
        return found == by_domain_.end() ? 0 : std::ssize(found->second);
    }
    [[nodiscard]] bool has(std::uint32_t replica) const { return replicas_.contains(replica); }

private:
    void count(std::uint32_t group, std::uint32_t replica) {
        const GangGroup& source = context_.gang.groups[group];
        for (std::uint32_t m = source.first_member; source.is_leaf && m < source.last_member; ++m) {
            const Member& member = context_.gang.members[m];
            if (member.state == Member::State::bound && member.node != model::nowhere) {
                by_domain_[domain_of_[member.node]].insert(replica == model::nowhere ? m : replica);
                replicas_.insert(replica);
            }
        }
        for (const std::uint32_t child : source.children) {
            count(child, replica);
        }
    }

    const SearchContext& context_;
    const std::vector<std::uint32_t>& domain_of_;
    std::map<std::uint32_t, std::set<std::uint32_t>> by_domain_;  // Members of a leaf, else children.
    std::set<std::uint32_t> replicas_;                            // Children with a bound member.
};

// How many replicas the domains inside a scope could take under one limit.
class LimitCount {
public:
    LimitCount(SearchContext& context, const Shortage& shortage, const model::DomainLimit& limit)
        : context_(context), shortage_(shortage), limit_(limit), bound_replicas_(context, limit) {
        const GangGroup& group = context_.gang.groups[limit.group];
        if (group.is_leaf) {
            seats_ = shortage.smallest_seats(limit.group);
        }
        for (const std::uint32_t child : group.children) {
            if (context_.demand.groups[child].is_satisfiable && !bound_replicas_.has(child)) {
                ++interchangeable_[context_.demand.groups[child].symmetry_class].second;
                interchangeable_[context_.demand.groups[child].symmetry_class].first = child;
            }
        }
    }

    // True if every child must stay in one domain. Otherwise counting says nothing.
    [[nodiscard]] bool is_countable() const {
        const GangGroup& group = context_.gang.groups[limit_.group];
        return std::ranges::all_of(group.children, [this](std::uint32_t child) {
            return std::ranges::any_of(context_.gang.groups[child].required, [this](model::LevelRef level) {
                return level.tree == limit_.level.tree && level.depth >= limit_.level.depth;
            });
        });
    }

    [[nodiscard]] std::int64_t in(ScopeId scope, SearchBudget& budget) {
        std::int64_t fits = 0;
        for (const ScopeId domain : context_.scopes.inside(limit_.level, scope)) {
            const std::int64_t there = bound_replicas_.in(context_.scopes[domain].places.back().domain);
            const std::int64_t more = std::max<std::int64_t>(limit_.most - there, 0);
            const bool is_leaf = context_.gang.groups[limit_.group].is_leaf;
            fits += std::min(more, is_leaf ? shortage_.room_for(seats_, domain) : groups_in(domain));
            fits += is_leaf ? 0 : there;
            budget.charge(16 + seats_.size() * 8 + interchangeable_.size() * context_.bounds.count());
        }
        return fits;
    }

private:
    // How many children a domain has room for, each on its own.
    [[nodiscard]] std::int64_t groups_in(ScopeId domain) {
        std::int64_t groups = 0;
        for (const auto& [symmetry_class, groups_alike] : interchangeable_) {
            const bool fits =
                context_.bounds.admits(domain, context_.search.least(Search::Goal::minimum, groups_alike.first));
            groups += fits ? groups_alike.second : 0;
        }
        return groups;
    }

    SearchContext& context_;
    const Shortage& shortage_;
    const model::DomainLimit& limit_;
    BoundReplicas bound_replicas_;
    std::vector<std::int64_t> seats_;
    // [symmetry class] one child of the class, and how many there are.
    std::map<std::uint32_t, std::pair<std::uint32_t, std::int64_t>> interchangeable_;
};

std::string words_of(const SearchContext& context, std::uint32_t group) {
    std::string words;
    const auto key_of = [&](model::LevelRef level) { return context.snapshot.trees[level.tree].keys[level.depth]; };
    for (const model::DomainLimit& limit : context.gang.domain_limits) {
        if (limit.group == group) {
            words += fmt::format("{}at most {} in each {}", words.empty() ? " with " : " and ", limit.most,
                                 key_of(limit.level));
        }
    }
    for (const model::Pairing& pairing : context.gang.pairings) {
        if (pairing.group == group) {
            words += fmt::format(" in proportion in each {}", key_of(pairing.level));
        }
    }
    return words;
}

std::optional<std::uint32_t> first_with_rules(const model::Gang& gang) {
    if (gang.domain_limits.empty() && gang.pairings.empty()) {
        return std::nullopt;
    }
    std::uint32_t first = gang.domain_limits.empty() ? model::nowhere : gang.domain_limits.front().group;
    return std::min(first, gang.pairings.empty() ? model::nowhere : gang.pairings.front().group);
}

}  // namespace

std::optional<LimitShortage> short_of_limit(SearchContext& context, const Shortage& shortage, std::uint32_t group,
                                            std::span<const ScopeId> scopes, SearchBudget& budget) {
    for (const model::DomainLimit& limit : context.gang.domain_limits) {
        if (limit.group != group || budget.is_over()) {
            continue;
        }
        const GroupDemand& own_demand = context.demand.groups[group];
        LimitCount count(context, shortage, limit);
        LimitShortage found{.level = limit.level,
                            .most = limit.most,
                            .needed = context.gang.groups[group].is_leaf ? own_demand.lacking : own_demand.minimum,
                            .fits = -1};
        for (std::size_t s = 0; s < scopes.size() && count.is_countable() && !budget.is_over(); ++s) {
            if (const std::int64_t fits = count.in(scopes[s], budget); fits > found.fits) {
                found.fits = fits;
                found.best = scopes[s];
            }
        }
        if (found.fits >= 0 && found.fits < found.needed && !budget.is_over()) {
            return found;
        }
    }
    return std::nullopt;
}

std::string domain_rules_in_words(const SearchContext& context, std::uint32_t group) {
    std::string words = words_of(context, group);
    const auto other = words.empty() ? first_with_rules(context.gang) : std::nullopt;
    if (other) {
        words = fmt::format(" with group {}{}", context.gang.groups[*other].key.name.str().substr(0, longest_name),
                            words_of(context, *other));
    }
    return words;
}

}  // namespace echelon::solver
