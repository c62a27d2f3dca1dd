#pragma once

// How much work may one step of the engine do? (BD4)
//
// All work that grows with the cluster is counted in solver steps. Once `Options::step_work` of them are used, the rest
// stays due, in order, and the next step continues. Not thread-safe.

#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/input.hpp"
#include "engine/reserve/ledger.hpp"
#include "solver/solve.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace echelon::engine {

class StepWork {
public:
    StepWork(const Facts& facts, const Ledger& ledger) : facts_(facts), ledger_(ledger) {}

    // A step with urgent inputs plans nothing, unless the previous step planned nothing for that reason. So planning
    // always progresses.
    void begin_step(std::span<const Input> inputs);
    // `is_any_due`: gangs are still due.
    void end_step(bool is_any_due);
    // When the next step continues with gangs that this step left; never: none is left.
    [[nodiscard]] Time continues_at() const { return rest_at_; }

    void add(std::uint64_t steps) { worked_ += steps; }
    // The cost of copying all nodes and applying all holds, `count` times.
    void add_snapshots(std::uint64_t count) { add(count * snapshot_cost()); }
    // A gang of this size was built, those to come included. If pods may keep apart or follow others, it was compared
    // with all holds.
    void add_build(std::size_t members);
    [[nodiscard]] bool is_bounded() const { return facts_.options.step_work > 0; }
    [[nodiscard]] bool is_used_up() const { return is_bounded() && worked_ >= facts_.options.step_work; }

    // Seats were given. The rest of the step writes down what becomes of their members.
    void add_seats(std::size_t count) { add(count * steps_of_member); }
    // True if writing down what became of a planned gang of this size is a step's work.
    [[nodiscard]] bool fills_step(std::size_t members) const;

    void note_planned() { has_planned_ = true; }
    [[nodiscard]] bool has_planned() const { return has_planned_; }
    void end_planning() { is_planning_done_ = true; }
    // Nothing more is planned in this step: its work is used up, or its inputs are urgent.
    [[nodiscard]] bool is_planning_over() const { return is_planning_deferred_ || is_planning_done_; }

    // A short search is tried first, and a long one follows if it was inconclusive. Without a thread for long searches,
    // a gang with seats can't wait for one.
    [[nodiscard]] bool may_defer_long_search(const GangState& gang) const;
    // Long searches of the gang run outside the steps. A gang that is being cleared for has a plan already.
    [[nodiscard]] bool searches_apart(const GangState& gang) const;
    [[nodiscard]] solver::SolveOptions budget_for(const GangState& gang) const;
    // Of a search that may run within a step, whatever it finds.
    [[nodiscard]] solver::SolveOptions short_budget() const;
    // Choosing a domain to reserve takes several searches.
    [[nodiscard]] solver::SolveOptions budget_for_reservations() const;

private:
    // A member's seat, verdict, nomination and line of the record.
    static constexpr std::uint64_t steps_of_member = 8;

    [[nodiscard]] std::uint64_t snapshot_cost() const;

    const Facts& facts_;
    const Ledger& ledger_;
    std::uint64_t worked_ = 0;           // Used in this step.
    bool has_planned_ = false;           // A gang was planned in this step.
    bool is_planning_done_ = false;      // Nothing more is planned in this step; the rest stays due.
    bool is_planning_deferred_ = false;  // Nothing is planned in this step; its inputs are urgent.
    Time rest_at_ = never;
};

}  // namespace echelon::engine
