// Beyond the minimum: whole children first, then seats, never at the cost of what is already placed (O2).

#include "solver/search/search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace echelon::solver {
namespace {

// Steps for filling as a whole, and for one exact filling.
constexpr std::uint64_t most_steps = 40'000;
constexpr std::uint64_t most_filling_steps = 10'000;
constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

}  // namespace

void Search::fill() {
    const std::uint64_t before = budget_.narrow(most_steps);
    for (std::size_t p = 0; p < plan_.picks().size(); ++p) {  // Grows while children are added.
        const PlacedGroup pick = plan_.picks()[p];
        if (!gang_.groups[pick.group].is_leaf && pick.scope != no_scope) {
            add_children(pick.group, pick.scope);
        }
    }
    fill_exactly();
    budget_.restore_limit(before);
}

void Search::add_children(std::uint32_t group, ScopeId scope) {
    const Goal goal = std::exchange(goal_, Goal::minimum);
    const bool wanted_most = std::exchange(maximises_seats_, false);
    const bool was_filling = std::exchange(is_filling_, true);
    for (const std::uint32_t child : gang_.groups[group].children) {
        if (demand_.groups[child].is_satisfiable && !plan_.has(child)) {
            (void)place_child(child, scope);
        }
    }
    is_filling_ = was_filling;
    goal_ = goal;
    maximises_seats_ = wanted_most;
}

// Adds up to `most` seats to a leaf, small pods first. Returns how many could be packed.
std::int64_t Search::add_seats(std::size_t index, std::int64_t most) {
    const std::uint32_t group = plan_.picks()[index].group;
    if (plan_.picks()[index].scope == no_scope || !gang_.groups[group].is_leaf) {
        return 0;
    }
    if (!gang_.groups[group].multiples.empty()) {
        return add_multiples(plan_.picks()[index], most);
    }
    std::int64_t added = 0;
    for (const std::uint32_t member_class : classes_easiest_first_) {
        const ScopeId scope = plan_.picks()[index].scope;
        std::int64_t above = std::min(most - added, plan_.left(group, member_class));
        above = std::min(above, bounds_.remaining(CapacityBounds::slots_bound(member_class), scope)) + 1;
        std::int64_t fits = 0;  // Seats that were added; `above` seats are assumed not to fit.
        for (std::int64_t step = above - 1; fits + 1 < above; step = (above - fits) / 2) {
            if (plan_.raise(index, member_class, step)) {
                fits += step;
            } else {
                above = fits + step;
            }
        }
        added += fits;
    }
    return added;
}

// Whole multiples only (D13), wherever the scope of the leaf has room for one.
std::int64_t Search::add_multiples(const PlacedGroup& leaf, std::int64_t most) {
    const std::uint32_t member_class = multiple_class(leaf.group);
    if (member_class == model::nowhere || leaf.count() > 0) {
        return 0;  // The pick is one multiple; a separate pick of the leaf, without seats, adds multiples.
    }
    const auto& [level, multiple] = gang_.groups[leaf.group].multiples.front();
    std::vector<std::int64_t> seats(demand_.classes.size(), 0);
    seats[member_class] = multiple;
    const std::uint32_t group = leaf.group;
    std::int64_t added = 0;
    for (const ScopeId scope : scopes_.inside(level, leaf.scope)) {
        while (added < most && plan_.left(group, member_class) >= multiple && plan_.add(group, scope, seats)) {
            added += multiple;
        }
    }
    return added;
}

// A floor counts pods of the whole subtree. Adds extra seats first, then extra children. True: the floor is met.
bool Search::meet_floor(std::uint32_t group) {
    const auto lacking = [&] {
        budget_.charge(plan_.picks().size() * (8 + demand_.classes.size()));
        return gang_.groups[group].floor - demand_.groups[group].counting - plan_.seats_below(group);
    };
    const auto is_below = [&](std::uint32_t other) {
        while (other != group && other != model::nowhere) {
            other = gang_.groups[other].parent;
        }
        return other == group;
    };
    for (const bool with_children : {false, true}) {
        for (std::size_t p = 0; p < plan_.picks().size() && lacking() > 0; ++p) {
            const PlacedGroup pick = plan_.picks()[p];
            if (!is_below(pick.group)) {
                continue;
            }
            if (with_children && !gang_.groups[pick.group].is_leaf && pick.scope != no_scope) {
                add_children(pick.group, pick.scope);
            }
            add_seats(p, lacking());
        }
    }
    return lacking() <= 0;
}

bool Search::meet_floors() {
    for (std::size_t g = gang_.groups.size(); g-- > 0;) {  // Children before parents.
        const auto group = static_cast<std::uint32_t>(g);
        if (gang_.groups[g].is_leaf || gang_.groups[g].floor <= 0 || !plan_.has(group)) {
            continue;
        }
        if (!meet_floor(group)) {
            is_truncated_ = is_truncated_ || !plan_.is_decided_by_counting();
            return false;
        }
    }
    return true;
}

// Adds as many seats as the chosen scopes can hold. If counting alone decides, every order gives the same number; else
// all are tried.
void Search::fill_exactly() {
    if (plan_.is_decided_by_counting()) {
        for (std::size_t p = 0; p < plan_.picks().size(); ++p) {
            add_seats(p, no_limit);
        }
        return;
    }
    extras_.clear();
    for (const std::uint32_t member_class : classes_easiest_first_) {
        for (std::size_t p = 0; p < plan_.picks().size(); ++p) {
            const PlacedGroup& pick = plan_.picks()[p];
            if (!gang_.groups[pick.group].is_leaf || pick.scope == no_scope ||
                !gang_.groups[pick.group].multiples.empty()) {
                continue;
            }
            const std::int64_t left = plan_.left(pick.group, member_class);
            const std::int64_t most =
                std::min(left, bounds_.remaining(CapacityBounds::slots_bound(member_class), pick.scope));
            if (most > 0) {
                extras_.push_back({.pick = p, .member_class = member_class, .most = most});
            }
        }
    }
    filled_ = plan_.picks();
    filled_seats_ = plan_.seats();
    const std::uint64_t before = budget_.narrow(most_filling_steps);
    fill_from(0);
    budget_.restore_limit(before);
    plan_.restore(filled_);
    for (std::size_t p = 0; p < plan_.picks().size(); ++p) {  // Multiples, and whatever the budget left out.
        add_seats(p, no_limit);
    }
}

void Search::fill_from(std::size_t at) {
    if (plan_.seats() > filled_seats_) {
        filled_seats_ = plan_.seats();
        filled_ = plan_.picks();
        budget_.charge(filled_.size() * (16 + demand_.classes.size()));
    }
    budget_.charge(extras_.size() + bounds_.take_work());
    std::int64_t most = plan_.seats();
    for (std::size_t e = at; e < extras_.size(); ++e) {
        most += extras_[e].most;
    }
    if (at == extras_.size() || most <= filled_seats_) {
        return;
    }
    const Extra extra = extras_[at];
    for (std::int64_t count = extra.most; count >= 0; --count) {
        if (!budget_.spend(1)) {
            return;
        }
        if (count > 0 && !plan_.raise(extra.pick, extra.member_class, count)) {
            continue;
        }
        fill_from(at + 1);
        if (count > 0) {
            plan_.lower(extra.pick, extra.member_class, count);
        }
    }
}

}  // namespace echelon::solver
