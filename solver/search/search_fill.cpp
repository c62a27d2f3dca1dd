// Beyond the minimum: whole children first, then seats, never at the cost of what is already placed (O2).

#include "solver/search/search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace echelon::solver {
namespace {

// What filling may cost as a whole, and one exact filling.
constexpr std::uint64_t most_steps = 40'000;
constexpr std::uint64_t most_filling_steps = 10'000;
constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

}  // namespace

void Search::fill() {
    const std::uint64_t before = steps_.narrow(most_steps);
    for (std::size_t p = 0; p < draft_.picks().size(); ++p) {  // Grows while children are added.
        const PlacedGroup pick = draft_.picks()[p];
        if (!gang_.groups[pick.group].is_leaf && pick.scope != no_scope) {
            add_children(pick.group, pick.scope);
        }
    }
    fill_exactly();
    steps_.restore_limit(before);
}

void Search::add_children(std::uint32_t group, ScopeId scope) {
    const Goal asked = std::exchange(ask_, Goal::minimum);
    const bool wanted_most = std::exchange(maximises_seats_, false);
    const bool was_filling = std::exchange(is_filling_, true);
    for (const std::uint32_t child : gang_.groups[group].children) {
        if (needs_.groups[child].is_satisfiable && !draft_.has(child)) {
            (void)place_child(child, scope);
        }
    }
    is_filling_ = was_filling;
    ask_ = asked;
    maximises_seats_ = wanted_most;
}

// Up to `most` seats more for a leaf, small pods first; as many as can be packed. Returns how many.
std::int64_t Search::add_seats(std::size_t index, std::int64_t most) {
    const std::uint32_t group = draft_.picks()[index].group;
    if (draft_.picks()[index].scope == no_scope || !gang_.groups[group].is_leaf) {
        return 0;
    }
    if (!gang_.groups[group].multiples.empty()) {
        return add_multiples(draft_.picks()[index], most);
    }
    std::int64_t added = 0;
    for (const std::uint32_t size : classes_easiest_first_) {
        const ScopeId scope = draft_.picks()[index].scope;
        std::int64_t above = std::min(most - added, draft_.left(group, size));
        above = std::min(above, gauges_.rest(CapacityBounds::slots_bound(size), scope)) + 1;
        std::int64_t fits = 0;  // Known to fit, in the draft; `above` is known or taken not to.
        for (std::int64_t step = above - 1; fits + 1 < above; step = (above - fits) / 2) {
            if (draft_.raise(index, size, step)) {
                fits += step;
            } else {
                above = fits + step;
            }
        }
        added += fits;
    }
    return added;
}

// Whole lots only (D13), wherever the scope of the leaf has room for one.
std::int64_t Search::add_multiples(const PlacedGroup& leaf, std::int64_t most) {
    const std::uint32_t size = multiple_class(leaf.group);
    if (size == model::nowhere || leaf.count() > 0) {
        return 0;  // A lot itself: the leaf has a pick of its own.
    }
    const auto& [level, multiple] = gang_.groups[leaf.group].multiples.front();
    std::vector<std::int64_t> seats(needs_.sizes.size(), 0);
    seats[size] = multiple;
    const std::uint32_t group = leaf.group;
    std::int64_t added = 0;
    for (const ScopeId scope : scopes_.inside(level, leaf.scope)) {
        while (added < most && draft_.left(group, size) >= multiple && draft_.add(group, scope, seats)) {
            added += multiple;
        }
    }
    return added;
}

// Floors of composites count pods of the whole subtree: extra seats first, then extra children.
bool Search::meet_floors() {
    for (std::size_t g = gang_.groups.size(); g-- > 0;) {  // Children before parents.
        const auto group = static_cast<std::uint32_t>(g);
        if (gang_.groups[g].is_leaf || gang_.groups[g].floor <= 0 || !draft_.has(group)) {
            continue;
        }
        const auto lacking = [&] {
            steps_.work(draft_.picks().size() * (8 + needs_.sizes.size()));
            return gang_.groups[g].floor - needs_.groups[g].counting - draft_.seats_below(group);
        };
        const auto is_below = [&](std::uint32_t other) {
            while (other != group && other != model::nowhere) {
                other = gang_.groups[other].parent;
            }
            return other == group;
        };
        for (const bool with_children : {false, true}) {
            for (std::size_t p = 0; p < draft_.picks().size() && lacking() > 0; ++p) {
                const PlacedGroup pick = draft_.picks()[p];
                if (!is_below(pick.group)) {
                    continue;
                }
                if (with_children && !gang_.groups[pick.group].is_leaf && pick.scope != no_scope) {
                    add_children(pick.group, pick.scope);
                }
                add_seats(p, lacking());
            }
        }
        if (lacking() > 0) {
            is_truncated_ = is_truncated_ || !draft_.is_decided_by_counting();
            return false;
        }
    }
    return true;
}

// As many seats as the chosen scopes can hold. By count alone every order gives the same number; else all are tried.
void Search::fill_exactly() {
    if (draft_.is_decided_by_counting()) {
        for (std::size_t p = 0; p < draft_.picks().size(); ++p) {
            add_seats(p, no_limit);
        }
        return;
    }
    extras_.clear();
    for (const std::uint32_t size : classes_easiest_first_) {
        for (std::size_t p = 0; p < draft_.picks().size(); ++p) {
            const PlacedGroup& pick = draft_.picks()[p];
            if (!gang_.groups[pick.group].is_leaf || pick.scope == no_scope ||
                !gang_.groups[pick.group].multiples.empty()) {
                continue;
            }
            const std::int64_t left = draft_.left(pick.group, size);
            const std::int64_t most = std::min(left, gauges_.rest(CapacityBounds::slots_bound(size), pick.scope));
            if (most > 0) {
                extras_.push_back({.pick = p, .size = size, .most = most});
            }
        }
    }
    filled_ = draft_.picks();
    filled_seats_ = draft_.seats();
    const std::uint64_t before = steps_.narrow(most_filling_steps);
    fill_from(0);
    steps_.restore_limit(before);
    draft_.restore(filled_);
    for (std::size_t p = 0; p < draft_.picks().size(); ++p) {  // Lots, and whatever the budget left out.
        add_seats(p, no_limit);
    }
}

void Search::fill_from(std::size_t at) {
    if (draft_.seats() > filled_seats_) {
        filled_seats_ = draft_.seats();
        filled_ = draft_.picks();
        steps_.work(filled_.size() * (16 + needs_.sizes.size()));
    }
    steps_.work(extras_.size() + gauges_.take_work());
    std::int64_t bound = draft_.seats();
    for (std::size_t e = at; e < extras_.size(); ++e) {
        bound += extras_[e].most;
    }
    if (at == extras_.size() || bound <= filled_seats_) {
        return;
    }
    const Extra extra = extras_[at];
    for (std::int64_t count = extra.most; count >= 0; --count) {
        if (!steps_.spend(1)) {
            return;
        }
        if (count > 0 && !draft_.raise(extra.pick, extra.size, count)) {
            continue;
        }
        fill_from(at + 1);
        if (count > 0) {
            draft_.lower(extra.pick, extra.size, count);
        }
    }
}

}  // namespace echelon::solver
