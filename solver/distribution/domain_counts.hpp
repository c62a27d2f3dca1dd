#pragma once

// How many replicas of a group may a part of the cluster still take under limits (D16) and pairs (D17)?
//
// Follows one distribution along one tree. Rules on other trees are checked once every pod has its node. Belongs to one
// distribution, single-threaded.

#include "model/gang/gang.hpp"
#include "solver/distribution/level_partition.hpp"
#include "solver/packing/capacity_bounds.hpp"
#include "solver/packing/demand.hpp"
#include "solver/packing/packing.hpp"
#include "solver/packing/search_budget.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace echelon::solver {

class DomainCounts {
public:
    // Requires: the arguments outlive it.
    DomainCounts(const model::Snapshot& snapshot, const model::Gang& gang, const Demand& demand, CapacityBounds& bounds,
                 const LevelPartition& parts, SearchBudget& budget);

    [[nodiscard]] bool exist() const { return !rules_.empty(); }
    // Call once, before any other. Requires: `batches` are sorted by group, as the distribution takes them.
    void follow(std::span<const PodBatch> batches, std::span<const std::size_t> resources);
    // How many of `most` seats of a batch a part may take, when all batches before it are divided. `remaining`: what is
    // left there, by bound, or by resource for a node.
    [[nodiscard]] std::int64_t most(PartId part, std::uint32_t batch, std::int64_t most,
                                    std::span<const std::int64_t> remaining);
    void account(PartId part, std::uint32_t batch, std::int64_t count);
    // False if the pairs of a part can't be in proportion once it takes `count` of a batch.
    [[nodiscard]] bool may_take(PartId part, std::uint32_t batch, std::int64_t count);
    // True if the children whose batches all come before this one are in proportion. Requires: those batches are
    // divided.
    [[nodiscard]] bool hold(PartId part, std::size_t batch);
    // True if rules on other trees hold. Requires: every pod has its node.
    [[nodiscard]] bool hold_elsewhere(std::span<const Placement> placements);

private:
    struct Counts {
        std::vector<std::int64_t> replicas;  // [kind]
        std::vector<std::int64_t> members;   // [unit]
        std::int64_t seats = 0;              // Those of them that are seats; the rest are bound.
    };
    // A kind is one child of a pair; a limit has one kind. A unit is a replica that consists of several members.
    struct Rule {
        std::uint32_t group = 0;
        model::LevelRef level;
        std::int64_t most = 0;                    // The limit; 0: the rule is a pair.
        std::vector<std::int64_t> shares;         // [kind] of a pair: replicas of each child.
        std::vector<std::uint32_t> kinds;         // [group - this->group] or nowhere.
        std::vector<std::uint32_t> units;         // The same; nowhere: each member is a replica.
        std::vector<std::uint32_t> kind_of_unit;  // [unit]
        std::vector<std::int64_t> last_batch;     // [kind] the last batch that counts; -1: none.
        // [kind] the least that a replica of a pair takes of each bound, and of each resource.
        std::vector<std::vector<std::int64_t>> of_bounds;
        std::vector<std::vector<std::int64_t>> of_resources;
        std::map<std::uint32_t, Counts> bound_counts;  // [domain]
        bool is_along = false;                         // Its level is of the divided tree.
        bool is_balanced = true;  // Bound members are in proportion in each domain: so must all be in wider parts.
        std::vector<std::vector<std::int64_t>> room;  // [kind] prefix sums by position of what domains may hold.
        std::unordered_map<PartId, Counts> by_part;   // Bound members included.

        [[nodiscard]] bool has(std::uint32_t leaf) const {
            return leaf >= group && leaf - group < kinds.size() && kinds[leaf - group] != model::nowhere;
        }
        [[nodiscard]] std::uint32_t kind_of(std::uint32_t leaf) const { return kinds[leaf - group]; }
        [[nodiscard]] std::uint32_t unit_of(std::uint32_t leaf) const { return units[leaf - group]; }
    };

    // How many other children of a pair are compared. Leaving some out only weakens the bound.
    static constexpr std::size_t most_partners = 32;
    struct Partners {
        std::vector<std::uint32_t> decided;  // All their batches are divided.
        std::vector<std::uint32_t> undecided;
    };
    struct Range {
        std::int64_t least = 0;
        std::int64_t most = 0;
    };

    void number(std::uint32_t group, std::uint32_t kind, std::uint32_t unit, Rule& rule) const;
    void number_limit(Rule& rule) const;
    void number_pair(Rule& rule) const;
    void count_bound(Rule& rule) const;
    void measure_room(Rule& rule) const;
    [[nodiscard]] static Partners undecided_partners(const Rule& rule, std::uint32_t kind);
    [[nodiscard]] std::int64_t room_in(const Rule& rule, std::uint32_t kind, std::uint32_t domain, const Counts& here,
                                       const Partners& partners, std::vector<std::int64_t>& remaining) const;
    void measure_replicas(Rule& rule, std::span<const std::size_t> resources) const;
    [[nodiscard]] std::int64_t least_of_replica(const Rule& rule, std::uint32_t kind,
                                                std::span<const std::int64_t> weights) const;
    // The least weight that a group takes once it has a seat.
    [[nodiscard]] std::int64_t least_of(std::uint32_t group, std::span<const std::int64_t> weights) const;
    [[nodiscard]] std::int64_t lightest_of(std::uint32_t group, std::span<const std::int64_t> weights) const;
    [[nodiscard]] bool is_confined(std::uint32_t group, model::LevelRef level) const;
    [[nodiscard]] Counts& counts(Rule& rule, PartId part);
    static void add(const Rule& rule, std::uint32_t leaf, std::int64_t count, Counts& to);
    [[nodiscard]] bool is_at(const Rule& rule, PartId part) const;
    [[nodiscard]] std::int64_t room_of(const Rule& rule, std::uint32_t kind, PartId part) const;
    // `most` under one rule along the divided tree. Requires: the part isn't inside a domain of the rule's level.
    [[nodiscard]] std::int64_t most_by(Rule& rule, PartId part, std::uint32_t batch, std::int64_t most,
                                       std::span<const std::int64_t> remaining);
    [[nodiscard]] std::int64_t most_of_pair(const Rule& rule, std::uint32_t batch, std::int64_t wanted,
                                            const Counts& here, bool is_node,
                                            std::span<const std::int64_t> remaining) const;
    [[nodiscard]] static Partners partners_of(const Rule& rule, std::uint32_t kind, std::size_t batch);
    [[nodiscard]] static Range range_of(const Rule& rule, std::uint32_t other, std::uint32_t kind,
                                        std::int64_t replicas, const Counts& here, const Partners& partners);
    [[nodiscard]] std::int64_t most_beside_undecided(const Rule& rule, std::uint32_t kind, std::int64_t most,
                                                     const Counts& here, const Partners& partners,
                                                     std::span<const std::int64_t> remaining,
                                                     std::span<const std::vector<std::int64_t>> weights) const;
    [[nodiscard]] static bool may_be_final(const Rule& rule, std::uint32_t kind, std::int64_t replicas,
                                           const Counts& here, const Partners& partners);

    const model::Snapshot& snapshot_;
    const model::Gang& gang_;
    const Demand& demand_;
    CapacityBounds& bounds_;
    const LevelPartition& parts_;
    SearchBudget& budget_;
    std::span<const PodBatch> batches_;
    std::vector<Rule> rules_;
    std::vector<std::vector<std::size_t>> rules_of_;  // [batch]
};

// Two children have `a` and `b` replicas in all. How many of the first may, and must, be in a domain with `there` of
// the second (D17)?
[[nodiscard]] std::int64_t most_beside(std::int64_t a, std::int64_t b, std::int64_t there);
[[nodiscard]] std::int64_t least_beside(std::int64_t a, std::int64_t b, std::int64_t there);

}  // namespace echelon::solver
