// Can the seats of a partial plan be packed? Pods that are added go beside the known packing if they can; else the pods
// that compete with them are packed anew.

#include "solver/packing/hash.hpp"
#include "solver/search/partial_plan.hpp"

#include <algorithm>

namespace echelon::solver {

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

std::vector<Placement> PartialPlan::known_placements() const {
    std::vector<Placement> placements;
    std::uint32_t batch = 0;
    if (unknown_ > 0) {
        return placements;
    }
    for (const PlacedGroup& pick : picks_) {
        for (std::uint32_t member_class = 0; member_class < pick.seats.size(); ++member_class) {
            for (const PodsOnNode& pods : pick.nodes) {
                if (pods.member_class == member_class) {
                    placements.push_back({.batch = batch, .node = pods.node, .count = pods.count});
                }
            }
            batch += pick.seats[member_class] > 0 ? 1U : 0U;
        }
    }
    return placements;
}

void PartialPlan::forget_nodes(PlacedGroup& pick) {
    known_.remove(pick.nodes);
    pick.nodes.clear();
    unknown_ += pick.is_unknown ? 0 : 1;
    pick.is_unknown = true;
}

void PartialPlan::learn(std::span<const PodBatch> batches, std::span<const std::size_t> pick_of,
                        std::span<const Placement> placements) {
    for (const std::size_t index : pick_of) {
        forget_nodes(picks_[index]);
    }
    for (const Placement& placement : placements) {
        const std::uint32_t member_class = batches[placement.batch].member_class;
        picks_[pick_of[placement.batch]].nodes.push_back(
            {.member_class = member_class, .node = placement.node, .count = placement.count});
    }
    for (const std::size_t index : pick_of) {
        PlacedGroup& pick = picks_[index];
        if (!pick.is_unknown) {
            continue;  // Of several batches.
        }
        if (known_.put_back(pick.nodes)) {
            pick.is_unknown = false;
            --unknown_;
        } else {
            pick.nodes.clear();
        }
    }
    packing_.work(known_.take_work());
}

bool PartialPlan::packs(PlacedGroup& pick, std::span<const std::int64_t> seats) {
    if (is_decided_by_counting()) {
        return true;
    }
    const bool is_known = unknown_ == 0 && known_.add(pick.scope, seats, pick.nodes);
    packing_.work(known_.take_work());
    if (is_known) {
        return true;
    }
    if (!packs_around(pick.scope)) {
        return false;
    }
    std::int64_t known = 0;
    for (const PodsOnNode& pods : pick.nodes) {
        known += pods.count;
    }
    if (known != pick.count()) {
        forget_nodes(pick);  // They fit by counting, or by an earlier packing.
    }
    return true;
}

// The batches that compete for nodes with a batch in the scope, directly or through others.
PartialPlan::Competitors PartialPlan::competitors(ScopeId scope) {
    Competitors found;
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
            found.batches.insert(found.batches.end(), met.begin(), met.end());
            found.pick_of.resize(found.batches.size(), p);
        }
    }
    return found;
}

bool PartialPlan::packs_around(ScopeId scope) {
    // Only batches that compete with the new ones have to be packed with them.
    const auto [batches, pick_of] = competitors(scope);
    const bool is_single_class = std::ranges::all_of(
        batches, [&](const PodBatch& batch) { return batch.member_class == batches.front().member_class; });
    if (is_single_class && scopes_.is_nested() && !demand_.conflicts.are_wide()) {
        return true;
    }
    std::uint64_t hash = 0;
    for (const PodBatch& batch : batches) {
        hash += mix(mix(mix(batch.scope + 1) ^ batch.member_class) ^ static_cast<std::uint64_t>(batch.count));
    }
    const auto [entry, is_new] = known_feasibility_.emplace(hash, Feasibility::unknown);
    if (is_new) {
        const Packed packed = packing_.pack(batches);
        entry->second = packed.feasibility;
        if (packed.feasibility == Feasibility::fits) {
            learn(batches, pick_of, packed.placements);
        }
    }
    const Feasibility feasibility = entry->second;
    if (is_new && feasibility == Feasibility::unknown && packing_.is_cut()) {
        known_feasibility_.erase(entry);  // A later share may have the steps for it.
    }
    is_unproved_ = is_unproved_ || feasibility == Feasibility::unknown;
    return feasibility == Feasibility::fits;
}

}  // namespace echelon::solver
