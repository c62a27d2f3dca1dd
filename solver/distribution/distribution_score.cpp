// What a division that has begun can still be worth: at least so many domains (O3), at most such holes (O4).

#include "solver/distribution/distribution.hpp"

#include <algorithm>
#include <functional>

namespace echelon::solver {
namespace {

// So many of the largest domains of a level are looked at: what needs more needs at least as many.
constexpr std::size_t most_largest = 64;

}  // namespace

// How many domains each preference needs at least, now that the numbers of its members are chosen.
void Distribution::count_fewest() {
    (void)spend(preferred_along_tree_.size());
    fewest_.assign(preferred_along_tree_.size(), {});
    for (std::size_t p = 0; p < preferred_along_tree_.size(); ++p) {
        for (std::uint32_t depth = 0; depth <= preferred_along_tree_[p].level.depth; ++depth) {
            fewest_[p].push_back(fewest(p, depth));
        }
    }
}

std::int64_t Distribution::fewest(std::size_t preference, std::uint32_t depth) {
    const model::Tree& tree = snapshot_.trees[parts_.tree()];
    steps_.work(needs_.sizes.size() * (lots_.size() * 2 + most_largest) + bound_parts_.size() * 8);
    const std::vector<CellId> bound = bound_parts_of(preferred_along_tree_[preference].group, depth);
    std::int64_t most = std::ssize(bound);
    for (std::size_t gauge = 0; gauge < needs_.sizes.size(); ++gauge) {
        std::int64_t demand = 0;
        for (std::uint32_t l = 0; l < lots_.size(); ++l) {
            const bool is_in = objective_.is_below(lots_[l].group, preferred_along_tree_[preference].group);
            demand += is_in ? totals_[l] * gauges_.weight_of(gauge, lots_[l].size) : 0;
        }
        for (const CellId part : bound) {
            demand -= gauges_.cap(gauge, parts_.tree(), parts_[part].first, parts_[part].last);
        }
        std::vector<std::int64_t>& largest = largest_[{gauge, depth}];
        if (largest.empty()) {
            std::int64_t outside = gauges_.cap(gauge, parts_.tree(), 0, static_cast<std::uint32_t>(tree.order.size()));
            steps_.work(tree.domains[depth].size() * 4);
            for (const model::Domain& domain : tree.domains[depth]) {
                largest.push_back(gauges_.cap(gauge, parts_.tree(), domain.first, domain.last));
                outside -= largest.back();
            }
            largest.push_back(outside);  // All nodes without the label together.
            (void)spend(largest.size() / 32);
            const std::size_t kept = std::min(most_largest, largest.size());
            std::ranges::partial_sort(largest, largest.begin() + static_cast<std::ptrdiff_t>(kept), std::greater{});
            largest.resize(kept);
        }
        std::int64_t domains = std::ssize(bound);
        for (std::size_t i = 0; i < largest.size() && demand > 0; ++i) {
            demand -= largest[i];
            ++domains;
        }
        most = std::max(most, domains);
    }
    return most;
}

// No division that begins like this one spreads less, level by level.
std::vector<std::int64_t> Distribution::least_spread(std::uint32_t level) const {
    std::vector<std::int64_t> spread(objective_.depths(), 0);
    for (std::size_t p = 0; p < preferred_along_tree_.size(); ++p) {
        for (std::uint32_t depth = 0; depth <= preferred_along_tree_[p].level.depth; ++depth) {
            std::int64_t least = cost_[p][depth];
            if (depth >= level) {
                least = std::max({least, fewest_[p][depth], level > 0 ? parts_used_[p][level - 1] : 0,
                                  level < parts_used_[p].size() ? parts_used_[p][level] : 0});
            }
            spread[depth] += least;
        }
    }
    return spread;
}

bool Distribution::spreads_too_far(std::uint32_t level) const {
    return has_plan_ && !preferred_along_tree_.empty() && waiting_ - lost_ == best_.seats &&
           least_spread(level) > best_.spread;
}

std::vector<Taken> Distribution::taken_at(std::uint32_t level) {
    std::vector<Taken> taken;
    taken.reserve(loaded_[level].size());
    (void)spend(loaded_[level].size() / 8);
    steps_.work(loaded_[level].size() * 16);
    for (const CellId part : loaded_[level]) {
        if (parts_[part].domain != model::nowhere) {
            taken.push_back({.domain = parts_[part].domain, .amount = this->taken(part)});
        }
    }
    std::ranges::sort(taken);
    return taken;
}

// Levels before this one are divided: what is in the domains of the last of them is settled.
void Distribution::settle_balance(std::uint32_t level) {
    const std::vector<Roles>& all = objective_.roles();
    imbalances_.resize(all.size(), 0);
    for (std::size_t r = 0; r < all.size(); ++r) {
        const Roles& roles = all[r];
        if (roles.level.tree != parts_.tree() || roles.level.depth + 1 != level) {
            continue;
        }
        std::map<std::uint32_t, std::vector<std::int64_t>> members = roles.bound;
        for (const CellId part : loaded_[roles.level.depth]) {
            std::vector<std::int64_t>& there = members[parts_[part].domain];
            there.resize(roles.children, 0);
            for (std::uint32_t lot = 0; lot < lots_.size(); ++lot) {
                if (const std::uint32_t leaf = lots_[lot].group; roles.has(leaf)) {
                    there[roles.child_of[leaf - roles.group]] += share(part, lot);
                }
            }
        }
        steps_.work(16 + loaded_[roles.level.depth].size() * lots_.size() + members.size() * roles.children * 4);
        imbalances_[r] = Objective::imbalance(members);
    }
}

// Levels before this one are divided, this one perhaps in part: what is free can only shrink.
bool Distribution::is_hopeless(std::uint32_t level) {
    if (!has_plan_ || waiting_ - lost_ > best_.seats) {
        return false;
    }
    steps_.work(32 + preferred_along_tree_.size() * 16);
    const std::vector<std::int64_t> spread = least_spread(level);
    if (spread != best_.spread) {
        return spread > best_.spread;
    }
    std::int64_t imbalance = 0;
    for (std::size_t r = 0; r < imbalances_.size(); ++r) {
        const model::LevelRef at = objective_.roles()[r].level;
        imbalance += at.tree == parts_.tree() && at.depth < level ? imbalances_[r] : 0;
    }
    if (imbalance != best_.imbalance) {
        return imbalance > best_.imbalance;
    }
    for (std::uint32_t depth = 0; is_first_tree_ && depth <= level && depth < parts_.levels(); ++depth) {
        if (const int order = objective_.compare_free_domains(depth, taken_at(depth), best_.taken[depth]); order != 0) {
            return order < 0;
        }
    }
    return is_first_tree_ && level == parts_.levels();
}

bool Distribution::may_use_fewer_domains() {
    if (preferred_along_tree_.empty() && objective_.preferences().empty()) {
        return false;
    }
    if (!has_plan_ || best_.seats < waiting_) {
        return true;
    }
    for (std::size_t l = 0; l < lots_.size(); ++l) {
        totals_[l] = lots_[l].count;
    }
    count_fewest();
    std::ranges::fill(totals_, 0);
    return least_spread(0) < best_.spread;
}

}  // namespace echelon::solver
