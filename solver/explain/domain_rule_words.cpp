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
class Bound {
public:
    Bound(const SearchContext& attempt, const model::DomainLimit& limit)
        : a_(attempt), domain_of_(attempt.snapshot.trees[limit.level.tree].domain_of[limit.level.depth]) {
        const GangGroup& group = a_.gang.groups[limit.group];
        if (group.is_leaf) {
            count(limit.group, model::nowhere);
        }
        for (const std::uint32_t child : group.children) {
            count(child, child);
        }
    }

    [[nodiscard]] std::int64_t in(std::uint32_t domain) const {
        const auto found = in_.find(domain);
        return found == in_.end() ? 0 : std::ssize(found->second);
    }
    [[nodiscard]] bool has(std::uint32_t replica) const { return replicas_.contains(replica); }

private:
    void count(std::uint32_t group, std::uint32_t replica) {
        const GangGroup& source = a_.gang.groups[group];
        for (std::uint32_t m = source.first_member; source.is_leaf && m < source.last_member; ++m) {
            const Member& member = a_.gang.members[m];
            if (member.state == Member::State::bound && member.node != model::nowhere) {
                in_[domain_of_[member.node]].insert(replica == model::nowhere ? m : replica);
                replicas_.insert(replica);
            }
        }
        for (const std::uint32_t child : source.children) {
            count(child, replica);
        }
    }

    const SearchContext& a_;
    const std::vector<std::uint32_t>& domain_of_;
    std::map<std::uint32_t, std::set<std::uint32_t>> in_;
    std::set<std::uint32_t> replicas_;
};

class LimitCount {
public:
    LimitCount(SearchContext& attempt, const Shortage& shortage, const model::DomainLimit& limit)
        : a_(attempt), shortage_(shortage), limit_(limit), bound_(attempt, limit) {
        const GangGroup& group = a_.gang.groups[limit.group];
        if (group.is_leaf) {
            seats_ = shortage.smallest_seats(limit.group);
        }
        for (const std::uint32_t child : group.children) {
            if (a_.needs.groups[child].is_satisfiable && !bound_.has(child)) {
                ++like_[a_.needs.groups[child].twin].second;
                like_[a_.needs.groups[child].twin].first = child;
            }
        }
    }

    // Otherwise a group may stand in several domains, and counting says nothing.
    [[nodiscard]] bool is_countable() const {
        const GangGroup& group = a_.gang.groups[limit_.group];
        return std::ranges::all_of(group.children, [this](std::uint32_t child) {
            return std::ranges::any_of(a_.gang.groups[child].required, [this](model::LevelRef level) {
                return level.tree == limit_.level.tree && level.depth >= limit_.level.depth;
            });
        });
    }

    [[nodiscard]] std::int64_t in(ScopeId scope, SearchBudget& steps) {
        std::int64_t fits = 0;
        for (const ScopeId domain : a_.scopes.inside(limit_.level, scope)) {
            const std::int64_t there = bound_.in(a_.scopes[domain].places.back().domain);
            const std::int64_t more = std::max<std::int64_t>(limit_.most - there, 0);
            const bool is_leaf = a_.gang.groups[limit_.group].is_leaf;
            fits += std::min(more, is_leaf ? shortage_.room_for(seats_, domain) : groups_in(domain));
            fits += is_leaf ? 0 : there;
            steps.work(16 + seats_.size() * 8 + like_.size() * a_.gauges.count());
        }
        return fits;
    }

private:
    // How many of the groups a domain has room for, each by itself.
    [[nodiscard]] std::int64_t groups_in(ScopeId domain) {
        std::int64_t groups = 0;
        for (const auto& [twin, some] : like_) {
            const bool fits = a_.gauges.admits(domain, a_.search.least(Search::Goal::minimum, some.first));
            groups += fits ? some.second : 0;
        }
        return groups;
    }

    SearchContext& a_;
    const Shortage& shortage_;
    const model::DomainLimit& limit_;
    Bound bound_;
    std::vector<std::int64_t> seats_;
    std::map<std::uint32_t, std::pair<std::uint32_t, std::int64_t>> like_;  // Twin -> one of them, and how many.
};

std::string words_of(const SearchContext& attempt, std::uint32_t group) {
    std::string words;
    const auto key_of = [&](model::LevelRef level) { return attempt.snapshot.trees[level.tree].keys[level.depth]; };
    for (const model::DomainLimit& limit : attempt.gang.domain_limits) {
        if (limit.group == group) {
            words += fmt::format("{}at most {} in each {}", words.empty() ? " with " : " and ", limit.most,
                                 key_of(limit.level));
        }
    }
    for (const model::Pairing& pairing : attempt.gang.pairings) {
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

std::optional<LimitShortage> short_of_limit(SearchContext& attempt, const Shortage& shortage, std::uint32_t group,
                                            std::span<const ScopeId> scopes, SearchBudget& steps) {
    for (const model::DomainLimit& limit : attempt.gang.domain_limits) {
        if (limit.group != group || steps.is_over()) {
            continue;
        }
        const GroupDemand& needs = attempt.needs.groups[group];
        LimitCount count(attempt, shortage, limit);
        LimitShortage found{.level = limit.level,
                            .most = limit.most,
                            .needed = attempt.gang.groups[group].is_leaf ? needs.lacking : needs.minimum,
                            .fits = -1};
        for (std::size_t s = 0; s < scopes.size() && count.is_countable() && !steps.is_over(); ++s) {
            if (const std::int64_t fits = count.in(scopes[s], steps); fits > found.fits) {
                found.fits = fits;
                found.best = scopes[s];
            }
        }
        if (found.fits >= 0 && found.fits < found.needed && !steps.is_over()) {
            return found;
        }
    }
    return std::nullopt;
}

std::string domain_rules_in_words(const SearchContext& attempt, std::uint32_t group) {
    std::string words = words_of(attempt, group);
    const auto other = words.empty() ? first_with_rules(attempt.gang) : std::nullopt;
    if (other) {
        words = fmt::format(" with group {}{}", attempt.gang.groups[*other].key.name.substr(0, longest_name),
                            words_of(attempt, *other));
    }
    return words;
}

}  // namespace echelon::solver
