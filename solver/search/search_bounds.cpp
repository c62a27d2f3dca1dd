// The bounds of the search: where a group may still go, and which choices are symmetric.

#include "solver/packing/hash.hpp"
#include "solver/search/search.hpp"

#include <algorithm>
#include <numeric>

namespace echelon::solver {

std::span<const std::int64_t> Search::least(Goal goal, std::uint32_t group) const {
    return least_[goal == Goal::minimum ? 0 : 1][group];
}

// How many of these pods the scope could take by count. Each class is counted with all that are as large.
std::int64_t Search::most_of(std::span<const std::int64_t> pods, ScopeId scope) {
    const std::int64_t all = std::accumulate(pods.begin(), pods.end(), std::int64_t{0});
    const std::vector<std::int64_t> amounts = bounds_.amounts(pods);
    std::int64_t most = all;
    for (std::uint32_t small = 0; small < pods.size(); ++small) {
        const std::size_t bound = CapacityBounds::slots_bound(small);
        const std::int64_t as_large = amounts[bound];
        most = std::min(most, all - as_large + std::min(as_large, bounds_.remaining(bound, scope)));
    }
    return most;
}

std::int64_t Search::most_seats() {
    std::vector<std::int64_t> all(demand_.classes.size(), 0);
    for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
        const bool may_have_seats = may_be_placed(gang_, demand_, g);
        for (std::size_t s = 0; may_have_seats && s < all.size(); ++s) {
            all[s] += demand_.groups[g].waiting_of[s];
        }
    }
    plan_.clear();
    std::int64_t most = 0;
    for (const ScopeId scope : scopes_.candidates(0, everywhere)) {
        most = std::max(most, most_of(all, scope));
    }
    return most;
}

bool Search::is_better(const Ranked& a, const Ranked& b) {
    if (a.holds_all != b.holds_all) {
        return a.holds_all;
    }
    if (a.remaining != b.remaining) {
        return a.holds_all                                ? a.remaining < b.remaining
               : a.remaining.back() != b.remaining.back() ? a.remaining.back() > b.remaining.back()
                                                          : a.remaining < b.remaining;
    }
    return a.index < b.index;
}

std::vector<Search::Ranked> Search::rank(std::uint32_t group, ScopeId outer) {
    const std::vector<ScopeId>& candidates = scopes_.candidates(group, outer);
    std::vector<Ranked> ranked;
    if (!budget_.spend(candidates.size() / 32)) {
        return ranked;
    }
    const std::span<const std::int64_t> amounts = least(goal_, group);
    const std::span<const std::int64_t> all = least(Goal::everything, group);
    const std::size_t bound = CapacityBounds::slots_bound(hardest_class_[group]);
    for (std::uint32_t i = 0; i < candidates.size(); ++i) {
        const ScopeId scope = candidates[i];
        if (!bounds_.admits(scope, amounts)) {
            continue;
        }
        Ranked entry{.scope = scope, .holds_all = true, .remaining = {}, .index = i};
        if (bounds_.count() > 0 && candidates.size() > 1) {
            entry.holds_all = bounds_.admits(scope, all);
            std::size_t at = 0;
            const Place& place = scopes_[scope].places.front();
            const model::Tree& tree = snapshot_.trees[place.level.tree];
            const model::NodeId node = tree.order[tree.domains[place.level.depth][place.domain].first];
            for (std::uint32_t depth = 0; depth < place.level.depth && at + 1 < entry.remaining.size(); ++depth) {
                const std::uint32_t around = tree.domain_of[depth][node];
                entry.remaining[at++] =
                    around == model::nowhere ? 0 : bounds_.capacity(bound, Place{{place.level.tree, depth}, around});
            }
            entry.remaining.back() = bounds_.remaining(bound, scope);
        }
        ranked.push_back(entry);
    }
    budget_.charge(candidates.size() * 16 + bounds_.take_work());
    return ranked;
}

// False if counting proves that too few children can still be satisfied: first by symmetry class, then all together.
bool Search::children_may_fit(std::uint32_t group, ScopeId scope, std::uint32_t position, std::int64_t wanted) {
    const std::vector<std::uint32_t>& order = order_[group];
    std::int64_t may_fit = 0;
    for (std::size_t i = position; i < order.size();) {
        const std::uint32_t child = order[i];
        const std::uint32_t symmetry_class = demand_.groups[child].symmetry_class;
        std::int64_t alike = 0;
        for (; i < order.size() && demand_.groups[order[i]].symmetry_class == symmetry_class; ++i) {
            ++alike;
        }
        may_fit += most_children(child, scope, alike);
    }
    if (may_fit < wanted) {
        return false;
    }
    const std::vector<ScopeId>* shared = shared_candidates(group, scope, position);
    if (position == 0 && shared == nullptr) {
        return true;  // All children together are what the group uses at least, and the scope has room for that.
    }
    // The children that use least of a bound, together.
    for (std::size_t bound = 0; bound < bounds_.count(); ++bound) {
        std::vector<std::int64_t> demands;
        for (std::size_t i = position; i < order.size(); ++i) {
            demands.push_back(least(goal_, order[i])[bound]);
        }
        std::ranges::sort(demands);
        budget_.charge(demands.size() * 8);
        demands.resize(static_cast<std::size_t>(wanted));
        if (std::accumulate(demands.begin(), demands.end(), std::int64_t{0}) > bounds_.remaining(bound, scope)) {
            return false;
        }
        if (bound < demand_.classes.size() && shared != nullptr && !pieces_may_fit(bound, *shared, demands)) {
            return false;
        }
    }
    return true;
}

// The candidates of all remaining children, if they have the same, and several; else nullptr.
const std::vector<ScopeId>* Search::shared_candidates(std::uint32_t group, ScopeId scope, std::uint32_t position) {
    const std::vector<std::uint32_t>& order = order_[group];
    const std::vector<ScopeId>* shared = nullptr;
    budget_.charge((order.size() - position) * 32);
    for (std::size_t i = position; i < order.size(); ++i) {
        const std::vector<ScopeId>& candidates = scopes_.candidates(order[i], scope);
        if (candidates.size() < 2 || (shared != nullptr && shared != &candidates)) {
            return nullptr;
        }
        shared = &candidates;
    }
    return shared;
}

// Each demand of at least t needs a piece of t in one domain, and a domain has at most remaining / t pieces.
bool Search::pieces_may_fit(std::size_t bound, std::span<const ScopeId> candidates,
                            std::span<const std::int64_t> demands) {
    std::vector<std::int64_t> remainders;
    for (const ScopeId candidate : candidates) {
        remainders.push_back(bounds_.remaining(bound, candidate));
    }
    for (std::size_t i = 0; i < demands.size(); ++i) {
        const std::int64_t piece = demands[i];
        if (piece <= 0 || (i > 0 && demands[i - 1] == piece)) {
            continue;
        }
        const auto goal = static_cast<std::int64_t>(demands.size() - i);
        budget_.charge(remainders.size() * 2);
        std::int64_t pieces = 0;
        for (const std::int64_t remaining : remainders) {
            pieces += std::max<std::int64_t>(remaining, 0) / piece;
        }
        if (pieces < goal) {
            return false;
        }
    }
    return true;
}

// How many groups like this one the scope could hold, up to `enough`.
std::int64_t Search::most_children(std::uint32_t child, ScopeId scope, std::int64_t enough) {
    const std::span<const std::int64_t> amounts = least(goal_, child);
    if (std::ranges::all_of(amounts, [](std::int64_t d) { return d == 0; })) {
        return enough;
    }
    const std::vector<ScopeId>& candidates = scopes_.candidates(child, scope);
    (void)budget_.spend(candidates.size() / 32);
    std::int64_t most = 0;
    ScopeLimits::Spent spent;
    for (std::size_t c = 0; c < candidates.size() && most < enough; ++c) {
        std::int64_t here = enough;
        for (std::size_t bound = 0; bound < amounts.size(); ++bound) {
            if (amounts[bound] > 0) {
                const auto free = std::max<std::int64_t>(bounds_.remaining(bound, candidates[c]), 0);
                here = std::min(here, free / amounts[bound]);
            }
        }
        most += plan_.limits().exist() ? plan_.limits().most(child, candidates[c], here, spent) : here;
        budget_.charge(amounts.size() + bounds_.take_work());
    }
    return std::min(most, enough);
}

// Equal for two candidates only if they are interchangeable; 0: not known.
std::uint64_t Search::symmetry_key(std::uint32_t group, ScopeId outer, ScopeId scope) {
    const std::vector<Place>& places = scopes_[scope].places;
    if (places.size() != 1 || !scopes_.is_nested() || !demand_.groups[group].bound_nodes.empty() ||
        demand_.conflicts.are_wide() || (plan_.limits().exist() && !bounds_.is_unused(scope))) {
        return 0;
    }
    const bool pins =
        std::ranges::any_of(demand_.groups[0].bound_nodes, [&](auto node) { return scopes_.holds(scope, node); });
    if (pins) {
        return 0;  // Bound members here may pin another group to this scope.
    }
    const model::LevelRef level = places.front().level;
    // If seats beyond the minimum count, a group that is there already matters, since it may take more.
    const bool extras_count = maximises_seats_ || demand_.has_floors;
    const bool is_taken = extras_count && std::ranges::any_of(plan_.picks(), [&](const PlacedGroup& pick) {
                              return pick.scope != no_scope && pick.scope != everywhere &&
                                     scopes_.may_overlap(pick.scope, scope) &&
                                     scopes_[pick.scope].places.front().level.depth >= level.depth;
                          });
    if (is_taken) {
        return 0;
    }
    const bool has_deeper = std::ranges::any_of(scopes_.used_levels(), [&](model::LevelRef used) {
        return used.tree == level.tree && used.depth > level.depth;
    });
    std::uint64_t hash = mix(outer + 1);
    for (const Place& place : scopes_[scope].within) {
        if (place != places.front()) {
            hash = mix(hash ^ (std::uint64_t{place.level.depth} << 32U | place.domain));
        }
    }
    if (plan_.is_decided_by_counting() && !has_deeper) {
        return mix(hash ^ static_cast<std::uint64_t>(bounds_.count() == 0 ? 0 : bounds_.remaining(0, places.front())));
    }
    if (!bounds_.is_unused(scope)) {
        return 0;
    }
    return mix(hash ^ empty_domain_class(scope));
}

// Equal for nodes that are equal in all that the gang asks for.
std::uint64_t Search::node_class(model::NodeId node) const {
    std::uint64_t number = 7U ^ demand_.inside.hash(node);
    for (std::uint32_t member_class = 0; member_class < demand_.classes.size(); ++member_class) {
        const std::int64_t limit = demand_.conflicts.limit(member_class, node);
        number = mix(number ^ (snapshot_.eligible[demand_.classes[member_class]][node] != 0
                                   ? mix(1U + static_cast<std::uint64_t>(limit))
                                   : 0U));
    }
    for (const auto& room : room_) {
        number = mix(number ^ static_cast<std::uint64_t>(room[node]));
    }
    for (const auto& level : scopes_.used_levels()) {  // A node that lacks a level isn't like one that has it.
        number = mix(number ^ (snapshot_.trees[level.tree].domain_of[level.depth][node] == model::nowhere ? 0 : 1));
    }
    return number;
}

// Equal for domains whose nodes are equal one by one, level by level.
std::uint64_t Search::empty_domain_class(ScopeId scope) {
    if (const auto known = scope_classes_.find(scope); known != scope_classes_.end()) {
        return known->second;
    }
    const Place& place = scopes_[scope].places.front();
    const model::Tree& tree = snapshot_.trees[place.level.tree];
    const model::Domain& domain = tree.domains[place.level.depth][place.domain];
    (void)budget_.spend((domain.last - domain.first) / 16);
    budget_.charge((domain.last - domain.first) *
                   (demand_.classes.size() * 3 + room_.size() * 2 + scopes_.used_levels().size() * 3));
    // From the nodes up: a domain's number is a sum over its parts, so their order doesn't matter.
    std::vector<std::uint64_t> numbers;
    for (std::uint32_t i = domain.first; i < domain.last; ++i) {
        numbers.push_back(node_class(tree.order[i]));
    }
    for (auto depth = static_cast<std::uint32_t>(tree.domain_of.size()); depth-- > place.level.depth + 1;) {
        if (!scopes_.is_used({place.level.tree, depth})) {
            continue;
        }
        std::uint64_t sum = 0;
        std::size_t first = 0;
        for (std::size_t i = 0; i <= numbers.size(); ++i) {
            const auto domain_at = [&](std::size_t k) { return tree.domain_of[depth][tree.order[domain.first + k]]; };
            if (i == numbers.size() || domain_at(i) != domain_at(first)) {
                // The number of a part is kept at its first node; its other nodes add nothing.
                numbers[first] = mix(sum + depth);
                std::fill(numbers.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                          numbers.begin() + static_cast<std::ptrdiff_t>(i), 0);
                first = i;
                sum = 0;
            }
            sum += i < numbers.size() ? numbers[i] : 0;
        }
    }
    const std::uint64_t number =
        std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{domain.last - domain.first});
    return scope_classes_.emplace(scope, number).first->second;
}

}  // namespace echelon::solver
