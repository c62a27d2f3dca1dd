// The best score that an unfinished distribution can reach: fewest domains (O3), best proportion (D18), largest free
// domains (O4).

#include "solver/distribution/distribution.hpp"

#include <algorithm>
#include <functional>

namespace echelon::solver {
namespace {

// Only this many of the largest domains of a level are summed. If they are too few, their number is a lower bound.
constexpr std::size_t most_largest = 64;

}  // namespace

// Computes how many domains each preference needs at least. Requires: the numbers of seats are chosen.
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
    budget_.charge(demand_.classes.size() * (batches_.size() * 2 + most_largest) + bound_parts_.size() * 8);
    const std::vector<PartId> parts_with_bound = bound_parts_of(preferred_along_tree_[preference].group, depth);
    std::int64_t most = std::ssize(parts_with_bound);
    for (std::size_t bound = 0; bound < demand_.classes.size(); ++bound) {
        std::int64_t missing = 0;
        for (std::uint32_t l = 0; l < batches_.size(); ++l) {
            const bool is_in = objective_.is_below(batches_[l].group, preferred_along_tree_[preference].group);
            missing += is_in ? seats_of_batch_[l] * bounds_.weight_of(bound, batches_[l].member_class) : 0;
        }
        for (const PartId part : parts_with_bound) {
            missing -= bounds_.capacity(bound, parts_.tree(), parts_[part].first, parts_[part].last);
        }
        std::vector<std::int64_t>& largest = largest_[{bound, depth}];
        if (largest.empty()) {
            std::int64_t outside =
                bounds_.capacity(bound, parts_.tree(), 0, static_cast<std::uint32_t>(tree.order.size()));
            budget_.charge(tree.domains[depth].size() * 4);
            for (const model::Domain& domain : tree.domains[depth]) {
                largest.push_back(bounds_.capacity(bound, parts_.tree(), domain.first, domain.last));
                outside -= largest.back();
            }
            largest.push_back(outside);  // All nodes without the label together.
            (void)spend(largest.size() / 32);
            const std::size_t kept = std::min(most_largest, largest.size());
            std::ranges::partial_sort(largest, largest.begin() + static_cast<std::ptrdiff_t>(kept), std::greater{});
            largest.resize(kept);
        }
        std::int64_t domains = std::ssize(parts_with_bound);
        for (std::size_t i = 0; i < largest.size() && missing > 0; ++i) {
            missing -= largest[i];
            ++domains;
        }
        most = std::max(most, domains);
    }
    return most;
}

// A lower bound by level for the spread of every distribution that starts like this one.
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
    return has_plan_ && !preferred_along_tree_.empty() && waiting_ - left_out_ == best_.seats &&
           least_spread(level) > best_.spread;
}

std::vector<Taken> Distribution::taken_at(std::uint32_t level) {
    std::vector<Taken> taken;
    taken.reserve(parts_with_share_[level].size());
    (void)spend(parts_with_share_[level].size() / 8);
    budget_.charge(parts_with_share_[level].size() * 16);
    for (const PartId part : parts_with_share_[level]) {
        if (parts_[part].domain != model::nowhere) {
            taken.push_back({.domain = parts_[part].domain, .amount = this->taken(part)});
        }
    }
    std::ranges::sort(taken);
    return taken;
}

// Requires: the levels before this one are divided, so the counts in their domains are final.
void Distribution::compute_imbalances(std::uint32_t level) {
    const std::vector<Roles>& all = objective_.roles();
    imbalances_.resize(all.size(), 0);
    for (std::size_t r = 0; r < all.size(); ++r) {
        const Roles& roles = all[r];
        if (roles.level.tree != parts_.tree() || roles.level.depth + 1 != level) {
            continue;
        }
        std::map<std::uint32_t, std::vector<std::int64_t>> members = roles.bound_members;
        for (const PartId part : parts_with_share_[roles.level.depth]) {
            std::vector<std::int64_t>& there = members[parts_[part].domain];
            there.resize(roles.children, 0);
            for (std::uint32_t batch = 0; batch < batches_.size(); ++batch) {
                if (const std::uint32_t leaf = batches_[batch].group; roles.has(leaf)) {
                    there[roles.child_of[leaf - roles.group]] += share(part, batch);
                }
            }
        }
        budget_.charge(16 + parts_with_share_[roles.level.depth].size() * batches_.size() +
                       members.size() * roles.children * 4);
        imbalances_[r] = Objective::imbalance(members);
    }
}

// True if no distribution that starts like this one beats the best plan. The levels before this one are divided, and
// this one perhaps in part. Free capacity can only shrink.
bool Distribution::cannot_beat_best(std::uint32_t level) {
    if (!has_plan_ || waiting_ - left_out_ > best_.seats) {
        return false;
    }
    budget_.charge(32 + preferred_along_tree_.size() * 16);
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
    for (std::size_t l = 0; l < batches_.size(); ++l) {
        seats_of_batch_[l] = batches_[l].count;
    }
    count_fewest();
    std::ranges::fill(seats_of_batch_, 0);
    return least_spread(0) < best_.spread;
}

}  // namespace echelon::solver
