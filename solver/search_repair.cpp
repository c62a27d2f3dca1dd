// What a search by order alone doesn't find in time: children are placed one after another, and one that finds no room
// takes the place of others, which then look for another (W5). Who was hard to place is moved less and less.

#include "solver/search.hpp"
#include "solver/search_cell.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace echelon::solver {
namespace {

// Of the children that stand in one scope so many may make room at once, chosen among so many.
constexpr std::size_t most_ejected = 3;
constexpr std::size_t most_standing = 8;

// Of the domains that a whole crowd may have to be in, so many share the steps.
constexpr std::size_t most_outer_scopes = 4;

// Placing one child; a composite is a search of its own, and the next child may be easier to move.
constexpr std::uint64_t most_placing_steps = 1'000;

}  // namespace

struct Search::Crowd {
    std::uint32_t group = 0;
    ScopeId scope = everywhere;
    std::int64_t wanted = 0;
    std::int64_t placed = 0;
    std::vector<std::uint32_t> homeless;                    // Who is placed next stands last.
    std::vector<std::int64_t> weight;                       // [group] what it takes, and how often it found no room.
    std::unordered_map<std::uint64_t, std::int64_t> draws;  // How often the draft was this one.
};

struct Search::Ejection {
    ScopeId scope = no_scope;  // None: not known yet.
    std::int64_t draws = 0;    // Of the draft that it leads to: going in circles is the worst of all.
    std::int64_t weight = 0;
    std::vector<std::uint32_t> children;

    [[nodiscard]] bool is_better(const Ejection& than) const {
        return than.scope == no_scope || std::tie(draws, weight) < std::tie(than.draws, than.weight);
    }
};

bool Search::repair(std::uint64_t most_steps) {
    if (needs_.has_floors) {  // They are met by seats that no child asks for.
        return false;
    }
    const std::uint64_t before = steps_.narrow(most_steps);
    const bool was_truncated = is_truncated_;
    draft_.clear();
    refuted_.clear();
    failed_.clear();
    order_children();
    const bool found = repair_below(0, everywhere);
    is_truncated_ = was_truncated;
    steps_.widen(before);
    return found;
}

// One domain after another around the whole crowd, each with an equal share of the steps.
bool Search::repair_below(std::uint32_t group, ScopeId outer) {
    if (gang_.groups[group].is_leaf) {
        return false;
    }
    std::vector<Ranked> ranked = rank(group, outer);
    std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) { return is_better(a, b); });
    ranked.resize(std::min(ranked.size(), most_outer_scopes));
    const std::vector<std::uint32_t>& children = order_[group];
    for (std::size_t r = 0; r < ranked.size(); ++r) {
        const std::uint64_t before = steps_.narrow(steps_.left() / (ranked.size() - r));
        bool found = false;
        if (draft_.add(group, ranked[r].scope, {})) {
            if (children.size() == 1) {
                found = repair_below(children.front(), ranked[r].scope);
            } else {
                Crowd crowd{.group = group,
                            .scope = ranked[r].scope,
                            .wanted = wanted_children(group),
                            .placed = 0,
                            .homeless = {children.rbegin(), children.rend()},
                            .weight = std::vector<std::int64_t>(gang_.groups.size(), 1),
                            .draws = {}};
                for (const std::uint32_t child : children) {
                    const std::span<const std::int64_t> demand = least(ask_, child);
                    crowd.weight[child] += demand.empty() ? 0 : std::ranges::max(demand);
                }
                found = mend(crowd);
            }
            if (!found) {
                (void)draft_.take_out(group);
            }
        }
        steps_.widen(before);
        if (found) {
            return true;
        }
    }
    return false;
}

// True once enough children are placed.
bool Search::mend(Crowd& crowd) {
    while (crowd.placed < crowd.wanted) {
        if (crowd.homeless.empty() || steps_.is_over()) {
            return false;
        }
        const std::uint32_t child = crowd.homeless.back();
        crowd.homeless.pop_back();
        const Cell cell(Cell::Kind::place, child, crowd.scope, 0, 0, nullptr);
        const std::uint64_t before = steps_.narrow(most_placing_steps);
        const bool has_room = step(&cell);
        steps_.widen(before);
        if (!has_room) {
            ++crowd.weight[child];
            if (!eject_for(crowd, child)) {
                return false;
            }
        }
        ++crowd.placed;
        ++crowd.draws[draft_.hash()];
    }
    return true;
}

// A child in one of its scopes, as the draft is; false, and unchanged, if it can't be there.
bool Search::put(const Crowd& crowd, std::uint32_t child, ScopeId scope) {
    const std::uint64_t before = steps_.narrow(most_placing_steps);
    const Cell cell(Cell::Kind::place, child, crowd.scope, 0, 0, nullptr);
    const bool found = steps_.spend(1 + draft_.picks().size() / 64) &&
                       (gang_.groups[child].is_leaf ? place_leaf(cell, scope) : place_composite(cell, scope));
    steps_.widen(before);
    return found;
}

// Places a child where the least makes room for it.
bool Search::eject_for(Crowd& crowd, std::uint32_t child) {
    Ejection best;
    const std::vector<ScopeId>& candidates = scopes_.candidates(child, crowd.scope);
    (void)steps_.spend(candidates.size() / 32);
    for (const ScopeId scope : candidates) {
        weigh_ejections(crowd, child, scope, best);
    }
    if (best.scope == no_scope) {
        return false;
    }
    for (const std::uint32_t other : best.children) {
        (void)draft_.take_out(other);
        crowd.homeless.push_back(other);
        --crowd.placed;
    }
    return put(crowd, child, best.scope);
}

void Search::weigh_ejections(const Crowd& crowd, std::uint32_t child, ScopeId scope, Ejection& best) {
    const std::vector<std::uint32_t> standing = standing_in(crowd, scope);
    for (std::uint32_t set = 1; set < 1U << standing.size() && steps_.left() > 0; ++set) {
        Ejection tried{.scope = scope, .draws = 0, .weight = 0, .children = {}};
        for (std::uint32_t i = 0; i < standing.size(); ++i) {
            if ((set >> i & 1U) != 0) {
                tried.children.push_back(standing[i]);
                tried.weight += crowd.weight[standing[i]];
            }
        }
        if (tried.children.size() <= most_ejected && tried.is_better(best)) {
            try_ejection(crowd, child, std::move(tried), best);
        }
    }
}

// The children that stand in a scope, light ones first.
std::vector<std::uint32_t> Search::standing_in(const Crowd& crowd, ScopeId scope) const {
    std::vector<std::uint32_t> standing;
    for (const Pick& pick : draft_.picks()) {
        if (pick.count() == 0 || !scopes_.may_overlap(pick.scope, scope)) {
            continue;
        }
        std::uint32_t child = pick.group;
        while (gang_.groups[child].parent != crowd.group) {
            child = gang_.groups[child].parent;
        }
        if (std::ranges::find(standing, child) == standing.end()) {
            standing.push_back(child);
        }
    }
    std::ranges::stable_sort(standing, {}, [&](std::uint32_t child) { return crowd.weight[child]; });
    standing.resize(std::min(standing.size(), most_standing));
    return standing;
}

// Would the child fit without those others? The draft is as before afterwards.
void Search::try_ejection(const Crowd& crowd, std::uint32_t child, Ejection tried, Ejection& best) {
    std::vector<std::vector<Pick>> taken;
    for (const std::uint32_t other : tried.children) {
        taken.push_back(draft_.take_out(other));
    }
    if (put(crowd, child, tried.scope)) {
        const auto known = crowd.draws.find(draft_.hash());
        tried.draws = known == crowd.draws.end() ? 0 : known->second;
        if (tried.is_better(best)) {
            best = std::move(tried);
        }
        (void)draft_.take_out(child);
    }
    for (std::vector<Pick>& picks : taken) {
        draft_.put_back(std::move(picks));
    }
}

}  // namespace echelon::solver
