#pragma once

// How are the pods of every leaf spread over the domains of each level, down to nodes? Finds the best plan by
// `Objective`.
//
// A depth-first branch and bound. It chooses first how many members of each leaf get a seat. Then it chooses how many
// of them each domain gets, widest level first, down to nodes. It needs no plan to start from, so it also places gangs
// with multiples (D13), limits (D16) or pairs (D17) that scopes can't express. It stops at its budget with the best
// plan so far: more budget never gives a worse one. The recursion is as deep as there are shares. Single-threaded.

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
    Distribution(const model::Snapshot& snapshot, const Room& room, const model::Gang& gang, const Demand& demand,
                 CapacityBounds& bounds, const Objective& objective, SearchBudget& budget);

    // Compares a plan with the best one so far, and keeps the better. Requires: the plan breaks no rule.
    void offer(std::span<const PodBatch> batches, std::span<const Placement> placements);
    // Looks for better plans. True if all were seen or excluded: the best one is known, or there is none. With
    // `minimum_first` plans with few seats are tried first.
    bool improve(bool minimum_first = false);
    // False if counting alone proves that no plan uses fewer domains (O3).
    [[nodiscard]] bool may_use_fewer_domains();

    // True if the children of some group are not in proportion (D18).
    [[nodiscard]] bool is_unbalanced() const { return has_plan_ && best_.imbalance > 0; }

    [[nodiscard]] bool has_plan() const { return has_plan_; }
    [[nodiscard]] const Score& score() const { return best_; }
    // One for each leaf and member class; placements name them by index.
    [[nodiscard]] std::span<const PodBatch> batches() const { return batches_; }
    [[nodiscard]] std::span<const Placement> placements() const { return placements_; }

private:
    // A required level of a group, and where its members are so far: along the divided tree a part at each depth, else
    // a domain.
    struct RequiredLevel {
        std::uint32_t group = 0;
        model::LevelRef level;
        std::vector<std::uint32_t> where;   // [depth], or one entry if the level is of another tree.
        std::vector<std::int64_t> members;  // Members there.
    };
    struct Multiple {
        std::uint32_t group = 0;
        model::LevelRef level;
        std::int64_t number = 0;
        std::uint32_t smallest =
            model::nowhere;  // The batch of the smallest members, whose slots all others also take.
        std::map<std::uint32_t, std::int64_t> partial = {};  // [domain] bound members there.

        [[nodiscard]] bool is_whole(std::uint32_t domain, std::int64_t seats) const;
        [[nodiscard]] std::int64_t most_whole(std::uint32_t domain, std::int64_t room) const;  // Up to `room` seats.
    };
    struct Choice {
        PartId part = 0;
        std::int64_t most = 0;
        std::int64_t new_domains = 0;    // How many more domains O3 would count.
        std::int64_t free = 0;           // Of the scarcest resource.
        std::uint64_t content_hash = 0;  // Equal for interchangeable nodes.
    };
    // One batch that is being divided among the children of one part.
    struct BatchSplit {
        std::uint32_t level = 0;
        std::size_t parent = 0;
        std::uint32_t batch = 0;
        std::vector<Choice> choices;
        std::vector<std::int64_t> most_from;  // [choice] What it and all later ones could take.
        bool is_indivisible = false;          // One part must take all, since a required level is this one or narrower.
    };

    void list_batches();
    void list_required_levels();
    void list_levels_elsewhere();
    [[nodiscard]] RequiredLevel required_level(std::uint32_t group, model::LevelRef level) const;
    void list_multiples();
    void count_bound_domains();
    [[nodiscard]] std::vector<PartId> bound_parts_of(std::uint32_t group, std::uint32_t depth) const;
    void choose_count(std::uint32_t batch);
    [[nodiscard]] bool leaf_may_hold(std::uint32_t batch) const;
    [[nodiscard]] bool counts_hold();
    void divide_level(std::uint32_t level);
    void divide_batch(std::uint32_t level, std::size_t parent, std::uint32_t batch);
    [[nodiscard]] Choice choice_of(PartId part, std::uint32_t level, std::uint32_t batch, std::int64_t most);
    [[nodiscard]] BatchSplit begin(std::uint32_t level, std::size_t parent, std::uint32_t batch);
    void assign_from(const BatchSplit& split, std::size_t from, std::int64_t left);
    void assign_share(const BatchSplit& split, std::size_t choice, std::int64_t count, std::int64_t left);
    void evaluate_plan();
    void consider(std::vector<Placement> placements);

    // How many pods of a batch a part can still take, up to `left`.
    [[nodiscard]] std::int64_t most(PartId part, std::uint32_t batch, std::int64_t left);
    [[nodiscard]] bool is_indivisible(std::uint32_t batch, std::uint32_t level) const;
    [[nodiscard]] bool is_allowed(PartId part, std::uint32_t batch) const;
    [[nodiscard]] bool has_conflict(PartId part, std::uint32_t batch) const;
    [[nodiscard]] std::int64_t most_inside(PartId part, std::uint32_t member_class);
    [[nodiscard]] std::int64_t most_by_room(PartId part, std::uint32_t batch);
    [[nodiscard]] std::int64_t most_by_multiples(PartId part, std::uint32_t batch, std::int64_t most);
    [[nodiscard]] std::int64_t most_by_rules(PartId part, std::uint32_t batch, std::int64_t most);
    [[nodiscard]] bool multiples_hold(PartId part);
    [[nodiscard]] bool rules_hold(PartId part, std::size_t batch);
    [[nodiscard]] bool multiples_elsewhere_hold(std::span<const Placement> placements) const;
    void account(PartId part, std::uint32_t batch, std::int64_t count);
    void account_required_levels(PartId part, std::uint32_t batch, std::int64_t count);
    void account_preferences(PartId part, std::uint32_t batch, std::int64_t count);
    // True if this choice and the one before it are interchangeable.
    [[nodiscard]] bool are_alike(const BatchSplit& split, std::size_t choice);
    [[nodiscard]] bool completes(const BatchSplit& split, std::size_t choice, std::int64_t count);
    [[nodiscard]] std::int64_t members_of(PartId part, std::uint32_t group);
    [[nodiscard]] std::uint64_t content_hash(PartId part);
    [[nodiscard]] std::uint64_t content_hash_of(model::NodeId node) const;

    void compute_imbalances(std::uint32_t level);
    void count_fewest();
    [[nodiscard]] std::int64_t fewest(std::size_t preference, std::uint32_t depth);
    [[nodiscard]] std::vector<std::int64_t> least_spread(std::uint32_t level) const;
    [[nodiscard]] bool spreads_too_far(std::uint32_t level) const;
    [[nodiscard]] bool cannot_beat_best(std::uint32_t level);
    [[nodiscard]] std::vector<Taken> taken_at(std::uint32_t level);
    [[nodiscard]] bool is_over() const { return is_cut_; }
    bool spend(std::uint64_t steps);

    // The state of a part is one row in `states_`: the share of each batch, members by preference, and the sum of the
    // shares. Then what they take of the scarcest resource, and the room left (a node) or what is used of each bound.
    void ensure_state(PartId part);
    [[nodiscard]] std::int64_t& share(PartId part, std::uint32_t batch) { return states_[offset_[part] + batch]; }
    [[nodiscard]] std::int64_t& members_in(PartId part, std::size_t preference) {
        return states_[offset_[part] + batches_.size() + preference];
    }
    [[nodiscard]] std::int64_t& members(PartId part) {
        return states_[offset_[part] + batches_.size() + preferred_along_tree_.size()];
    }
    [[nodiscard]] std::int64_t& taken(PartId part) {
        return states_[offset_[part] + batches_.size() + preferred_along_tree_.size() + 1];
    }
    // What is left of one of `resources_`. Requires: a single node.
    [[nodiscard]] std::int64_t& room_left(PartId part, std::size_t resource) {
        return states_[offset_[part] + batches_.size() + preferred_along_tree_.size() + 2 + resource];
    }
    // What is used of one capacity bound. Requires: not a single node.
    [[nodiscard]] std::int64_t& used_of(PartId part, std::size_t bound) {
        return states_[offset_[part] + batches_.size() + preferred_along_tree_.size() + 2 + bound];
    }
    [[nodiscard]] std::int64_t scarce_need(std::uint32_t batch) const {
        return snapshot_.need[demand_.classes[batches_[batch].member_class]][objective_.scarce()];
    }
    [[nodiscard]] bool is_node(PartId part) const { return part != whole && parts_[part].depth + 1 == parts_.levels(); }

    const model::Snapshot& snapshot_;
    const Room& room_;
    const model::Gang& gang_;
    const Demand& demand_;
    CapacityBounds& bounds_;
    const Objective& objective_;
    SearchBudget& budget_;
    LevelPartition parts_;
    bool is_first_tree_ = true;                      // O4 can be compared level by level.
    std::vector<model::LevelRef> levels_elsewhere_;  // Those of other trees that rules of the gang count along.

    std::vector<PodBatch> batches_;
    std::vector<std::size_t> resources_;                // Those that some class needs.
    std::vector<PreferredLevel> preferred_along_tree_;  // Preferences along the tree that is divided.
    std::vector<RequiredLevel> required_levels_;
    std::vector<Multiple> multiples_;
    DomainCounts rules_;                                        // D16, D17.
    std::vector<std::vector<std::size_t>> required_levels_of_;  // [batch]
    std::vector<std::vector<std::size_t>> multiples_of_;        // [batch], along the tree.
    std::vector<std::vector<std::size_t>> preferences_of_;      // [batch] into preferred_along_tree_.
    std::vector<std::vector<PartId>> bound_parts_;              // Around every bound member's node.

    std::vector<std::size_t> offset_;  // [part] into states_, or `unknown`.
    std::vector<std::int64_t> states_;
    std::vector<std::int64_t> seats_of_batch_;  // [batch]
    std::int64_t left_out_ = 0;                 // Waiting members that get no seat.
    std::int64_t waiting_ = 0;
    std::vector<std::vector<PartId>> parts_with_share_;  // [level] parts with a share.
    std::vector<std::vector<PartId>> parents_;           // [level] parts that are divided.
    std::vector<std::vector<std::int64_t>> parts_used_;  // [preference][depth] so far, bound members included.
    std::vector<std::vector<std::int64_t>> cost_;        // The same, as O3 counts them.
    std::vector<std::vector<std::int64_t>> fewest_;      // [preference][depth] by counting.
    std::vector<std::int64_t> imbalances_;               // [roles] once their level is divided.
    // [bound, depth] capacities of the largest domains.
    std::map<std::pair<std::size_t, std::uint32_t>, std::vector<std::int64_t>> largest_;
    std::unordered_map<PartId, std::uint64_t> content_hashes_;
    PlacedCounts placed_;              // Of pods that have their nodes.
    std::size_t shares_assigned_ = 0;  // The depth of the recursion.

    bool is_minimum_first_ = false;
    bool is_cut_ = false;
    bool has_plan_ = false;
    Score best_;
    std::vector<Placement> placements_;
};

}  // namespace echelon::solver
