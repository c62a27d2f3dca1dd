#pragma once

// Which children, in which scopes, satisfy the whole gang? Depth first over every choice that differs.
//
// Children are chosen by feasibility, never by name (N8); domains are tried tightest first among those that hold the
// whole group (O2 before O4). A search that ends within its limit without an answer has proved that there is none.
// Recursion is as deep as there are groups. Single-threaded.

#include "model/gang/gang.hpp"
#include "solver/packing/capacity_bounds.hpp"
#include "solver/packing/demand.hpp"
#include "solver/packing/scopes.hpp"
#include "solver/packing/search_budget.hpp"
#include "solver/search/partial_plan.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace echelon::solver {

class Search {
public:
    enum class Goal : std::uint8_t {
        minimum,     // Every minimum of the root.
        everything,  // Every waiting member of every group that can be satisfied.
    };

    Search(const model::Snapshot& snapshot, const Room& room, const model::Gang& gang, const Demand& needs,
           Scopes& scopes, CapacityBounds& gauges, PartialPlan& draft, SearchBudget& steps);

    // The first answer; it stays in the draft. Restarts with the groups in front that failed most, and mends answers
    // that are almost there.
    Verdict find(Goal ask);
    // The answer with most seats, at least `at_least` and never more than `enough`; it stays in the draft, which is
    // empty when there is none; unknown: there may be one all the same.
    Verdict find_most(std::int64_t at_least, std::int64_t enough);
    // Adds whatever else fits to the answer in the draft: whole children first, then seats.
    void fill();

    // The least that a satisfied group takes of every gauge.
    [[nodiscard]] std::span<const std::int64_t> least(Goal ask, std::uint32_t group) const;
    // No answer can have more seats than this.
    [[nodiscard]] std::int64_t most_seats();
    // How often a group had nowhere to go: the culprit of a refusal.
    [[nodiscard]] std::uint64_t failures(std::uint32_t group) const { return failures_[group]; }

private:
    struct Cell;  // One obligation; a list of them is what is left to do.
    struct Ranked {
        ScopeId scope = 0;
        bool holds_all = false;
        std::array<std::int64_t, 6> rest{};  // Of the hardest size: in the domains around, widest first, then inside.
        std::uint32_t index = 0;             // In path order.
    };
    [[nodiscard]] static bool is_better(const Ranked& a, const Ranked& b);

    Verdict attempt();
    bool step(const Cell* cell);
    bool place(const Cell& cell);
    bool place_leaf(const Cell& cell, ScopeId scope);
    bool place_multiples(const Cell& cell);
    bool place_composite(const Cell& cell, ScopeId scope);
    bool choose_children(const Cell& cell);
    bool complete();
    bool place_child(std::uint32_t child, ScopeId scope);

    // W5: a draft that is mended until it is an answer. Never proves anything.
    struct RepairState;
    struct Ejection;  // Who makes room for a group, and where.
    bool repair(std::uint64_t most_steps);
    bool repair_in();
    void queue_children(RepairState& mending, std::uint32_t group) const;
    [[nodiscard]] std::uint32_t next_unplaced(RepairState& mending);
    bool house(RepairState& mending, std::uint32_t group);
    void eject(RepairState& mending, std::uint32_t group);
    bool place_without_children(RepairState& mending, std::uint32_t group);
    bool put(std::uint32_t group, ScopeId outer, ScopeId scope);
    bool place_by_ejecting(RepairState& mending, std::uint32_t group);
    void rank_ejections(const RepairState& mending, std::uint32_t group, ScopeId scope, Ejection& best);
    [[nodiscard]] std::vector<std::uint32_t> groups_in(const RepairState& mending, std::uint32_t group,
                                                       ScopeId scope) const;
    void try_ejection(const RepairState& mending, std::uint32_t group, Ejection tried, Ejection& best);

    // The size of a leaf that is placed in lots; nowhere: it can't be.
    [[nodiscard]] std::uint32_t multiple_class(std::uint32_t group) const;

    [[nodiscard]] std::vector<Ranked> rank(std::uint32_t group, ScopeId outer);
    [[nodiscard]] bool children_may_fit(std::uint32_t group, ScopeId scope, std::uint32_t position,
                                        std::int64_t wanted);
    [[nodiscard]] bool pieces_may_fit(std::size_t gauge, std::uint32_t group, ScopeId scope, std::uint32_t position,
                                      std::span<const std::int64_t> demands);
    [[nodiscard]] std::int64_t most_children(std::uint32_t child, ScopeId scope, std::int64_t enough);
    [[nodiscard]] std::uint64_t alike(std::uint32_t group, ScopeId outer, ScopeId scope);
    [[nodiscard]] std::uint64_t empty_domain_class(ScopeId scope);
    [[nodiscard]] std::int64_t most_of(std::span<const std::int64_t> sizes, ScopeId scope);
    [[nodiscard]] std::int64_t wanted_children(std::uint32_t group) const;
    void order_children();
    void compute_least();
    void compute_options();
    void list_options(std::uint32_t group, std::vector<std::int64_t>& seats, std::size_t at, std::int64_t left,
                      std::int64_t there);
    [[nodiscard]] bool meet_floors();
    void add_children(std::uint32_t group, ScopeId scope);
    std::int64_t add_seats(std::size_t pick, std::int64_t most);
    std::int64_t add_multiples(const PlacedGroup& leaf, std::int64_t most);
    void fill_exactly();
    void fill_from(std::size_t at);

    const model::Snapshot& snapshot_;
    const Room& room_;
    const model::Gang& gang_;
    const Demand& needs_;
    Scopes& scopes_;
    CapacityBounds& gauges_;
    PartialPlan& draft_;
    SearchBudget& steps_;

    std::vector<std::uint32_t> classes_easiest_first_;             // Every size after those that it covers.
    std::vector<std::vector<std::int64_t>> least_[2];              // [ask][group][gauge]
    std::vector<std::vector<std::vector<std::int64_t>>> options_;  // [leaf] seats that meet the minimum, [size].
    std::uint64_t option_limit_ = 0;                               // Steps, when listing them ends.
    std::vector<std::uint32_t> hardest_class_;                     // [group] size with fewest slots.
    std::vector<std::vector<std::uint32_t>> order_;                // [group] children, as they are tried.
    std::vector<std::uint64_t> failures_;                          // [group]
    std::unordered_map<std::uint64_t, std::uint32_t>
        refuted_scopes_;                                        // (parent, twin, scope) that no later twin may use.
    std::unordered_set<std::uint64_t> failed_;                  // States without an answer.
    std::unordered_map<std::uint64_t, std::uint64_t> classes_;  // Scope -> class of equal contents.

    Goal ask_ = Goal::minimum;
    bool maximises_seats_ = false;
    bool is_filling_ = false;       // Whole children are being added to an answer.
    bool are_options_cut_ = false;  // The same, of the choices of a leaf.
    bool is_truncated_ = false;     // Some choice was never tried: no failure is a proof.
    std::int64_t best_ = -1;        // Seats of the best answer.
    std::int64_t enough_ = 0;
    std::int64_t lost_ = 0;  // Waiting members that the present choices leave out for certain.
    std::vector<PlacedGroup> best_picks_;

    // While seats beyond the minimum are filled in exactly.
    struct Extra {
        std::size_t pick = 0;
        std::uint32_t size = 0;
        std::int64_t most = 0;
    };
    std::vector<Extra> extras_;
    std::vector<PlacedGroup> filled_;  // The best filling so far.
    std::int64_t filled_seats_ = 0;
};

}  // namespace echelon::solver
