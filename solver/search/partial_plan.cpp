#include "solver/search/partial_plan.hpp"

#include "solver/packing/hash.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace echelon::solver {

std::int64_t PlacedGroup::count() const {
    return std::accumulate(seats.begin(), seats.end(), std::int64_t{0});
}

PartialPlan::PartialPlan(const model::Snapshot& snapshot, const model::Gang& gang, const Demand& demand,
                         const Scopes& scopes, CapacityBounds& bounds, Packing& packing)
    : snapshot_(snapshot),
      gang_(gang),
      demand_(demand),
      scopes_(scopes),
      bounds_(bounds),
      packing_(packing),
      limits_(snapshot, gang, demand, scopes),
      picked_(gang.groups.size(), 0),
      taken_(gang.groups.size()) {
    for (std::size_t g = 0; g < gang.groups.size(); ++g) {
        taken_[g].assign(demand.groups[g].waiting_of.size(), 0);
    }
}

std::uint64_t PartialPlan::hash_of(const PlacedGroup& pick) const {
    std::uint64_t hash = mix(pick.scope + 1);
    for (const std::int64_t seats : pick.seats) {
        hash = mix(hash ^ static_cast<std::uint64_t>(seats));
    }
    return hash;
}

void PartialPlan::account(const PlacedGroup& pick, std::span<const std::int64_t> seats, std::int64_t sign) {
    bounds_.add_used(pick.scope, seats, sign);
    for (std::size_t s = 0; s < seats.size(); ++s) {
        taken_[pick.group][s] += sign * seats[s];
        seats_ += sign * seats[s];
    }
}

// A group counts once, however many picks it has.
void PartialPlan::count_pick(const PlacedGroup& pick, std::int64_t sign) {
    const std::uint32_t before = picked_[pick.group];
    picked_[pick.group] += sign > 0 ? 1U : static_cast<std::uint32_t>(-1);
    if (limits_.exist() && (before == 0 || picked_[pick.group] == 0)) {
        limits_.count(pick.group, pick.scope, sign);
    }
}

bool PartialPlan::add(std::uint32_t group, ScopeId scope, std::vector<std::int64_t> seats) {
    if (limits_.exist() && !has(group) && !limits_.admits(group, scope)) {
        return false;
    }
    PlacedGroup pick{.group = group, .scope = scope, .seats = std::move(seats)};
    const bool seated = pick.count() > 0;
    if (seated) {
        std::vector<std::int64_t> amounts(bounds_.count());
        for (std::size_t bound = 0; bound < amounts.size(); ++bound) {
            amounts[bound] = bounds_.weight(bound, pick.seats);
        }
        if (!bounds_.admits(scope, amounts) || (demand_.conflicts.are_wide() && has_conflict(pick))) {
            return false;
        }
        account(pick, pick.seats, 1);
        hash_ += hash_of(pick);
    }
    count_pick(pick, 1);
    picks_.push_back(std::move(pick));
    if (seated && !packs_around(scope)) {
        remove_last();
        return false;
    }
    return true;
}

std::uint32_t PartialPlan::number_of(std::uint32_t topology_key, ScopeId scope) {
    const auto [known, is_new] = numbers_.emplace(std::pair{topology_key, scope}, model::nowhere);
    if (is_new) {
        const std::vector<model::NodeId> nodes = scopes_.nodes_of(scope);
        const std::uint32_t first =
            nodes.empty() ? model::nowhere : demand_.conflicts.number(topology_key, nodes.front());
        const bool is_shared = std::ranges::all_of(
            nodes, [&](model::NodeId node) { return demand_.conflicts.number(topology_key, node) == first; });
        known->second = is_shared ? first : model::nowhere;
    }
    return known->second;
}

bool PartialPlan::has_conflict(const PlacedGroup& pick) {
    const MemberConflicts& conflicts = demand_.conflicts;
    for (const std::uint32_t topology_key : conflicts.wide()) {
        const std::uint32_t number = number_of(topology_key, pick.scope);
        if (number == model::nowhere) {
            continue;
        }
        // At this label value, of the pick and of all others.
        std::vector<std::int64_t> pods(conflicts.row_count(), 0);
        const auto count = [&](const PlacedGroup& other) {
            for (std::uint32_t member_class = 0; member_class < other.seats.size(); ++member_class) {
                pods[conflicts.row_of(member_class)] += other.seats[member_class];
            }
        };
        count(pick);
        for (const PlacedGroup& other : picks_) {
            if (other.count() > 0 && number_of(topology_key, other.scope) == number) {
                count(other);
            }
        }
        packing_.work((picks_.size() + 1) * (16 + 2 * pick.seats.size()));
        for (std::uint32_t member_class = 0; member_class < pick.seats.size(); ++member_class) {
            if (pick.seats[member_class] == 0) {
                continue;
            }
            packing_.work(conflicts.conflicts_of(member_class).size());
            const auto meets = [&](const MemberConflicts::Conflict& conflict) {  // A pod has no conflict with itself.
                const std::int64_t own = conflict.row == conflicts.row_of(member_class) ? 1 : 0;
                return conflict.topology_key == topology_key && pods[conflict.row] > own;
            };
            if (std::ranges::any_of(conflicts.conflicts_of(member_class), meets)) {
                return true;
            }
        }
    }
    return false;
}

void PartialPlan::remove_last() {
    const PlacedGroup pick = std::move(picks_.back());
    picks_.pop_back();
    count_pick(pick, -1);
    if (pick.count() > 0) {
        account(pick, pick.seats, -1);
        hash_ -= hash_of(pick);
    }
}

bool PartialPlan::raise(std::size_t index, std::uint32_t member_class, std::int64_t count) {
    PlacedGroup& pick = picks_[index];
    std::vector<std::int64_t> seats(demand_.classes.size(), 0);
    seats[member_class] = count;
    std::vector<std::int64_t> amounts(bounds_.count());
    for (std::size_t bound = 0; bound < amounts.size(); ++bound) {
        amounts[bound] = bounds_.weight(bound, seats);
    }
    if (!bounds_.admits(pick.scope, amounts)) {
        return false;
    }
    hash_ -= pick.count() > 0 ? hash_of(pick) : 0;
    pick.seats[member_class] += count;
    hash_ += hash_of(pick);
    account(pick, seats, 1);
    if (!packs_around(pick.scope)) {
        lower(index, member_class, count);
        return false;
    }
    return true;
}

void PartialPlan::lower(std::size_t index, std::uint32_t member_class, std::int64_t count) {
    PlacedGroup& pick = picks_[index];
    std::vector<std::int64_t> seats(demand_.classes.size(), 0);
    seats[member_class] = count;
    hash_ -= hash_of(pick);
    pick.seats[member_class] -= count;
    hash_ += pick.count() > 0 ? hash_of(pick) : 0;
    account(pick, seats, -1);
}

void PartialPlan::clear() {
    while (!picks_.empty()) {
        remove_last();
    }
}

void PartialPlan::restore(std::vector<PlacedGroup> picks) {
    clear();
    put_back(std::move(picks));
}

void PartialPlan::put_back(std::vector<PlacedGroup> picks) {
    for (PlacedGroup& pick : picks) {
        count_pick(pick, 1);
        if (pick.count() > 0) {
            account(pick, pick.seats, 1);
            hash_ += hash_of(pick);
        }
        picks_.push_back(std::move(pick));
    }
}

std::vector<PlacedGroup> PartialPlan::take_out(std::uint32_t group) {
    const auto is_below = [&](const PlacedGroup& pick) {
        std::uint32_t above = pick.group;
        while (above != group && above != model::nowhere) {
            above = gang_.groups[above].parent;
        }
        return above == group;
    };
    std::vector<PlacedGroup> taken;
    std::ranges::copy_if(picks_, std::back_inserter(taken), is_below);
    std::erase_if(picks_, is_below);
    for (const PlacedGroup& pick : taken) {
        count_pick(pick, -1);
        if (pick.count() > 0) {
            account(pick, pick.seats, -1);
            hash_ -= hash_of(pick);
        }
    }
    return taken;
}

std::int64_t PartialPlan::seats_below(std::uint32_t group) const {
    std::int64_t seats = 0;
    for (const PlacedGroup& pick : picks_) {
        std::uint32_t above = pick.group;
        while (above != group && above != model::nowhere) {
            above = gang_.groups[above].parent;
        }
        seats += above == group ? pick.count() : 0;
    }
    return seats;
}

std::int64_t PartialPlan::left(std::uint32_t group, std::uint32_t member_class) const {
    return demand_.groups[group].waiting_of[member_class] - taken_[group][member_class];
}

std::uint32_t PartialPlan::compact_depth(std::uint32_t group, ScopeId scope) const {
    const std::uint32_t tree = scopes_.tree_of(scope);
    std::uint32_t depth = model::nowhere;
    for (std::uint32_t above = group; above != model::nowhere; above = gang_.groups[above].parent) {
        for (const model::LevelRef level : gang_.groups[above].preferred) {
            if (level.tree == tree && (depth == model::nowhere || level.depth > depth)) {
                depth = level.depth;
            }
        }
    }
    return depth;
}

std::vector<PodBatch> PartialPlan::batches_of(std::span<const PlacedGroup> picks) const {
    std::vector<PodBatch> batches;
    for (const PlacedGroup& pick : picks) {
        for (std::uint32_t member_class = 0; member_class < pick.seats.size(); ++member_class) {
            if (pick.seats[member_class] > 0) {
                batches.push_back({.group = pick.group,
                                   .member_class = member_class,
                                   .count = pick.seats[member_class],
                                   .scope = pick.scope,
                                   .compact_depth = compact_depth(pick.group, pick.scope)});
            }
        }
    }
    return batches;
}

bool PartialPlan::packs_around(ScopeId scope) {
    if (is_decided_by_counting()) {
        return true;
    }
    // Only batches that compete with the new ones, directly or through others, have to be packed with them.
    std::vector<PodBatch> batches;
    std::vector<std::uint8_t> is_met(picks_.size(), 0);
    std::vector<ScopeId> reached{scope};
    for (std::size_t i = 0; i < reached.size(); ++i) {
        packing_.work(picks_.size() * (8 + demand_.classes.size()));
        for (std::size_t p = 0; p < picks_.size(); ++p) {
            const PlacedGroup& pick = picks_[p];
            if (is_met[p] != 0 || pick.scope == no_scope) {
                continue;
            }
            if (!demand_.conflicts.are_wide() && !scopes_.may_overlap(reached[i], pick.scope)) {
                continue;
            }
            is_met[p] = 1;
            if (pick.count() == 0) {
                continue;
            }
            if (std::ranges::find(reached, pick.scope) == reached.end()) {
                reached.push_back(pick.scope);
            }
            const std::vector<PodBatch> met = batches_of(std::span(&pick, 1));
            batches.insert(batches.end(), met.begin(), met.end());
        }
    }
    const bool is_single_class = std::ranges::all_of(
        batches, [&](const PodBatch& batch) { return batch.member_class == batches.front().member_class; });
    if (is_single_class && scopes_.is_nested() && !demand_.conflicts.are_wide()) {
        return true;
    }
    std::uint64_t hash = 0;
    for (const PodBatch& batch : batches) {
        hash += mix(mix(mix(batch.scope + 1) ^ batch.member_class) ^ static_cast<std::uint64_t>(batch.count));
    }
    const auto [entry, is_new] = verdicts_.emplace(hash, Verdict::unknown);
    if (is_new) {
        entry->second = packing_.pack(batches).verdict;
    }
    const Verdict verdict = entry->second;
    if (is_new && verdict == Verdict::unknown && packing_.is_cut()) {
        verdicts_.erase(entry);  // A later share may have the steps for it.
    }
    is_unproved_ = is_unproved_ || verdict == Verdict::unknown;
    return verdict == Verdict::fits;
}

}  // namespace echelon::solver
