// Repair (W5): groups are placed one after another. A group without room ejects others, which are then placed
// elsewhere. The more often a group found no room, the less it is moved.

#include "solver/search/search.hpp"
#include "solver/search/search_obligation.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace echelon::solver {
namespace {

// The most groups that are ejected from a scope at once, and the most of which they are chosen.
constexpr std::size_t most_ejected = 3;
constexpr std::size_t most_occupants = 8;

// How many scopes of the root are tried; they share the steps.
constexpr std::size_t most_outer_scopes = 4;

// Steps for placing one group. A composite is placed by a separate search.
constexpr std::uint64_t most_placing_steps = 1'000;

// After this many failures per child, a composite is moved to another scope.
constexpr std::int64_t most_failures_per_child = 4;

// Every sixth time, a composite is placed without its children, which then eject single groups.
constexpr std::int64_t whole_attempts = 6;

}  // namespace

struct Search::RepairState {
    std::vector<ScopeId> where;                 // [group] its scope in the partial plan; no_scope: it is not placed.
    std::vector<std::int64_t> lacking;          // [group] children that it still asks for.
    std::vector<std::uint64_t> queued_at;       // [group] the last one queued is placed next.
    std::vector<std::int64_t> weight;           // [group] its size plus `failures`.
    std::vector<std::int64_t> failures;         // [group] how often it found no room.
    std::vector<std::int64_t> failed_children;  // [composite] how often its children found none.
    std::map<std::pair<std::uint32_t, ScopeId>, std::int64_t> times_left;  // How often a composite left a scope.
    std::unordered_map<std::uint64_t, std::int64_t> visits;  // By hash: how often the partial plan was this one.
    std::uint64_t now = 0;
};

struct Search::Ejection {
    ScopeId scope = no_scope;  // no_scope: none found yet.
    std::int64_t visits = 0;   // Of the partial plan that it leads to: going in circles is worst.
    std::int64_t weight = 0;
    std::vector<std::uint32_t> groups;

    [[nodiscard]] bool is_better(const Ejection& than) const {
        return than.scope == no_scope || std::tie(visits, weight) < std::tie(than.visits, than.weight);
    }
};

bool Search::repair(std::uint64_t most_steps) {
    if (demand_.has_floors || gang_.groups[0].is_leaf) {  // Floors are met by seats that no group asks for.
        return false;
    }
    const std::uint64_t before = budget_.narrow(most_steps);
    const bool was_truncated = is_truncated_;
    plan_.clear();
    refuted_scopes_.clear();
    failed_.clear();
    order_children();
    std::vector<Ranked> ranked = rank(0, everywhere);
    std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) { return is_better(a, b); });
    ranked.resize(std::min(ranked.size(), most_outer_scopes));
    bool found = false;
    for (std::size_t r = 0; r < ranked.size() && !found; ++r) {
        const std::uint64_t limit = budget_.narrow(budget_.left() / (ranked.size() - r));
        plan_.clear();
        found = plan_.add(0, ranked[r].scope, {}) && repair_in();
        budget_.restore_limit(limit);
    }
    is_truncated_ = was_truncated;
    budget_.restore_limit(before);
    return found;
}

// True once every group that is in the partial plan has enough children.
bool Search::repair_in() {
    RepairState state;
    state.queued_at.assign(gang_.groups.size(), 0);
    state.failed_children.assign(gang_.groups.size(), 0);
    state.failures.assign(gang_.groups.size(), 0);
    state.weight.assign(gang_.groups.size(), 1);
    for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
        const std::span<const std::int64_t> amounts = least(goal_, g);
        state.weight[g] += amounts.empty() ? 0 : std::ranges::max(amounts);
    }
    queue_children(state, 0);
    for (std::uint32_t next = next_unplaced(state); next != 0; next = next_unplaced(state)) {
        if (!place_or_eject(state, next)) {
            return false;
        }
        ++state.visits[plan_.hash()];
    }
    return !budget_.is_over();
}

// Children are placed after their parent, in the order of the search.
void Search::queue_children(RepairState& state, std::uint32_t group) const {
    const std::vector<std::uint32_t>& order = order_[group];
    for (std::size_t i = order.size(); i-- > 0;) {
        state.queued_at[order[i]] = ++state.now;
    }
}

// The group to be placed next; 0: none.
std::uint32_t Search::next_unplaced(RepairState& state) {
    budget_.charge(gang_.groups.size() * 8 + plan_.picks().size() * 4);
    state.where.assign(gang_.groups.size(), no_scope);
    state.lacking.assign(gang_.groups.size(), 0);
    for (const PlacedGroup& pick : plan_.picks()) {
        state.where[pick.group] = pick.scope;
        if (!gang_.groups[pick.group].is_leaf && pick.scope != no_scope) {
            state.lacking[pick.group] += wanted_children(pick.group);
        }
    }
    for (std::uint32_t g = 1; g < gang_.groups.size(); ++g) {
        state.lacking[gang_.groups[g].parent] -= plan_.has(g) ? 1 : 0;
    }
    std::uint32_t next = 0;
    for (std::uint32_t g = 1; g < gang_.groups.size(); ++g) {
        if (demand_.groups[g].is_satisfiable && !plan_.has(g) && state.lacking[gang_.groups[g].parent] > 0 &&
            (next == 0 || state.queued_at[g] > state.queued_at[next])) {
            next = g;
        }
    }
    return next;
}

// Places a group, or ejects others for it. False if there is no way, or no budget.
bool Search::place_or_eject(RepairState& state, std::uint32_t group) {
    const std::uint32_t parent = gang_.groups[group].parent;
    const ScopeId outer = state.where[parent];
    const Obligation obligation(Obligation::Kind::place, group, outer, 0, 0, nullptr);
    const std::uint64_t before = budget_.narrow(most_placing_steps);
    const bool has_room = budget_.spend(1 + gang_.groups.size() / 64) && step(&obligation);
    budget_.restore_limit(before);
    if (has_room) {
        return true;
    }
    if (budget_.is_over()) {
        return false;
    }
    ++state.weight[group];
    ++state.failures[group];
    if (++state.failed_children[parent] > most_failures_per_child * std::ssize(order_[parent]) && parent != 0 &&
        scopes_.candidates(parent, state.where[gang_.groups[parent].parent]).size() > 1) {
        ++state.times_left[{parent, outer}];
        eject(state, parent);
        return true;
    }
    if (gang_.groups[group].is_leaf) {
        return place_by_ejecting(state, group);
    }
    // Usually a composite as a whole ejects others. Now and then its children do, which is finer and takes longer.
    const bool may_go_elsewhere = scopes_.candidates(group, outer).size() > 1;
    if (may_go_elsewhere && state.failures[group] % whole_attempts != 0) {
        return place_by_ejecting(state, group) || place_without_children(state, group);
    }
    return place_without_children(state, group) || place_by_ejecting(state, group);
}

void Search::eject(RepairState& state, std::uint32_t group) {
    (void)plan_.take_out(group);
    state.queued_at[group] = ++state.now;
    state.failed_children[group] = 0;
}

// Places a composite without its children, which are placed next. Prefers the scope that it has left least often.
bool Search::place_without_children(RepairState& state, std::uint32_t group) {
    std::vector<Ranked> ranked = rank(group, state.where[gang_.groups[group].parent]);
    const auto times_left_of = [&](const Ranked& r) {
        const auto known = state.times_left.find({group, r.scope});
        return known == state.times_left.end() ? 0 : known->second;
    };
    const auto best = std::ranges::min_element(ranked, [&](const Ranked& a, const Ranked& b) {
        return times_left_of(a) != times_left_of(b) ? times_left_of(a) < times_left_of(b)
                                                    : a.remaining.back() > b.remaining.back();
    });
    if (best == ranked.end() || !plan_.add(group, best->scope, {})) {
        return false;
    }
    queue_children(state, group);
    return true;
}

// Places a group in this scope. False, and nothing changes, if it doesn't fit.
bool Search::place_in(std::uint32_t group, ScopeId outer, ScopeId scope) {
    if (!budget_.spend(1 + plan_.picks().size() / 64)) {
        return false;
    }
    budget_.charge(bounds_.take_work() + plan_.picks().size() * (4 + demand_.classes.size()));
    const std::uint64_t before = budget_.narrow(most_placing_steps);
    const Obligation obligation(Obligation::Kind::place, group, outer, 0, 0, nullptr);
    const bool found = gang_.groups[group].is_leaf ? place_leaf(obligation, scope) : place_composite(obligation, scope);
    budget_.restore_limit(before);
    return found;
}

// Places a group where the ejected groups weigh least.
bool Search::place_by_ejecting(RepairState& state, std::uint32_t group) {
    const ScopeId outer = state.where[gang_.groups[group].parent];
    const std::vector<ScopeId>& candidates = scopes_.candidates(group, outer);
    (void)budget_.spend(candidates.size() / 32);
    Ejection best;
    for (const ScopeId scope : candidates) {
        if (budget_.left() == 0) {
            break;
        }
        rank_ejections(state, group, scope, best);
    }
    if (best.scope == no_scope) {
        return false;
    }
    for (const std::uint32_t other : best.groups) {
        eject(state, other);
    }
    queue_children(state, group);
    return place_in(group, outer, best.scope);
}

void Search::rank_ejections(const RepairState& state, std::uint32_t group, ScopeId scope, Ejection& best) {
    (void)budget_.spend(plan_.picks().size() / 64);
    const std::vector<std::uint32_t> occupants = groups_in(state, group, scope);
    budget_.charge(plan_.picks().size() * (16 + 4 * occupants.size()));
    for (std::uint32_t set = 1; set < 1U << occupants.size() && budget_.left() > 0; ++set) {
        budget_.charge(48);
        Ejection tried{.scope = scope, .visits = 0, .weight = 0, .groups = {}};
        for (std::uint32_t i = 0; i < occupants.size(); ++i) {
            if ((set >> i & 1U) != 0) {
                tried.groups.push_back(occupants[i]);
                tried.weight += state.weight[occupants[i]];
            }
        }
        if (tried.groups.size() <= most_ejected && tried.is_better(best)) {
            try_ejection(state, group, std::move(tried), best);
        }
    }
}

// The groups that may be ejected from a scope, light ones first. Each is the widest group that lies inside the scope.
std::vector<std::uint32_t> Search::groups_in(const RepairState& state, std::uint32_t group, ScopeId scope) const {
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
    std::vector<std::uint32_t> occupants;
    for (const PlacedGroup& pick : plan_.picks()) {
        if (pick.count() == 0 || !scopes_.may_overlap(pick.scope, scope)) {
            continue;
        }
        std::uint32_t widest = pick.group;
        for (std::uint32_t above = gang_.groups[widest].parent;
             above != model::nowhere && is_inside(state.where[above]) && !is_around(above);
             above = gang_.groups[above].parent) {
            widest = above;
        }
        if (std::ranges::find(occupants, widest) == occupants.end()) {
            occupants.push_back(widest);
        }
    }
    std::ranges::stable_sort(occupants, {}, [&](std::uint32_t other) { return state.weight[other]; });
    occupants.resize(std::min(occupants.size(), most_occupants));
    return occupants;
}

// Tries an ejection, and keeps it as `best` if it is better. The partial plan is as before afterwards.
void Search::try_ejection(const RepairState& state, std::uint32_t group, Ejection tried, Ejection& best) {
    (void)budget_.spend(tried.groups.size() * plan_.picks().size() / 64);
    std::vector<std::vector<PlacedGroup>> taken;
    taken.reserve(tried.groups.size());
    for (const std::uint32_t other : tried.groups) {
        taken.push_back(plan_.take_out(other));
    }
    if (place_in(group, state.where[gang_.groups[group].parent], tried.scope)) {
        const auto known = state.visits.find(plan_.hash());
        tried.visits = known == state.visits.end() ? 0 : known->second;
        if (tried.is_better(best)) {
            best = std::move(tried);
        }
        (void)plan_.take_out(group);
    }
    for (std::vector<PlacedGroup>& picks : taken) {
        plan_.put_back(std::move(picks));
    }
}

}  // namespace echelon::solver
