#pragma once

// How many replicas of a group may a part of the cluster still take, by the rules that count what is in each domain
// of a level: limits (D16) and pairs (D17)?
//
// Follows one division of the cluster along one tree. Rules on other trees are judged once every pod has its node.
// Belongs to one division, single-threaded.

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
    DomainCounts(const model::Snapshot& snapshot, const model::Gang& gang, const Demand& needs, CapacityBounds& gauges,
                 const Parts& parts, SearchBudget& steps);

    [[nodiscard]] bool exist() const { return !rules_.empty(); }
    // Once, before any other call. Lots are by group, as the division takes them.
    void follow(std::span<const PodBatch> lots, std::span<const std::size_t> resources);
    // How many of `most` seats of a lot a part may take, when all lots before it are divided. `rest` is what is left
    // there: of each gauge, of a node of each resource.
    [[nodiscard]] std::int64_t most(CellId part, std::uint32_t lot, std::int64_t most,
                                    std::span<const std::int64_t> rest);
    void account(CellId part, std::uint32_t lot, std::int64_t count);
    // A part that takes so many of a lot may still come to have its pairs in proportion.
    [[nodiscard]] bool may_take(CellId part, std::uint32_t lot, std::int64_t count);
    // Children whose lots are all before this one are in proportion. Requires: these are divided.
    [[nodiscard]] bool hold(CellId part, std::size_t lot);
    // Rules on other trees, once every pod has its node.
    [[nodiscard]] bool hold_elsewhere(std::span<const Placement> placements);

private:
    struct Counts {
        std::vector<std::int64_t> replicas;  // [kind]
        std::vector<std::int64_t> members;   // [unit]
        std::int64_t seats = 0;              // Of all these; others are bound.
    };
    // A kind is a child of a pair, or all that a limit counts. A unit is a replica of several members.
    struct Rule {
        std::uint32_t group = 0;
        model::LevelRef level;
        std::int64_t most = 0;                    // Of a limit; 0: a pair.
        std::vector<std::int64_t> shares;         // [kind] of a pair: replicas of each child.
        std::vector<std::uint32_t> kinds;         // [group, from its own on] or nowhere.
        std::vector<std::uint32_t> units;         // The same; nowhere: its members are replicas themselves.
        std::vector<std::uint32_t> kind_of_unit;  // [unit]
        std::vector<std::int64_t> last_lot;       // [kind], or -1.
        // [kind] the least that a replica of a pair takes of each gauge, and of each resource.
        std::vector<std::vector<std::int64_t>> of_gauges;
        std::vector<std::vector<std::int64_t>> of_resources;
        std::map<std::uint32_t, Counts> bound;  // [domain]
        bool is_along = false;                  // The tree that is divided.
        bool is_balanced = true;  // What is bound keeps the rule everywhere, so that it holds around domains, too.
        std::vector<std::vector<std::int64_t>> room;  // [kind] running sums by position, of what domains may hold.
        std::unordered_map<CellId, Counts> by_part;   // Bound members included.

        [[nodiscard]] bool has(std::uint32_t leaf) const {
            return leaf >= group && leaf - group < kinds.size() && kinds[leaf - group] != model::nowhere;
        }
        [[nodiscard]] std::uint32_t kind_of(std::uint32_t leaf) const { return kinds[leaf - group]; }
        [[nodiscard]] std::uint32_t unit_of(std::uint32_t leaf) const { return units[leaf - group]; }
    };

    // Of the other children of a pair; fewer of them only make a bound weaker.
    static constexpr std::size_t most_partners = 32;
    struct Partners {
        std::vector<std::uint32_t> done;  // Their numbers are settled.
        std::vector<std::uint32_t> open;
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
    void measure_replicas(Rule& rule, std::span<const std::size_t> resources) const;
    [[nodiscard]] std::int64_t least_of_replica(const Rule& rule, std::uint32_t kind,
                                                std::span<const std::int64_t> weights) const;
    // The fewest pods that a group takes once it has one, each by its weight.
    [[nodiscard]] std::int64_t least_of(std::uint32_t group, std::span<const std::int64_t> weights) const;
    [[nodiscard]] std::int64_t lightest_of(std::uint32_t group, std::span<const std::int64_t> weights) const;
    [[nodiscard]] bool is_confined(std::uint32_t group, model::LevelRef level) const;
    [[nodiscard]] Counts& counts(Rule& rule, CellId part);
    static void add(const Rule& rule, std::uint32_t leaf, std::int64_t count, Counts& to);
    [[nodiscard]] bool is_at(const Rule& rule, CellId part) const;
    [[nodiscard]] std::int64_t room_of(const Rule& rule, std::uint32_t kind, CellId part) const;
    [[nodiscard]] std::int64_t most_of_pair(const Rule& rule, std::uint32_t lot, std::int64_t wanted,
                                            const Counts& here, bool is_node, std::span<const std::int64_t> rest) const;
    [[nodiscard]] static Partners partners_of(const Rule& rule, std::uint32_t kind, std::size_t lot);
    [[nodiscard]] static Range range_of(const Rule& rule, std::uint32_t other, std::uint32_t kind,
                                        std::int64_t replicas, const Counts& here, const Partners& partners);
    [[nodiscard]] std::int64_t most_beside_open(const Rule& rule, std::uint32_t kind, std::int64_t most,
                                                const Counts& here, const Partners& partners,
                                                std::span<const std::int64_t> rest,
                                                std::span<const std::vector<std::int64_t>> weights) const;
    [[nodiscard]] static bool may_be_final(const Rule& rule, std::uint32_t kind, std::int64_t replicas,
                                           const Counts& here, const Partners& partners);

    const model::Snapshot& snapshot_;
    const model::Gang& gang_;
    const Demand& needs_;
    CapacityBounds& gauges_;
    const Parts& parts_;
    SearchBudget& steps_;
    std::span<const PodBatch> lots_;
    std::vector<Rule> rules_;
    std::vector<std::vector<std::size_t>> rules_of_;  // [lot]
};

// Of children with `a` and `b` replicas in all, how many of the first there may be beside `there` of the second, and
// how many there have to be (D17).
[[nodiscard]] std::int64_t most_beside(std::int64_t a, std::int64_t b, std::int64_t there);
[[nodiscard]] std::int64_t least_beside(std::int64_t a, std::int64_t b, std::int64_t there);

}  // namespace echelon::solver
