#include "solver/distribution/distribution.hpp"

#include "solver/distribution/multiples.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace echelon::solver {
namespace {

// A deeper recursion would take too much stack.
constexpr std::size_t most_shares = 2'500;

// The tree that is divided: that of the first of these levels that the gang has, else the first tree. Limits come
// first, then pairs, preferred levels, multiples and required levels.
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
                           const Demand& demand, CapacityBounds& bounds, const Objective& objective,
                           SearchBudget& budget)
    : snapshot_(snapshot),
      room_(room),
      gang_(gang),
      demand_(demand),
      bounds_(bounds),
      objective_(objective),
      budget_(budget),
      parts_(snapshot, tree_of(gang, objective)),
      is_first_tree_(parts_.tree() == 0),
      rules_(snapshot, gang, demand, bounds, parts_, budget),
      parts_with_share_(parts_.levels()),
      parents_(parts_.levels()),
      placed_(demand.conflicts) {
    for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
        if (std::ranges::any_of(demand.classes,
                                [&](model::PodClassId pod_class) { return snapshot.need[pod_class][r] > 0; })) {
            resources_.push_back(r);
        }
    }
    list_batches();
    rules_.follow(batches_, resources_);
    for (const model::NodeId node : demand.groups[0].bound_nodes) {
        bound_parts_.push_back(parts_.around(node));
    }
    list_required_levels();
    list_multiples();
    list_levels_elsewhere();
    count_bound_domains();
    ensure_state(whole);
}

// Counts the domains that bound members use already.
void Distribution::count_bound_domains() {
    for (const PreferredLevel& preference : preferred_along_tree_) {
        auto& used = parts_used_.emplace_back(preference.level.depth + 1, 0);
        auto& cost = cost_.emplace_back(preference.level.depth + 1, 0);
        for (std::uint32_t depth = 0; depth <= preference.level.depth; ++depth) {
            for (const PartId part : bound_parts_of(preference.group, depth)) {
                ++used[depth];
                cost[depth] += parts_[part].domain == model::nowhere ? 2 : 1;
            }
        }
    }
}

std::vector<PartId> Distribution::bound_parts_of(std::uint32_t group, std::uint32_t depth) const {
    std::vector<PartId> parts;
    for (std::size_t b = 0; b < bound_parts_.size(); ++b) {
        if (std::ranges::binary_search(demand_.groups[group].bound_nodes, demand_.groups[0].bound_nodes[b])) {
            parts.push_back(bound_parts_[b][depth]);
        }
    }
    std::ranges::sort(parts);
    parts.erase(std::ranges::unique(parts).begin(), parts.end());
    return parts;
}

void Distribution::list_batches() {
    for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
        const bool may_have_seats = may_be_placed(gang_, demand_, g);
        for (std::uint32_t member_class = 0; may_have_seats && member_class < demand_.classes.size(); ++member_class) {
            if (const std::int64_t count = demand_.groups[g].waiting_of[member_class]; count > 0) {
                batches_.push_back({.group = g, .member_class = member_class, .count = count});
                waiting_ += count;
            }
        }
    }
    seats_of_batch_.assign(batches_.size(), 0);
    for (const PreferredLevel& preference : objective_.preferences()) {
        if (preference.level.tree == parts_.tree()) {
            preferred_along_tree_.push_back(preference);
        }
    }
    preferences_of_.resize(batches_.size());
    for (std::size_t l = 0; l < batches_.size(); ++l) {
        for (std::size_t p = 0; p < preferred_along_tree_.size(); ++p) {
            if (objective_.is_below(batches_[l].group, preferred_along_tree_[p].group)) {
                preferences_of_[l].push_back(p);
            }
        }
    }
}

// A required level of a group, with the domains that bound members decide.
Distribution::RequiredLevel Distribution::required_level(std::uint32_t group, model::LevelRef level) const {
    const bool is_along = level.tree == parts_.tree();
    const std::size_t entries = is_along ? level.depth + 1 : 1;
    RequiredLevel required{.group = group,
                           .level = level,
                           .where = std::vector<std::uint32_t>(entries, model::nowhere),
                           .members = std::vector<std::int64_t>(entries, 0)};
    for (const model::NodeId node : demand_.groups[group].bound_nodes) {
        const auto at =
            std::ranges::lower_bound(demand_.groups[0].bound_nodes, node) - demand_.groups[0].bound_nodes.begin();
        for (std::size_t d = 0; d < entries; ++d) {
            required.where[d] = is_along ? bound_parts_[static_cast<std::size_t>(at)][d]
                                         : snapshot_.trees[level.tree].domain_of[level.depth][node];
            ++required.members[d];
        }
    }
    return required;
}

void Distribution::list_required_levels() {
    required_levels_of_.resize(batches_.size());
    for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
        for (const model::LevelRef level : gang_.groups[g].required) {
            for (std::size_t l = 0; l < batches_.size(); ++l) {
                if (objective_.is_below(batches_[l].group, g)) {
                    required_levels_of_[l].push_back(required_levels_.size());
                }
            }
            required_levels_.push_back(required_level(g, level));
        }
    }
}

void Distribution::list_multiples() {
    multiples_of_.resize(batches_.size());
    for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
        for (const auto& [level, number] : gang_.groups[g].multiples) {
            for (std::size_t l = 0; l < batches_.size() && level.tree == parts_.tree(); ++l) {
                if (objective_.is_below(batches_[l].group, g)) {
                    multiples_of_[l].push_back(multiples_.size());
                }
            }
            Multiple multiple{.group = g, .level = level, .number = number};
            multiple.partial = partial_multiples(snapshot_, gang_, g, level, number);
            for (std::uint32_t l = 0; l < batches_.size(); ++l) {
                const bool is_smallest = std::ranges::all_of(batches_, [&](const PodBatch& other) {
                    return bounds_.covers(other.member_class, batches_[l].member_class) ||
                           !objective_.is_below(other.group, g);
                });
                if (is_smallest && objective_.is_below(batches_[l].group, g)) {
                    multiple.smallest = l;
                }
            }
            multiples_.push_back(std::move(multiple));
        }
    }
}

void Distribution::list_levels_elsewhere() {
    const auto note = [this](const auto& rule) {
        if (rule.level.tree != parts_.tree()) {
            levels_elsewhere_.push_back(rule.level);
        }
    };
    std::ranges::for_each(required_levels_, note);
    std::ranges::for_each(multiples_, note);
    std::ranges::for_each(gang_.domain_limits, note);
    std::ranges::for_each(gang_.pairings, note);
}

void Distribution::offer(std::span<const PodBatch> batches, std::span<const Placement> placements) {
    std::vector<Placement> own;
    for (const Placement& placement : placements) {
        const PodBatch& batch = batches[placement.batch];
        const auto mine =
            std::ranges::lower_bound(batches_, std::pair{batch.group, batch.member_class}, {},
                                     [](const PodBatch& other) { return std::pair{other.group, other.member_class}; });
        own.push_back({.batch = static_cast<std::uint32_t>(mine - batches_.begin()),
                       .node = placement.node,
                       .count = placement.count});
    }
    consider(std::move(own));
}

void Distribution::consider(std::vector<Placement> placements) {
    Score score = objective_.score_of(batches_, placements);
    if (!has_plan_ || objective_.is_better(score, best_)) {
        best_ = std::move(score);
        placements_ = std::move(placements);
        has_plan_ = true;
    }
}

bool Distribution::spend(std::uint64_t steps) {
    budget_.charge(bounds_.take_work());
    is_cut_ = is_cut_ || !budget_.spend(steps);
    return !is_cut_;
}

bool Distribution::improve(bool minimum_first) {
    is_minimum_first_ = minimum_first;
    is_cut_ = false;
    if (demand_.groups[0].is_satisfiable) {
        choose_count(0);
    }
    return !is_cut_;
}

void Distribution::divide_level(std::uint32_t level) {
    compute_imbalances(level);
    if (cannot_beat_best(level)) {
        return;
    }
    if (level == parts_.levels() || left_out_ == waiting_) {
        evaluate_plan();
        return;
    }
    parents_[level] = level == 0 ? std::vector<PartId>{whole} : parts_with_share_[level - 1];
    std::ranges::sort(parents_[level]);
    divide_batch(level, 0, 0);
}

void Distribution::divide_batch(std::uint32_t level, std::size_t parent, std::uint32_t batch) {
    const PartId part = parents_[level][parent];
    while (batch < batches_.size() && share(part, batch) == 0) {
        ++batch;
    }
    if (!rules_hold(part, batch)) {
        return;
    }
    if (batch < batches_.size()) {
        assign_from(begin(level, parent, batch), 0, share(part, batch));
    } else if (multiples_hold(part)) {
        if (parent + 1 < parents_[level].size()) {
            divide_batch(level, parent + 1, 0);
        } else {
            divide_level(level + 1);
        }
    }
}

Distribution::Choice Distribution::choice_of(PartId part, std::uint32_t level, std::uint32_t batch, std::int64_t most) {
    Choice choice{.part = part,
                  .most = most,
                  .new_domains = 0,
                  .free = most,
                  .content_hash = is_node(part) ? content_hash(part) : 0};
    for (const std::size_t p : preferences_of_[batch]) {
        choice.new_domains += preferred_along_tree_[p].level.depth >= level && members_in(part, p) == 0 ? 1 : 0;
    }
    if (is_first_tree_) {
        choice.free = objective_.free_between(parts_[part].first, parts_[part].last) - taken(part);
    }
    return choice;
}

Distribution::BatchSplit Distribution::begin(std::uint32_t level, std::size_t parent, std::uint32_t batch) {
    BatchSplit split{.level = level,
                     .parent = parent,
                     .batch = batch,
                     .choices = {},
                     .most_from = {},
                     .is_indivisible = is_indivisible(batch, level)};
    const PartId around = parents_[level][parent];
    const auto [first, last] = parts_.children(around);
    const std::int64_t left = share(around, batch);
    if (!spend(1 + (last - first) / 8)) {
        return split;
    }
    const std::size_t row =
        parents_[level].empty() || level + 1 == parts_.levels() ? 4 * resources_.size() : 4 * bounds_.count();
    budget_.charge((last - first) *
                   (24 + row + multiples_of_[batch].size() * batches_.size() * 4 + preferences_of_[batch].size() * 2 +
                    demand_.conflicts.topology_keys().size() * 16));
    bool is_compact = false;
    for (const std::size_t p : preferences_of_[batch]) {
        is_compact = is_compact || preferred_along_tree_[p].level.depth >= level;
    }
    for (PartId part = first; part < last; ++part) {
        ensure_state(part);
        const std::int64_t here = most(part, batch, left);
        if (here <= 0 || (split.is_indivisible && here < left)) {
            continue;
        }
        split.choices.push_back(choice_of(part, level, batch, here));
    }
    std::ranges::sort(split.choices, {}, [&](const Choice& c) {
        const bool holds_all = c.most >= left;
        const std::int64_t order = is_compact && !holds_all ? -c.most : c.free;
        return std::tuple{is_compact ? c.new_domains : 0, is_compact && !holds_all, order, c.content_hash, c.part};
    });
    split.most_from.assign(split.choices.size() + 1, 0);
    for (std::size_t k = split.choices.size(); k-- > 0;) {
        split.most_from[k] = split.most_from[k + 1] + split.choices[k].most;
    }
    return split;
}

// Chooses the next part that takes some pods. Among equal parts an earlier one takes at least as many as a later one.
void Distribution::assign_from(const BatchSplit& split, std::size_t from, std::int64_t left) {
    if (left == 0) {
        if (!cannot_beat_best(split.level)) {
            divide_batch(split.level, split.parent, split.batch + 1);
        }
        return;
    }
    for (std::size_t k = from; k < split.choices.size() && split.most_from[k] >= left; ++k) {
        if (!spend(1) || shares_assigned_ >= most_shares) {
            is_cut_ = true;
            return;
        }
        const Choice& choice = split.choices[k];
        std::int64_t most_here = std::min(left, choice.most);
        if (are_alike(split, k)) {
            most_here = k == from && from > 0 ? std::min(most_here, share(split.choices[k - 1].part, split.batch)) : 0;
        }
        const std::int64_t least_here = split.is_indivisible ? left : 1;
        for (std::int64_t count = most_here; count >= least_here && !is_over(); --count) {
            assign_share(split, k, count, left);
        }
        if (is_over()) {
            return;
        }
    }
}

void Distribution::assign_share(const BatchSplit& split, std::size_t choice, std::int64_t count, std::int64_t left) {
    const PartId part = split.choices[choice].part;
    // Earlier shares of this batch may exclude a choice since the choices were listed.
    if (!completes(split, choice, count) || (!levels_elsewhere_.empty() && !is_allowed(part, split.batch)) ||
        has_conflict(part, split.batch) || (rules_.exist() && !rules_.may_take(part, split.batch, count))) {
        return;
    }
    const std::size_t row = is_node(part) ? resources_.size() : bounds_.count();
    budget_.charge(16 + 4 * row + multiples_of_[split.batch].size() * batches_.size() * 8 +
                   preferred_along_tree_.size() * 16 +
                   demand_.conflicts.conflicts_of(batches_[split.batch].member_class).size() * 2);
    account(part, split.batch, count);
    ++shares_assigned_;
    if (spend(1) && !spreads_too_far(split.level)) {
        assign_from(split, choice + 1, left - count);
    }
    --shares_assigned_;
    account(part, split.batch, -count);
}

void Distribution::evaluate_plan() {
    std::vector<Placement> placements;
    for (const PartId part : parts_with_share_.back()) {
        for (std::uint32_t l = 0; l < batches_.size(); ++l) {
            if (share(part, l) > 0) {
                placements.push_back({.batch = l, .node = parts_.node(part), .count = share(part, l)});
            }
        }
    }
    budget_.charge(parts_with_share_.back().size() * batches_.size() +
                   placements.size() * 16 * (1 + preferred_along_tree_.size() + parts_.levels() + multiples_.size()));
    std::ranges::sort(placements, {}, [](const Placement& p) { return std::pair{p.batch, p.node}; });
    if (multiples_elsewhere_hold(placements) && rules_.hold_elsewhere(placements)) {
        consider(std::move(placements));
    }
}

}  // namespace echelon::solver
