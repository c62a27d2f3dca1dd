#pragma once

// How are the pods of every leaf divided among the parts of the cluster, one level after another? The best plan there
// is.
//
// Depth first over every division that differs: first how many of each leaf, then how many of those in each domain of
// the widest level, and so on down to nodes, with whatever can't become better than the best plan so far left out.
// Finds plans from nothing too, for gangs whose multiples (D13), limits (D16) and pairs (D17) a search by scopes can't
// place. Stops at its budget
// with the best plan so far: more budget never gives a worse one. Recursion is as deep as shares are given.
// Single-threaded.

#include "model/gang/gang.hpp"
#include "solver/distribution/domain_counts.hpp"
#include "solver/distribution/level_partition.hpp"
#include "solver/packing/capacity_bounds.hpp"
#include "solver/packing/demand.hpp"
#include "solver/packing/objective.hpp"
#include "solver/packing/packing.hpp"
#include "solver/packing/search_budget.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace echelon::solver {

class Distribution {
public:
    // Requires: the arguments outlive it.
    Distribution(const model::Snapshot& snapshot, const Room& room, const model::Gang& gang, const Demand& needs,
                 CapacityBounds& gauges, const Objective& objective, SearchBudget& steps);

    // A plan that is known; the better of two is kept. Requires: sound.
    void know(std::span<const PodBatch> lots, std::span<const Placement> placements);
    // Looks for better plans; true: the best one is known, or it's proved that there is none. With `minimum_first`
    // small plans are tried before large ones.
    bool improve(bool minimum_first = false);
    // Not before there is reason to hope: counting alone may prove that no plan has fewer domains (O3).
    [[nodiscard]] bool may_use_fewer_domains();

    // The roles of some group could stand in better proportion (D18).
    [[nodiscard]] bool is_unbalanced() const { return has_plan_ && best_.imbalance > 0; }

    [[nodiscard]] bool has_plan() const { return has_plan_; }
    [[nodiscard]] const Score& worth() const { return best_; }
    // One per leaf and size; placements name them by index.
    [[nodiscard]] std::span<const PodBatch> lots() const { return lots_; }
    [[nodiscard]] std::span<const Placement> placements() const { return placements_; }

private:
    // A required level and where its group is. Along the tree that is divided: a part per level, else a domain.
    struct Limit {
        std::uint32_t group = 0;
        model::LevelRef level;
        std::vector<std::uint32_t> where;  // [depth], or one entry for another tree.
        std::vector<std::int64_t> uses;    // Members there.
    };
    struct Multiple {
        std::uint32_t group = 0;
        model::LevelRef level;
        std::int64_t number = 0;
        std::uint32_t smallest = model::nowhere;  // Lot for whose slots all members of the group compete, if any.
        std::map<std::uint32_t, std::int64_t> begun = {};  // Domain -> bound members, where a part of one stands.

        [[nodiscard]] bool is_whole(std::uint32_t domain, std::int64_t seats) const;
        [[nodiscard]] std::int64_t most_whole(std::uint32_t domain, std::int64_t room) const;  // Up to `room` seats.
    };
    struct Choice {
        CellId part = 0;
        std::int64_t most = 0;
        std::int64_t news = 0;       // Domains that O3 would count in addition.
        std::int64_t free = 0;       // Of the scarcest resource.
        std::uint64_t likeness = 0;  // Nodes that share it may stand for each other.
    };
    // One lot being shared out below one part.
    struct Spreading {
        std::uint32_t level = 0;
        std::size_t task = 0;
        std::uint32_t lot = 0;
        std::vector<Choice> choices;
        std::vector<std::int64_t> after;  // What the choices from one on could take.
        bool is_together = false;         // One part must take all: a required level is this one or narrower.
    };

    void list_lots();
    void list_limits();
    void list_multiples();
    void use_bound();
    [[nodiscard]] std::vector<CellId> bound_parts_of(std::uint32_t group, std::uint32_t depth) const;
    void choose_count(std::uint32_t lot);
    [[nodiscard]] bool leaf_may_hold(std::uint32_t lot) const;
    [[nodiscard]] bool counts_hold();
    void divide(std::uint32_t level);
    void divide_lot(std::uint32_t level, std::size_t task, std::uint32_t lot);
    [[nodiscard]] Spreading begin(std::uint32_t level, std::size_t task, std::uint32_t lot);
    void give(const Spreading& spreading, std::size_t from, std::int64_t left);
    void assign_share_to(const Spreading& spreading, std::size_t choice, std::int64_t count, std::int64_t left);
    void judge();
    void consider(std::vector<Placement> placements);

    // How many pods of a lot a part can still take, up to `left`.
    [[nodiscard]] std::int64_t most(CellId part, std::uint32_t lot, std::int64_t left);
    [[nodiscard]] bool is_together(std::uint32_t lot, std::uint32_t level) const;
    [[nodiscard]] bool is_allowed(CellId part, std::uint32_t lot) const;
    [[nodiscard]] bool has_conflict(CellId part, std::uint32_t lot) const;
    [[nodiscard]] std::int64_t most_by_room(CellId part, std::uint32_t lot);
    [[nodiscard]] std::int64_t most_by_multiples(CellId part, std::uint32_t lot, std::int64_t most);
    [[nodiscard]] std::int64_t most_by_rules(CellId part, std::uint32_t lot, std::int64_t most);
    [[nodiscard]] bool multiples_hold(CellId part);
    [[nodiscard]] bool rules_hold(CellId part, std::size_t lot);
    [[nodiscard]] bool multiples_elsewhere_hold(std::span<const Placement> placements) const;
    void account(CellId part, std::uint32_t lot, std::int64_t count);
    void account_limits(CellId part, std::uint32_t lot, std::int64_t count);
    void account_preferences(CellId part, std::uint32_t lot, std::int64_t count);
    [[nodiscard]] bool are_alike(const Spreading& spreading, std::size_t choice);
    [[nodiscard]] bool completes(const Spreading& spreading, std::size_t choice, std::int64_t count);
    [[nodiscard]] std::int64_t members_of(CellId part, std::uint32_t group);
    [[nodiscard]] std::uint64_t contents(CellId part);
    [[nodiscard]] std::uint64_t contents_of(model::NodeId node) const;

    void settle_balance(std::uint32_t level);
    void count_fewest();
    [[nodiscard]] std::int64_t fewest(std::size_t preference, std::uint32_t depth);
    [[nodiscard]] std::vector<std::int64_t> least_spread(std::uint32_t level) const;
    [[nodiscard]] bool spreads_too_far(std::uint32_t level) const;
    [[nodiscard]] bool is_hopeless(std::uint32_t level);
    [[nodiscard]] std::vector<Taken> taken_at(std::uint32_t level);
    [[nodiscard]] bool is_over() const { return is_cut_; }
    bool spend(std::uint64_t steps);

    // What is kept of a part: shares of lots, uses of preferences, their sum, what they
    // take of the scarcest resource, then room (a node) or loads of gauges.
    void enter(CellId part);
    [[nodiscard]] std::int64_t& share(CellId part, std::uint32_t lot) { return states_[offset_[part] + lot]; }
    [[nodiscard]] std::int64_t& uses(CellId part, std::size_t preference) {
        return states_[offset_[part] + lots_.size() + preference];
    }
    [[nodiscard]] std::int64_t& members(CellId part) {
        return states_[offset_[part] + lots_.size() + preferred_along_tree_.size()];
    }
    [[nodiscard]] std::int64_t& taken(CellId part) {
        return states_[offset_[part] + lots_.size() + preferred_along_tree_.size() + 1];
    }
    [[nodiscard]] std::int64_t& load(CellId part, std::size_t index) {
        return states_[offset_[part] + lots_.size() + preferred_along_tree_.size() + 2 + index];
    }
    [[nodiscard]] std::int64_t scarce_need(std::uint32_t lot) const {
        return snapshot_.need[needs_.sizes[lots_[lot].size]][objective_.scarce()];
    }
    [[nodiscard]] bool is_node(CellId part) const { return part != whole && parts_[part].depth + 1 == parts_.levels(); }

    const model::Snapshot& snapshot_;
    const Room& room_;
    const model::Gang& gang_;
    const Demand& needs_;
    CapacityBounds& gauges_;
    const Objective& objective_;
    SearchBudget& steps_;
    Parts parts_;
    bool is_first_tree_ = true;  // O4 is known level by level.
    bool is_one_tree_ = true;    // Nobody asks for a level of another.

    std::vector<PodBatch> lots_;
    std::vector<std::size_t> resources_;                // That some size needs.
    std::vector<PreferredLevel> preferred_along_tree_;  // Preferences along the tree that is divided.
    std::vector<Limit> limits_;
    std::vector<Multiple> multiples_;
    DomainCounts rules_;                                    // D16, D17.
    std::vector<std::vector<std::size_t>> limits_of_;       // [lot]
    std::vector<std::vector<std::size_t>> multiples_of_;    // [lot], along the tree.
    std::vector<std::vector<std::size_t>> preferences_of_;  // [lot] into along_.
    std::vector<std::vector<CellId>> bound_parts_;          // Around every bound member's node.

    std::vector<std::size_t> offset_;  // [part] into states_, or `unknown`.
    std::vector<std::int64_t> states_;
    std::vector<std::int64_t> totals_;  // [lot]
    std::int64_t lost_ = 0;             // Waiting members that stay behind.
    std::int64_t waiting_ = 0;
    std::vector<std::vector<CellId>> loaded_;            // [level] parts with a share.
    std::vector<std::vector<CellId>> tasks_;             // [level] parts that are divided.
    std::vector<std::vector<std::int64_t>> parts_used_;  // [preference][depth] so far, bound members included.
    std::vector<std::vector<std::int64_t>> cost_;        // The same as O3 counts them, at least.
    std::vector<std::vector<std::int64_t>> fewest_;      // [preference][depth] by counting.
    std::vector<std::int64_t> imbalances_;               // [roles] once their level is divided.
    std::map<std::pair<std::size_t, std::uint32_t>, std::vector<std::int64_t>> largest_;  // Caps by gauge and depth.
    std::unordered_map<CellId, std::uint64_t> contents_;
    Company company_;                  // Of pods that have their nodes.
    std::size_t shares_assigned_ = 0;  // Shares at present: the depth of the recursion.

    bool is_minimum_first_ = false;
    bool is_cut_ = false;
    bool has_plan_ = false;
    Score best_;
    std::vector<Placement> placements_;
};

}  // namespace echelon::solver
