// What a search by order alone doesn't find in time (W5): groups are placed one after another, and one that finds no
// room takes the place of others, which then look for another. A group that was hard to place is moved less and less.

#include "solver/search/search.hpp"
#include "solver/search/search_obligation.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace echelon::solver {
namespace {

// Of the groups that stand in one scope so many may make room at once, chosen among so many.
constexpr std::size_t most_ejected = 3;
constexpr std::size_t most_standing = 8;

// Of the domains that the whole gang may have to be in, so many share the steps.
constexpr std::size_t most_outer_scopes = 4;

// Placing one group; a composite is a search of its own.
constexpr std::uint64_t most_placing_steps = 1'000;

// So often for each of its children the children of a composite may find no room before it goes elsewhere.
constexpr std::int64_t patience = 4;

// After so many setbacks less one, all as a whole, a composite is placed by moving single groups.
constexpr std::int64_t whole_in_a_row = 6;

}  // namespace

struct Search::RepairState {
    std::vector<ScopeId> where;                 // [group] as in the draft; none: not there, or nowhere.
    std::vector<std::int64_t> lacking;          // [group] children that it still asks for.
    std::vector<std::uint64_t> since;           // [group] who became homeless last is placed next.
    std::vector<std::int64_t> weight;           // [group] what it takes, and how often it found no room.
    std::vector<std::int64_t> setbacks;         // [group] how often it found no room.
    std::vector<std::int64_t> failed_children;  // [composite] how often its children found none.
    std::map<std::pair<std::uint32_t, ScopeId>, std::int64_t> left;  // How often a composite left a scope.
    std::unordered_map<std::uint64_t, std::int64_t> draws;           // How often the draft was this one.
    std::uint64_t now = 0;
};

struct Search::Ejection {
    ScopeId scope = no_scope;  // None: not known yet.
    std::int64_t draws = 0;    // Of the draft that it leads to: going in circles is the worst of all.
    std::int64_t weight = 0;
    std::vector<std::uint32_t> groups;

    [[nodiscard]] bool is_better(const Ejection& than) const {
        return than.scope == no_scope || std::tie(draws, weight) < std::tie(than.draws, than.weight);
    }
};

bool Search::repair(std::uint64_t most_steps) {
    if (needs_.has_floors || gang_.groups[0].is_leaf) {  // Floors are met by seats that no group asks for.
        return false;
    }
    const std::uint64_t before = steps_.narrow(most_steps);
    const bool was_truncated = is_truncated_;
    draft_.clear();
    refuted_scopes_.clear();
    failed_.clear();
    order_children();
    std::vector<Ranked> ranked = rank(0, everywhere);
    std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) { return is_better(a, b); });
    ranked.resize(std::min(ranked.size(), most_outer_scopes));
    bool found = false;
    for (std::size_t r = 0; r < ranked.size() && !found; ++r) {
        const std::uint64_t limit = steps_.narrow(steps_.left() / (ranked.size() - r));
        draft_.clear();
        found = draft_.add(0, ranked[r].scope, {}) && repair_in();
        steps_.restore_limit(limit);
    }
    is_truncated_ = was_truncated;
    steps_.restore_limit(before);
    return found;
}

// True once every group that is in the draft has enough children.
bool Search::repair_in() {
    RepairState mending;
    mending.since.assign(gang_.groups.size(), 0);
    mending.failed_children.assign(gang_.groups.size(), 0);
    mending.setbacks.assign(gang_.groups.size(), 0);
    mending.weight.assign(gang_.groups.size(), 1);
    for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
        const std::span<const std::int64_t> demand = least(ask_, g);
        mending.weight[g] += demand.empty() ? 0 : std::ranges::max(demand);
    }
    queue_children(mending, 0);
    for (std::uint32_t next = next_unplaced(mending); next != 0; next = next_unplaced(mending)) {
        if (!house(mending, next)) {
            return false;
        }
        ++mending.draws[draft_.hash()];
    }
    return !steps_.is_over();
}

// Children are placed after their parent, in the order of the search.
void Search::queue_children(RepairState& mending, std::uint32_t group) const {
    const std::vector<std::uint32_t>& order = order_[group];
    for (std::size_t i = order.size(); i-- > 0;) {
        mending.since[order[i]] = ++mending.now;
    }
}

// The group to be placed next; 0: there is none, or no budget.
std::uint32_t Search::next_unplaced(RepairState& mending) {
    steps_.work(gang_.groups.size() * 8 + draft_.picks().size() * 4);
    mending.where.assign(gang_.groups.size(), no_scope);
    mending.lacking.assign(gang_.groups.size(), 0);
    for (const PlacedGroup& pick : draft_.picks()) {
        mending.where[pick.group] = pick.scope;
        if (!gang_.groups[pick.group].is_leaf && pick.scope != no_scope) {
            mending.lacking[pick.group] += wanted_children(pick.group);
        }
    }
    for (std::uint32_t g = 1; g < gang_.groups.size(); ++g) {
        mending.lacking[gang_.groups[g].parent] -= draft_.has(g) ? 1 : 0;
    }
    std::uint32_t next = 0;
    for (std::uint32_t g = 1; g < gang_.groups.size(); ++g) {
        if (needs_.groups[g].is_satisfiable && !draft_.has(g) && mending.lacking[gang_.groups[g].parent] > 0 &&
            (next == 0 || mending.since[g] > mending.since[next])) {
            next = g;
        }
    }
    return next;
}

// Places a group, whatever has to go for it; false: there is no way, or no budget.
bool Search::house(RepairState& mending, std::uint32_t group) {
    const std::uint32_t parent = gang_.groups[group].parent;
    const ScopeId outer = mending.where[parent];
    const Cell cell(Cell::Kind::place, group, outer, 0, 0, nullptr);
    const std::uint64_t before = steps_.narrow(most_placing_steps);
    const bool has_room = steps_.spend(1 + gang_.groups.size() / 64) && step(&cell);
    steps_.restore_limit(before);
    if (has_room) {
        return true;
    }
    if (steps_.is_over()) {
        return false;
    }
    ++mending.weight[group];
    ++mending.setbacks[group];
    if (++mending.failed_children[parent] > patience * std::ssize(order_[parent]) && parent != 0 &&
        scopes_.candidates(parent, mending.where[gang_.groups[parent].parent]).size() > 1) {
        ++mending.left[{parent, outer}];
        eject(mending, parent);
        return true;
    }
    if (gang_.groups[group].is_leaf) {
        return place_by_ejecting(mending, group);
    }
    // Whole in the place of others mostly; in between by moving single groups, which is finer, and takes longer.
    const bool may_go_elsewhere = scopes_.candidates(group, outer).size() > 1;
    if (may_go_elsewhere && mending.setbacks[group] % whole_in_a_row != 0) {
        return place_by_ejecting(mending, group) || place_without_children(mending, group);
    }
    return place_without_children(mending, group) || place_by_ejecting(mending, group);
}

void Search::eject(RepairState& mending, std::uint32_t group) {
    (void)draft_.take_out(group);
    mending.since[group] = ++mending.now;
    mending.failed_children[group] = 0;
}

// A composite without its children, which follow, where they have room by counting. It rather goes where it hasn't
// been.
bool Search::place_without_children(RepairState& mending, std::uint32_t group) {
    std::vector<Ranked> ranked = rank(group, mending.where[gang_.groups[group].parent]);
    const auto times_left = [&](const Ranked& r) {
        const auto known = mending.left.find({group, r.scope});
        return known == mending.left.end() ? 0 : known->second;
    };
    const auto best = std::ranges::min_element(ranked, [&](const Ranked& a, const Ranked& b) {
        return times_left(a) != times_left(b) ? times_left(a) < times_left(b) : a.rest.back() > b.rest.back();
    });
    if (best == ranked.end() || !draft_.add(group, best->scope, {})) {
        return false;
    }
    queue_children(mending, group);
    return true;
}

// A group in one of its scopes; false, and unchanged, if it can't be there.
bool Search::put(std::uint32_t group, ScopeId outer, ScopeId scope) {
    if (!steps_.spend(1 + draft_.picks().size() / 64)) {
        return false;
    }
    steps_.work(gauges_.take_work() + draft_.picks().size() * (4 + needs_.sizes.size()));
    const std::uint64_t before = steps_.narrow(most_placing_steps);
    const Cell cell(Cell::Kind::place, group, outer, 0, 0, nullptr);
    const bool found = gang_.groups[group].is_leaf ? place_leaf(cell, scope) : place_composite(cell, scope);
    steps_.restore_limit(before);
    return found;
}

// Places a group where the least makes room for it.
bool Search::place_by_ejecting(RepairState& mending, std::uint32_t group) {
    const ScopeId outer = mending.where[gang_.groups[group].parent];
    const std::vector<ScopeId>& candidates = scopes_.candidates(group, outer);
    (void)steps_.spend(candidates.size() / 32);
    Ejection best;
    for (const ScopeId scope : candidates) {
        if (steps_.left() == 0) {
            break;
        }
        rank_ejections(mending, group, scope, best);
    }
    if (best.scope == no_scope) {
        return false;
    }
    for (const std::uint32_t other : best.groups) {
        eject(mending, other);
    }
    queue_children(mending, group);
    return put(group, outer, best.scope);
}

void Search::rank_ejections(const RepairState& mending, std::uint32_t group, ScopeId scope, Ejection& best) {
    (void)steps_.spend(draft_.picks().size() / 64);
    const std::vector<std::uint32_t> standing = groups_in(mending, group, scope);
    steps_.work(draft_.picks().size() * (16 + 4 * standing.size()));
    for (std::uint32_t set = 1; set < 1U << standing.size() && steps_.left() > 0; ++set) {
        steps_.work(48);
        Ejection tried{.scope = scope, .draws = 0, .weight = 0, .groups = {}};
        for (std::uint32_t i = 0; i < standing.size(); ++i) {
            if ((set >> i & 1U) != 0) {
                tried.groups.push_back(standing[i]);
                tried.weight += mending.weight[standing[i]];
            }
        }
        if (tried.groups.size() <= most_ejected && tried.is_better(best)) {
            try_ejection(mending, group, std::move(tried), best);
        }
    }
}

// The groups that would make room in a scope, light ones first: each the widest one that is inside it.
std::vector<std::uint32_t> Search::groups_in(const RepairState& mending, std::uint32_t group, ScopeId scope) const {
    const auto is_inside = [&](ScopeId inner) {
        return std::ranges::all_of(scopes_[scope].places, [&](const Place& place) {
            return std::ranges::find(scopes_[inner].within, place) != scopes_[inner].within.end();
        });
    };
    const auto is_around = [&](std::uint32_t above) {
        std::uint32_t at = group;
        while (at != above && at != model::nowhere) {
            at = gang_.groups[at].parent;
        }
        return at == above;
    };
    std::vector<std::uint32_t> standing;
    for (const PlacedGroup& pick : draft_.picks()) {
        if (pick.count() == 0 || !scopes_.may_overlap(pick.scope, scope)) {
            continue;
        }
        std::uint32_t widest = pick.group;
        for (std::uint32_t above = gang_.groups[widest].parent;
             above != model::nowhere && is_inside(mending.where[above]) && !is_around(above);
             above = gang_.groups[above].parent) {
            widest = above;
        }
        if (std::ranges::find(standing, widest) == standing.end()) {
            standing.push_back(widest);
        }
    }
    std::ranges::stable_sort(standing, {}, [&](std::uint32_t other) { return mending.weight[other]; });
    standing.resize(std::min(standing.size(), most_standing));
    return standing;
}

// Would the group fit without those others? The draft is as before afterwards.
void Search::try_ejection(const RepairState& mending, std::uint32_t group, Ejection tried, Ejection& best) {
    (void)steps_.spend(tried.groups.size() * draft_.picks().size() / 64);
    std::vector<std::vector<PlacedGroup>> taken;
    taken.reserve(tried.groups.size());
    for (const std::uint32_t other : tried.groups) {
        taken.push_back(draft_.take_out(other));
    }
    if (put(group, mending.where[gang_.groups[group].parent], tried.scope)) {
        const auto known = mending.draws.find(draft_.hash());
        tried.draws = known == mending.draws.end() ? 0 : known->second;
        if (tried.is_better(best)) {
            best = std::move(tried);
        }
        (void)draft_.take_out(group);
    }
    for (std::vector<PlacedGroup>& picks : taken) {
        draft_.put_back(std::move(picks));
    }
}

}  // namespace echelon::solver
