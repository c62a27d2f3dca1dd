#include "solver/distribution/distribution.hpp"

#include "solver/distribution/multiples.hpp"

#include <algorithm>
#include <tuple>

namespace echelon::solver {
namespace {

// More shares than this at a time would take too much stack.
constexpr std::size_t most_shares = 2'500;

// The tree that is divided: of the first rule that counts by domain, else of the first preference, else of the first
// level that anybody asks for, else the first one.
std::uint32_t tree_of(const model::Gang& gang, const Objective& objective) {
    if (!gang.domain_limits.empty()) {
        return gang.domain_limits.front().level.tree;
    }
    if (!gang.pairings.empty()) {
        return gang.pairings.front().level.tree;
    }
    if (!objective.preferences().empty()) {
        return objective.preferences().front().level.tree;
    }
    for (const model::GangGroup& group : gang.groups) {
        if (!group.multiples.empty()) {
            return group.multiples.front().first.tree;
        }
    }
    for (const model::GangGroup& group : gang.groups) {
        if (!group.required.empty()) {
            return group.required.front().tree;
        }
    }
    return 0;
}

}  // namespace

Distribution::Distribution(const model::Snapshot& snapshot, const Room& room, const model::Gang& gang,
                           const Demand& needs, CapacityBounds& gauges, const Objective& objective, SearchBudget& steps)
    : snapshot_(snapshot),
      room_(room),
      gang_(gang),
      needs_(needs),
      gauges_(gauges),
      objective_(objective),
      steps_(steps),
      parts_(snapshot, tree_of(gang, objective)),
      is_first_tree_(parts_.tree() == 0),
      rules_(snapshot, gang, needs, gauges, parts_, steps),
      loaded_(parts_.levels()),
      tasks_(parts_.levels()),
      company_(needs.relations) {
    for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
        if (std::ranges::any_of(needs.sizes, [&](model::PodClassId shape) { return snapshot.need[shape][r] > 0; })) {
            resources_.push_back(r);
        }
    }
    list_lots();
    rules_.follow(lots_, resources_);
    for (const model::NodeId node : needs.groups[0].bound) {
        bound_parts_.push_back(parts_.around(node));
    }
    list_limits();
    list_multiples();
    use_bound();
    enter(whole);
}

// Bound members use domains before anybody is seated.
void Distribution::use_bound() {
    for (const PreferredLevel& preference : preferred_along_tree_) {
        auto& used = parts_used_.emplace_back(preference.level.depth + 1, 0);
        auto& cost = cost_.emplace_back(preference.level.depth + 1, 0);
        for (std::uint32_t depth = 0; depth <= preference.level.depth; ++depth) {
            for (const CellId part : bound_parts_of(preference.group, depth)) {
                ++used[depth];
                cost[depth] += parts_[part].domain == model::nowhere ? 2 : 1;
            }
        }
    }
}

std::vector<CellId> Distribution::bound_parts_of(std::uint32_t group, std::uint32_t depth) const {
    std::vector<CellId> parts;
    for (std::size_t b = 0; b < bound_parts_.size(); ++b) {
        if (std::ranges::binary_search(needs_.groups[group].bound, needs_.groups[0].bound[b])) {
            parts.push_back(bound_parts_[b][depth]);
        }
    }
    std::ranges::sort(parts);
    parts.erase(std::ranges::unique(parts).begin(), parts.end());
    return parts;
}

void Distribution::list_lots() {
    for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
        bool may_be_placed = gang_.groups[g].is_leaf;
        for (std::uint32_t above = g; above != model::nowhere; above = gang_.groups[above].parent) {
            may_be_placed = may_be_placed && needs_.groups[above].is_satisfiable;
        }
        for (std::uint32_t size = 0; may_be_placed && size < needs_.sizes.size(); ++size) {
            if (const std::int64_t count = needs_.groups[g].waiting_of[size]; count > 0) {
                lots_.push_back({.group = g, .size = size, .count = count});
                waiting_ += count;
            }
        }
    }
    totals_.assign(lots_.size(), 0);
    for (const PreferredLevel& preference : objective_.preferences()) {
        if (preference.level.tree == parts_.tree()) {
            preferred_along_tree_.push_back(preference);
        }
    }
    preferences_of_.resize(lots_.size());
    for (std::size_t l = 0; l < lots_.size(); ++l) {
        for (std::size_t p = 0; p < preferred_along_tree_.size(); ++p) {
            if (objective_.is_below(lots_[l].group, preferred_along_tree_[p].group)) {
                preferences_of_[l].push_back(p);
            }
        }
    }
}

void Distribution::list_limits() {
    limits_of_.resize(lots_.size());
    for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
        for (const model::LevelRef level : gang_.groups[g].required) {
            const bool is_along = level.tree == parts_.tree();
            is_one_tree_ = is_one_tree_ && is_along;
            const std::size_t entries = is_along ? level.depth + 1 : 1;
            Limit limit{.group = g,
                        .level = level,
                        .where = std::vector<std::uint32_t>(entries, model::nowhere),
                        .uses = std::vector<std::int64_t>(entries, 0)};
            for (const model::NodeId node : needs_.groups[g].bound) {
                const auto at = std::ranges::lower_bound(needs_.groups[0].bound, node) - needs_.groups[0].bound.begin();
                for (std::size_t d = 0; d < entries; ++d) {
                    limit.where[d] = is_along ? bound_parts_[static_cast<std::size_t>(at)][d]
                                              : snapshot_.trees[level.tree].domain_of[level.depth][node];
                    ++limit.uses[d];
                }
            }
            for (std::size_t l = 0; l < lots_.size(); ++l) {
                if (objective_.is_below(lots_[l].group, g)) {
                    limits_of_[l].push_back(limits_.size());
                }
            }
            limits_.push_back(std::move(limit));
        }
    }
}

void Distribution::list_multiples() {
    multiples_of_.resize(lots_.size());
    for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
        for (const auto& [level, number] : gang_.groups[g].multiples) {
            for (std::size_t l = 0; l < lots_.size() && level.tree == parts_.tree(); ++l) {
                if (objective_.is_below(lots_[l].group, g)) {
                    multiples_of_[l].push_back(multiples_.size());
                }
            }
            Multiple multiple{.group = g, .level = level, .number = number};
            multiple.begun = partial_multiples(snapshot_, gang_, g, level, number);
            for (std::uint32_t l = 0; l < lots_.size(); ++l) {
                const bool is_smallest = std::ranges::all_of(lots_, [&](const PodBatch& other) {
                    return gauges_.covers(other.size, lots_[l].size) || !objective_.is_below(other.group, g);
                });
                if (is_smallest && objective_.is_below(lots_[l].group, g)) {
                    multiple.smallest = l;
                }
            }
            multiples_.push_back(std::move(multiple));
        }
    }
}

void Distribution::know(std::span<const PodBatch> lots, std::span<const Placement> placements) {
    std::vector<Placement> own;
    for (const Placement& placement : placements) {
        const PodBatch& lot = lots[placement.lot];
        const auto mine = std::ranges::find_if(
            lots_, [&](const PodBatch& other) { return other.group == lot.group && other.size == lot.size; });
        own.push_back({.lot = static_cast<std::uint32_t>(mine - lots_.begin()),
                       .node = placement.node,
                       .count = placement.count});
    }
    consider(std::move(own));
}

void Distribution::consider(std::vector<Placement> placements) {
    Score worth = objective_.worth(lots_, placements);
    if (!has_plan_ || objective_.is_better(worth, best_)) {
        best_ = std::move(worth);
        placements_ = std::move(placements);
        has_plan_ = true;
    }
}

bool Distribution::spend(std::uint64_t steps) {
    steps_.work(gauges_.take_work());
    is_cut_ = is_cut_ || !steps_.spend(steps);
    return !is_cut_;
}

bool Distribution::improve(bool minimum_first) {
    is_minimum_first_ = minimum_first;
    is_cut_ = false;
    if (needs_.groups[0].is_satisfiable) {
        choose_count(0);
    }
    return !is_cut_;
}

void Distribution::divide(std::uint32_t level) {
    settle_balance(level);
    if (is_hopeless(level)) {
        return;
    }
    if (level == parts_.levels() || lost_ == waiting_) {
        judge();
        return;
    }
    tasks_[level] = level == 0 ? std::vector<CellId>{whole} : loaded_[level - 1];
    std::ranges::sort(tasks_[level]);
    divide_lot(level, 0, 0);
}

void Distribution::divide_lot(std::uint32_t level, std::size_t task, std::uint32_t lot) {
    const CellId part = tasks_[level][task];
    while (lot < lots_.size() && share(part, lot) == 0) {
        ++lot;
    }
    if (!rules_hold(part, lot)) {
        return;
    }
    if (lot < lots_.size()) {
        give(begin(level, task, lot), 0, share(part, lot));
    } else if (multiples_hold(part)) {
        if (task + 1 < tasks_[level].size()) {
            divide_lot(level, task + 1, 0);
        } else {
            divide(level + 1);
        }
    }
}

Distribution::Spreading Distribution::begin(std::uint32_t level, std::size_t task, std::uint32_t lot) {
    Spreading s{
        .level = level, .task = task, .lot = lot, .choices = {}, .after = {}, .is_together = is_together(lot, level)};
    const CellId around = tasks_[level][task];
    const auto [first, last] = parts_.children(around);
    const std::int64_t left = share(around, lot);
    if (!spend(1 + (last - first) / 8)) {
        return s;
    }
    const std::size_t row =
        tasks_[level].empty() || level + 1 == parts_.levels() ? 4 * resources_.size() : 4 * gauges_.count();
    steps_.work((last - first) *
                (24 + row + multiples_of_[lot].size() * lots_.size() * 4 + preferences_of_[lot].size() * 2));
    bool is_compact = false;
    for (const std::size_t p : preferences_of_[lot]) {
        is_compact = is_compact || preferred_along_tree_[p].level.depth >= level;
    }
    for (CellId part = first; part < last; ++part) {
        enter(part);
        const std::int64_t here = most(part, lot, left);
        if (here <= 0 || (s.is_together && here < left)) {
            continue;
        }
        Choice choice{
            .part = part, .most = here, .news = 0, .free = here, .likeness = is_node(part) ? contents(part) : 0};
        for (const std::size_t p : preferences_of_[lot]) {
            choice.news += preferred_along_tree_[p].level.depth >= level && uses(part, p) == 0 ? 1 : 0;
        }
        if (is_first_tree_) {
            choice.free = objective_.free_between(parts_[part].first, parts_[part].last) - taken(part);
        }
        s.choices.push_back(choice);
    }
    std::ranges::sort(s.choices, {}, [&](const Choice& c) {
        const bool holds_all = c.most >= left;
        const std::int64_t order = is_compact && !holds_all ? -c.most : c.free;
        return std::tuple{is_compact ? c.news : 0, is_compact && !holds_all, order, c.likeness, c.part};
    });
    s.after.assign(s.choices.size() + 1, 0);
    for (std::size_t k = s.choices.size(); k-- > 0;) {
        s.after[k] = s.after[k + 1] + s.choices[k].most;
    }
    return s;
}

// Chooses the next part that takes some; of parts that are alike an earlier one never takes less than a later one.
void Distribution::give(const Spreading& s, std::size_t from, std::int64_t left) {
    if (left == 0) {
        if (!is_hopeless(s.level)) {
            divide_lot(s.level, s.task, s.lot + 1);
        }
        return;
    }
    for (std::size_t k = from; k < s.choices.size() && s.after[k] >= left; ++k) {
        if (!spend(1) || shares_assigned_ >= most_shares) {
            is_cut_ = true;
            return;
        }
        const Choice& choice = s.choices[k];
        std::int64_t most_here = std::min(left, choice.most);
        if (are_alike(s, k)) {
            most_here = k == from && from > 0 ? std::min(most_here, share(s.choices[k - 1].part, s.lot)) : 0;
        }
        const std::int64_t least_here = s.is_together ? left : 1;
        for (std::int64_t count = most_here; count >= least_here && !is_over(); --count) {
            assign_share_to(s, k, count, left);
        }
        if (is_over()) {
            return;
        }
    }
}

void Distribution::assign_share_to(const Spreading& s, std::size_t choice, std::int64_t count, std::int64_t left) {
    const CellId part = s.choices[choice].part;
    // What other shares of this very lot settle wasn't known when the choices were listed.
    if (!completes(s, choice, count) || (!is_one_tree_ && !is_allowed(part, s.lot)) || has_conflict(part, s.lot) ||
        (rules_.exist() && !rules_.may_take(part, s.lot, count))) {
        return;
    }
    const std::size_t row = is_node(part) ? resources_.size() : gauges_.count();
    steps_.work(16 + 4 * row + multiples_of_[s.lot].size() * lots_.size() * 8 + preferred_along_tree_.size() * 16);
    account(part, s.lot, count);
    ++shares_assigned_;
    if (spend(1) && !spreads_too_far(s.level)) {
        give(s, choice + 1, left - count);
    }
    --shares_assigned_;
    account(part, s.lot, -count);
}

void Distribution::judge() {
    std::vector<Placement> placements;
    for (const CellId part : loaded_.back()) {
        for (std::uint32_t l = 0; l < lots_.size(); ++l) {
            if (share(part, l) > 0) {
                placements.push_back({.lot = l, .node = parts_.node(part), .count = share(part, l)});
            }
        }
    }
    steps_.work(loaded_.back().size() * lots_.size() +
                placements.size() * 16 * (1 + preferred_along_tree_.size() + parts_.levels() + multiples_.size()));
    std::ranges::sort(placements, {}, [](const Placement& p) { return std::pair{p.lot, p.node}; });
    if (multiples_elsewhere_hold(placements) && rules_.hold_elsewhere(placements)) {
        consider(std::move(placements));
    }
}

}  // namespace echelon::solver
