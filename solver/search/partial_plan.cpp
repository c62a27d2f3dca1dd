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

PartialPlan::PartialPlan(const model::Snapshot& snapshot, const Room& room, const model::Gang& gang,
                         const Demand& demand, const Scopes& scopes, CapacityBounds& bounds, Packing& packing)
    : snapshot_(snapshot),
      gang_(gang),
      demand_(demand),
      scopes_(scopes),
      bounds_(bounds),
      packing_(packing),
      known_(snapshot, room, demand, scopes),
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
    bounds_.add_used(pick.scope, bounds_.amounts(seats), sign);
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
        if (!bounds_.admits(scope, bounds_.amounts(pick.seats)) ||
            (demand_.conflicts.are_wide() && has_conflict(pick))) {
            return false;
        }
        account(pick, pick.seats, 1);
        hash_ += hash_of(pick);
    }
    count_pick(pick, 1);
    picks_.push_back(std::move(pick));
    if (seated && !packs(picks_.back(), picks_.back().seats)) {
        remove_last();
        return false;
    }
    return true;
}

// Takes everything back that a pick has added.
void PartialPlan::leave(const PlacedGroup& pick) {
    count_pick(pick, -1);
    if (pick.count() > 0) {
        account(pick, pick.seats, -1);
        hash_ -= hash_of(pick);
    }
    known_.remove(pick.nodes);
    unknown_ -= pick.is_unknown ? 1 : 0;
}

void PartialPlan::remove_last() {
    const PlacedGroup pick = std::move(picks_.back());
    picks_.pop_back();
    leave(pick);
}

bool PartialPlan::raise(std::size_t index, std::uint32_t member_class, std::int64_t count) {
    PlacedGroup& pick = picks_[index];
    std::vector<std::int64_t> seats(demand_.classes.size(), 0);
    seats[member_class] = count;
    if (!bounds_.admits(pick.scope, bounds_.amounts(seats))) {
        return false;
    }
    change_seats(pick, member_class, count);
    if (!packs(pick, seats)) {
        change_seats(pick, member_class, -count);
        return false;
    }
    return true;
}

void PartialPlan::change_seats(PlacedGroup& pick, std::uint32_t member_class, std::int64_t count) {
    std::vector<std::int64_t> seats(demand_.classes.size(), 0);
    seats[member_class] = count;
    hash_ -= pick.count() > 0 ? hash_of(pick) : 0;
    pick.seats[member_class] += count;
    hash_ += pick.count() > 0 ? hash_of(pick) : 0;
    account(pick, seats, 1);
}

void PartialPlan::lower(std::size_t index, std::uint32_t member_class, std::int64_t count) {
    PlacedGroup& pick = picks_[index];
    change_seats(pick, member_class, -count);
    for (std::size_t i = pick.nodes.size(); i-- > 0 && count > 0;) {
        if (pick.nodes[i].member_class == member_class) {
            PodsOnNode taken = pick.nodes[i];
            taken.count = std::min(taken.count, count);
            known_.remove(std::span(&taken, 1));
            pick.nodes[i].count -= taken.count;
            count -= taken.count;
        }
    }
    std::erase_if(pick.nodes, [](const PodsOnNode& pods) { return pods.count == 0; });
    if (pick.is_unknown && pick.count() == 0) {
        pick.is_unknown = false;
        --unknown_;
    }
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
        if (!known_.put_back(pick.nodes)) {
            pick.nodes.clear();
            pick.is_unknown = true;
        }
        unknown_ += pick.is_unknown ? 1 : 0;
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
        leave(pick);
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

}  // namespace echelon::solver
