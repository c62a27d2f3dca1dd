// The bounds of the search: what a group needs at least, where it may still go, and what is alike.

#include "solver/packing/hash.hpp"
#include "solver/search/search.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace echelon::solver {
namespace {

// More ways to choose a leaf's minimum among unlike members than this aren't tried.
constexpr std::size_t most_options = 256;
// What listing them may cost for all leaves together; the first one of each is found at once.
constexpr std::uint64_t most_option_steps = 2'000;

}  // namespace

void Search::compute_options() {
    option_limit_ = steps_.used() + most_option_steps;
    for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
        const model::GangGroup& group = gang_.groups[g];
        const GroupDemand& needs = needs_.groups[g];
        if (group.is_leaf && needs.is_satisfiable) {
            std::vector<std::int64_t> seats(needs_.sizes.size(), 0);
            list_options(g, seats, 0, needs.lacking, needs.waiting);
        }
        std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
        for (std::uint32_t m = group.first_member; m < group.last_member && group.is_leaf; ++m) {
            const std::uint32_t size = needs_.size_of[m];
            if (size == model::nowhere) {
                continue;
            }
            if (const std::int64_t cap = gauges_.cap(CapacityBounds::slots_bound(size), everywhere); cap < fewest) {
                fewest = cap;
                hardest_class_[g] = size;
            }
        }
    }
    for (std::size_t g = gang_.groups.size(); g-- > 0;) {
        std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
        for (const std::uint32_t child : gang_.groups[g].children) {
            if (needs_.groups[child].waiting == 0) {
                continue;
            }
            const std::int64_t cap = gauges_.cap(CapacityBounds::slots_bound(hardest_class_[child]), everywhere);
            if (cap < fewest) {
                fewest = cap;
                hardest_class_[g] = hardest_class_[child];
            }
        }
    }
}

// Which members make up the minimum: never a large one while a small one that fits wherever it does is left. `there`:
// waiting members of the sizes that aren't chosen yet.
void Search::list_options(std::uint32_t group, std::vector<std::int64_t>& seats, std::size_t at, std::int64_t left,
                          std::int64_t there) {
    steps_.work(8);
    if (left == 0) {
        if (options_[group].size() < most_options) {
            options_[group].push_back(seats);
            steps_.work(seats.size() + gauges_.count() * seats.size() / 2);
        } else {
            are_options_cut_ = true;
        }
        return;
    }
    if (left > there) {
        return;
    }
    const bool is_enough = !options_[group].empty() && steps_.used() >= option_limit_;
    if (options_[group].size() >= most_options || is_enough) {
        are_options_cut_ = are_options_cut_ || is_enough;
        return;
    }
    const std::uint32_t size = classes_easiest_first_[at];
    const std::vector<std::int64_t>& waiting = needs_.groups[group].waiting_of;
    const bool is_dominated = std::ranges::any_of(classes_easiest_first_, [&](std::uint32_t easier) {
        return seats[easier] < waiting[easier] && easier != size && gauges_.covers(size, easier) &&
               !gauges_.covers(easier, size);
    });
    steps_.work(classes_easiest_first_.size());
    there -= waiting[size];
    for (std::int64_t count = is_dominated ? 0 : std::min(left, waiting[size]); count >= 0; --count) {
        seats[size] = count;
        list_options(group, seats, at + 1, left - count, there);
    }
    seats[size] = 0;
}

void Search::compute_least() {
    steps_.work(2 * gang_.groups.size() * gauges_.count());
    for (auto& table : least_) {
        table.assign(gang_.groups.size(), std::vector<std::int64_t>(gauges_.count(), 0));
    }
    for (std::size_t g = gang_.groups.size(); g-- > 0;) {
        const GroupDemand& needs = needs_.groups[g];
        for (std::size_t gauge = 0; gauge < gauges_.count() && needs.is_satisfiable; ++gauge) {
            std::int64_t& minimum = least_[0][g][gauge];
            std::int64_t& all = least_[1][g][gauge];
            if (gang_.groups[g].is_leaf) {
                all = gauges_.weight(gauge, needs.waiting_of);
                minimum = std::numeric_limits<std::int64_t>::max();
                for (const auto& option : options_[g]) {
                    minimum = std::min(minimum, gauges_.weight(gauge, option));
                }
                steps_.work(gauges_.take_work());
                continue;
            }
            std::vector<std::int64_t> below;
            for (const std::uint32_t child : gang_.groups[g].children) {
                if (needs_.groups[child].is_satisfiable) {
                    below.push_back(least_[0][child][gauge]);
                    all += least_[1][child][gauge];
                }
            }
            std::ranges::sort(below);
            steps_.work(4 * below.size());
            minimum = std::accumulate(below.begin(), below.begin() + needs.minimum, std::int64_t{0});
            if (needs_.sizes.size() == 1) {  // A floor counts pods, and here every pod counts alike.
                minimum = std::max(minimum, gang_.groups[g].floor - needs.counting);
            }
        }
    }
}

std::span<const std::int64_t> Search::least(Goal ask, std::uint32_t group) const {
    return least_[ask == Goal::minimum ? 0 : 1][group];
}

// How many of these pods the scope could take by count: of every size and all that are as large.
std::int64_t Search::most_of(std::span<const std::int64_t> sizes, ScopeId scope) {
    const std::int64_t all = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    std::int64_t most = all;
    for (std::uint32_t small = 0; small < sizes.size(); ++small) {
        const std::int64_t as_large = gauges_.weight(CapacityBounds::slots_bound(small), sizes);
        most = std::min(most,
                        all - as_large + std::min(as_large, gauges_.rest(CapacityBounds::slots_bound(small), scope)));
    }
    return most;
}

std::int64_t Search::most_seats() {
    std::vector<std::int64_t> all(needs_.sizes.size(), 0);
    for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
        bool may_be_placed = gang_.groups[g].is_leaf;
        for (std::uint32_t above = g; above != model::nowhere; above = gang_.groups[above].parent) {
            may_be_placed = may_be_placed && needs_.groups[above].is_satisfiable;
        }
        for (std::size_t s = 0; s < all.size() && may_be_placed; ++s) {
            all[s] += needs_.groups[g].waiting_of[s];
        }
    }
    draft_.clear();
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
    if (a.rest != b.rest) {
        return a.holds_all                      ? a.rest < b.rest
               : a.rest.back() != b.rest.back() ? a.rest.back() > b.rest.back()
                                                : a.rest < b.rest;
    }
    return a.index < b.index;
}

std::vector<Search::Ranked> Search::rank(std::uint32_t group, ScopeId outer) {
    const std::vector<ScopeId>& candidates = scopes_.candidates(group, outer);
    std::vector<Ranked> ranked;
    if (!steps_.spend(candidates.size() / 32)) {
        return ranked;
    }
    const std::span<const std::int64_t> demand = least(ask_, group);
    const std::span<const std::int64_t> all = least(Goal::everything, group);
    const std::size_t gauge = CapacityBounds::slots_bound(hardest_class_[group]);
    for (std::uint32_t i = 0; i < candidates.size(); ++i) {
        const ScopeId scope = candidates[i];
        if (!gauges_.admits(scope, demand)) {
            continue;
        }
        Ranked entry{.scope = scope, .holds_all = true, .rest = {}, .index = i};
        if (gauges_.count() > 0 && candidates.size() > 1) {
            entry.holds_all = gauges_.admits(scope, all);
            std::size_t at = 0;
            const Place& place = scopes_[scope].places.front();
            const model::Tree& tree = snapshot_.trees[place.level.tree];
            const model::NodeId node = tree.order[tree.domains[place.level.depth][place.domain].first];
            for (std::uint32_t depth = 0; depth < place.level.depth && at + 1 < entry.rest.size(); ++depth) {
                const std::uint32_t around = tree.domain_of[depth][node];
                entry.rest[at++] =
                    around == model::nowhere ? 0 : gauges_.cap(gauge, Place{{place.level.tree, depth}, around});
            }
            entry.rest.back() = gauges_.rest(gauge, scope);
        }
        ranked.push_back(entry);
    }
    steps_.work(candidates.size() * 16 + gauges_.take_work());
    return ranked;
}

// How many children can still be satisfied, by counting: identical ones one class at a time, unlike ones by size.
bool Search::children_may_fit(std::uint32_t group, ScopeId scope, std::uint32_t position, std::int64_t wanted) {
    const std::vector<std::uint32_t>& order = order_[group];
    std::int64_t may_fit = 0;
    for (std::size_t i = position; i < order.size();) {
        const std::uint32_t child = order[i];
        std::int64_t twins = 0;
        for (; i < order.size() && needs_.groups[order[i]].twin == needs_.groups[child].twin; ++i) {
            ++twins;
        }
        may_fit += most_children(child, scope, twins);
    }
    if (may_fit < wanted) {
        return false;
    }
    // The smallest that could do together, in every gauge.
    for (std::size_t gauge = 0; gauge < gauges_.count(); ++gauge) {
        std::vector<std::int64_t> demands;
        for (std::size_t i = position; i < order.size(); ++i) {
            demands.push_back(least(ask_, order[i])[gauge]);
        }
        std::ranges::sort(demands);
        steps_.work(demands.size() * 8);
        demands.resize(static_cast<std::size_t>(wanted));
        if (std::accumulate(demands.begin(), demands.end(), std::int64_t{0}) > gauges_.rest(gauge, scope)) {
            return false;
        }
        if (gauge < needs_.sizes.size() && !pieces_may_fit(gauge, group, scope, position, demands)) {
            return false;
        }
    }
    return true;
}

// Of the demands that must be met, those of at least t need as many pieces of t; no domain gives more than rest / t.
bool Search::pieces_may_fit(std::size_t gauge, std::uint32_t group, ScopeId scope, std::uint32_t position,
                            std::span<const std::int64_t> demands) {
    const std::vector<std::uint32_t>& order = order_[group];
    const std::vector<ScopeId>* shared = nullptr;
    for (std::size_t i = position; i < order.size(); ++i) {
        const std::vector<ScopeId>& candidates = scopes_.candidates(order[i], scope);
        if (shared != nullptr && shared != &candidates) {
            return true;  // They don't choose among the same domains.
        }
        shared = &candidates;
    }
    if (shared == nullptr || shared->size() < 2) {
        return true;
    }
    std::vector<std::int64_t> rests;
    for (const ScopeId candidate : *shared) {
        rests.push_back(gauges_.rest(gauge, candidate));
    }
    for (std::size_t i = 0; i < demands.size(); ++i) {
        const std::int64_t piece = demands[i];
        if (piece <= 0 || (i > 0 && demands[i - 1] == piece)) {
            continue;
        }
        const auto asked = static_cast<std::int64_t>(demands.size() - i);
        steps_.work(rests.size() * 2);
        std::int64_t pieces = 0;
        for (const std::int64_t rest : rests) {
            pieces += std::max<std::int64_t>(rest, 0) / piece;
        }
        if (pieces < asked) {
            return false;
        }
    }
    return true;
}

// How many groups like this one the scope could hold, up to `enough`.
std::int64_t Search::most_children(std::uint32_t child, ScopeId scope, std::int64_t enough) {
    const std::span<const std::int64_t> demand = least(ask_, child);
    if (std::ranges::all_of(demand, [](std::int64_t d) { return d == 0; })) {
        return enough;
    }
    const std::vector<ScopeId>& candidates = scopes_.candidates(child, scope);
    (void)steps_.spend(candidates.size() / 32);
    std::int64_t most = 0;
    ScopeLimits::Spent spent;
    for (std::size_t c = 0; c < candidates.size() && most < enough; ++c) {
        std::int64_t here = enough;
        for (std::size_t gauge = 0; gauge < demand.size(); ++gauge) {
            if (demand[gauge] > 0) {
                here = std::min(here, std::max<std::int64_t>(gauges_.rest(gauge, candidates[c]), 0) / demand[gauge]);
            }
        }
        most += draft_.limits().exist() ? draft_.limits().most(child, candidates[c], here, spent) : here;
        steps_.work(demand.size() + gauges_.take_work());
    }
    return std::min(most, enough);
}

// A number that two candidates share only if one may stand for the other; 0: nothing is known to be like this one.
std::uint64_t Search::alike(std::uint32_t group, ScopeId outer, ScopeId scope) {
    const std::vector<Place>& places = scopes_[scope].places;
    if (places.size() != 1 || !scopes_.is_nested() || !needs_.groups[group].bound.empty() ||
        needs_.relations.are_wide() || (draft_.limits().exist() && !gauges_.is_untouched(scope))) {
        return 0;
    }
    const bool pins =
        std::ranges::any_of(needs_.groups[0].bound, [&](auto node) { return scopes_.holds(scope, node); });
    if (pins) {
        return 0;  // Some other group may have to come here.
    }
    const model::LevelRef level = places.front().level;
    // Where seats beyond the minimum count, a group that is there already makes a difference by what it may still take.
    const bool extras_count = maximises_seats_ || needs_.has_floors;
    const bool is_taken = extras_count && std::ranges::any_of(draft_.picks(), [&](const PlacedGroup& pick) {
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
    if (draft_.is_decided_by_counting() && !has_deeper) {
        return mix(hash ^ static_cast<std::uint64_t>(gauges_.count() == 0 ? 0 : gauges_.rest(0, places.front())));
    }
    if (!gauges_.is_untouched(scope)) {
        return 0;
    }
    return mix(hash ^ empty_domain_class(scope));
}

// Equal for domains whose nodes are equal one by one, level by level.
std::uint64_t Search::empty_domain_class(ScopeId scope) {
    if (const auto known = classes_.find(scope); known != classes_.end()) {
        return known->second;
    }
    const Place& place = scopes_[scope].places.front();
    const model::Tree& tree = snapshot_.trees[place.level.tree];
    const model::Domain& domain = tree.domains[place.level.depth][place.domain];
    (void)steps_.spend((domain.last - domain.first) / 16);
    steps_.work((domain.last - domain.first) *
                (needs_.sizes.size() * 3 + room_.size() * 2 + scopes_.used_levels().size() * 3));
    // From the nodes up: a domain's number is a sum over its parts, so their order doesn't matter.
    std::vector<std::uint64_t> numbers;
    for (std::uint32_t i = domain.first; i < domain.last; ++i) {
        const model::NodeId node = tree.order[i];
        std::uint64_t number = 7;
        for (std::uint32_t size = 0; size < needs_.sizes.size(); ++size) {
            const std::int64_t limit = needs_.relations.limit(size, node);
            number = mix(
                number ^
                (snapshot_.eligible[needs_.sizes[size]][node] != 0 ? mix(1U + static_cast<std::uint64_t>(limit)) : 0U));
        }
        for (const auto& room : room_) {
            number = mix(number ^ static_cast<std::uint64_t>(room[node]));
        }
        for (const auto& level : scopes_.used_levels()) {  // A node that lacks a level isn't like one that has it.
            number = mix(number ^ (snapshot_.trees[level.tree].domain_of[level.depth][node] == model::nowhere ? 0 : 1));
        }
        numbers.push_back(number);
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
                // The whole number of a part goes to its first node, the others add nothing.
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
    return classes_.emplace(scope, number).first->second;
}

}  // namespace echelon::solver
