#pragma once

// Which children, in which scopes, satisfy the whole gang? A depth-first search over all choices, except those that a
// symmetry or a bound makes unnecessary.
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
#include <cstddef>
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

    Search(const model::Snapshot& snapshot, const Room& room, const model::Gang& gang, const Demand& demand,
           Scopes& scopes, CapacityBounds& bounds, PartialPlan& plan, SearchBudget& budget);

    // Finds the first answer and leaves it in the partial plan. After each share of the budget it tries to repair, then
    // starts over with the groups first that failed most often.
    Feasibility find(Goal goal);
    // Finds the answer with most seats, at least `at_least`, and stops at `enough`. Leaves it in the partial plan.
    // Without an answer the partial plan is empty. Returns `unknown` if the search ended early without an answer, so
    // one may exist. Otherwise returns `fits`, even if there is none: the partial plan says which.
    Feasibility find_most(std::int64_t at_least, std::int64_t enough);
    // Adds whatever else fits to the answer in the partial plan: whole children first, then seats.
    void fill();

    // [bound] The least that a group uses if it is satisfied.
    [[nodiscard]] std::span<const std::int64_t> least(Goal goal, std::uint32_t group) const;
    // No answer can have more seats than this.
    [[nodiscard]] std::int64_t most_seats();
    // How often no scope had room for a group.
    [[nodiscard]] std::uint64_t failures(std::uint32_t group) const { return failures_[group]; }

private:
    struct Obligation;  // A linked list of these is what is left to do.
    struct Ranked {
        ScopeId scope = 0;
        bool holds_all = false;
        std::array<std::int64_t, 6> remaining{};  // Slots of the hardest class: capacity of the wider domains, widest
                                                  // first; last, what remains in the scope.
        std::uint32_t index = 0;                  // In path order.
    };
    [[nodiscard]] static bool is_better(const Ranked& a, const Ranked& b);

    Feasibility attempt();
    bool step(const Obligation* obligation);
    bool place(const Obligation& obligation);
    static void select_next(std::vector<Ranked>& ranked, std::size_t i);
    [[nodiscard]] bool is_refuted(std::uint64_t key) const;  // `key`: of `refuted_scopes_`.
    bool place_nowhere(const Obligation& obligation);
    bool place_leaf(const Obligation& obligation, ScopeId scope);
    bool place_multiples(const Obligation& obligation);
    bool place_composite(const Obligation& obligation, ScopeId scope);
    bool choose_children(const Obligation& obligation);
    bool complete();
    bool place_child(std::uint32_t child, ScopeId scope);

    // W5: places groups one by one, and moves earlier ones, until the partial plan is an answer. Proves nothing.
    struct RepairState;
    struct Ejection;  // Groups to remove so that another one fits, and the scope.
    bool repair(std::uint64_t most_steps);
    bool repair_in();
    void queue_children(RepairState& state, std::uint32_t group) const;
    [[nodiscard]] std::uint32_t next_unplaced(RepairState& state);
    bool place_or_eject(RepairState& state, std::uint32_t group);
    void eject(RepairState& state, std::uint32_t group);
    bool place_without_children(RepairState& state, std::uint32_t group);
    bool place_in(std::uint32_t group, ScopeId outer, ScopeId scope);
    bool place_by_ejecting(RepairState& state, std::uint32_t group);
    void rank_ejections(const RepairState& state, std::uint32_t group, ScopeId scope, Ejection& best);
    [[nodiscard]] std::vector<std::uint32_t> groups_in(const RepairState& state, std::uint32_t group,
                                                       ScopeId scope) const;
    void try_ejection(const RepairState& state, std::uint32_t group, Ejection tried, Ejection& best);

    // The only member class of a leaf with one multiple; nowhere: it has several of either.
    [[nodiscard]] std::uint32_t multiple_class(std::uint32_t group) const;

    [[nodiscard]] std::vector<Ranked> rank(std::uint32_t group, ScopeId outer);
    [[nodiscard]] bool children_may_fit(std::uint32_t group, ScopeId scope, std::uint32_t position,
                                        std::int64_t wanted);
    [[nodiscard]] const std::vector<ScopeId>* shared_candidates(std::uint32_t group, ScopeId scope,
                                                                std::uint32_t position);
    [[nodiscard]] bool pieces_may_fit(std::size_t bound, std::span<const ScopeId> candidates,
                                      std::span<const std::int64_t> demands);
    [[nodiscard]] std::int64_t most_children(std::uint32_t child, ScopeId scope, std::int64_t enough);
    [[nodiscard]] std::uint64_t symmetry_key(std::uint32_t group, ScopeId outer, ScopeId scope);
    [[nodiscard]] std::uint64_t empty_domain_class(ScopeId scope);
    [[nodiscard]] std::uint64_t node_class(model::NodeId node) const;
    [[nodiscard]] std::int64_t most_of(std::span<const std::int64_t> pods, ScopeId scope);
    [[nodiscard]] std::int64_t wanted_children(std::uint32_t group) const;
    void order_children();
    void compute_least();
    void compute_options();
    void list_options(std::uint32_t group, std::vector<std::int64_t>& seats, std::size_t at, std::int64_t left,
                      std::int64_t waiting_later);
    [[nodiscard]] bool meet_floor(std::uint32_t group);
    [[nodiscard]] bool meet_floors();
    void add_children(std::uint32_t group, ScopeId scope);
    std::int64_t add_seats(std::size_t pick, std::int64_t most);
    std::int64_t add_multiples(const PlacedGroup& leaf, std::int64_t most);
    void fill_exactly();
    void fill_from(std::size_t at);

    const model::Snapshot& snapshot_;
    const Room& room_;
    const model::Gang& gang_;
    const Demand& demand_;
    Scopes& scopes_;
    CapacityBounds& bounds_;
    PartialPlan& plan_;
    SearchBudget& budget_;

    std::vector<std::uint32_t> classes_easiest_first_;             // Every class after those that it covers.
    std::vector<std::vector<std::int64_t>> least_[2];              // [goal][group][bound]
    std::vector<std::vector<std::vector<std::int64_t>>> options_;  // [leaf] seats that meet the minimum, [class].
    std::uint64_t option_limit_ = 0;                               // Listing options ends at this number of used steps.
    std::vector<std::uint32_t> hardest_class_;                     // [group] class with fewest slots.
    std::vector<std::vector<std::uint32_t>> order_;                // [group] children, as they are tried.
    std::vector<std::uint64_t> failures_;                          // [group]
    std::unordered_map<std::uint64_t, std::uint32_t>
        refuted_scopes_;  // (parent, symmetry class, scope) that no later group of the class may use.
    std::unordered_set<std::uint64_t> failed_;                        // States without an answer.
    std::unordered_map<std::uint64_t, std::uint64_t> scope_classes_;  // Scope -> class of equal contents.

    Goal goal_ = Goal::minimum;
    bool maximises_seats_ = false;
    bool is_filling_ = false;       // Whole children are being added to an answer.
    bool are_options_cut_ = false;  // Some way to fill the minimum of a leaf was never tried: no failure is a proof.
    bool is_truncated_ = false;     // Some choice was never tried: no failure is a proof.
    std::int64_t best_ = -1;        // Seats of the best answer.
    std::int64_t enough_ = 0;
    std::int64_t left_out_ = 0;  // Waiting members that the choices so far leave without a seat.
    std::vector<PlacedGroup> best_picks_;

    // Seats beyond the minimum that `fill_exactly` may add to one pick.
    struct Extra {
        std::size_t pick = 0;
        std::uint32_t member_class = 0;
        std::int64_t most = 0;
    };
    std::vector<Extra> extras_;
    std::vector<PlacedGroup> filled_;  // The best filling so far.
    std::int64_t filled_seats_ = 0;
};

}  // namespace echelon::solver
