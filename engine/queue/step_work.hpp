#pragma once

// How much may one step of the engine do? (BD4)
//
// Everything that grows with the cluster is counted in steps of the solver. Once `Options::step_work` of them are used,
// the rest stays due, in its order, and the next step goes on. Not thread-safe.

#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/input.hpp"
#include "engine/reserve/ledger.hpp"
#include "solver/solve.hpp"

#include <cstdint>
#include <span>

namespace echelon::engine {

class StepWork {
public:
    StepWork(const Facts& facts, const Ledger& ledger) : facts_(facts), ledger_(ledger) {}

    // A step with urgent inputs plans nothing, unless the step before planned nothing either: so planning always goes
    // on.
    void begin_step(std::span<const Input> inputs);
    // `is_any_due`: gangs are left that are due.
    void end_step(bool is_any_due);
    // When the next step goes on with what is due; never: nothing is left.
    [[nodiscard]] Time rest_at() const { return rest_at_; }

    void add(std::uint64_t steps) { worked_ += steps; }
    // A copy of all nodes, and every seat that is promised.
    void add_snapshots(std::uint64_t count) { add(count * of_snapshot()); }
    [[nodiscard]] bool is_bounded() const { return facts_.options.step_work > 0; }
    [[nodiscard]] bool is_enough() const { return is_bounded() && worked_ >= facts_.options.step_work; }

    void note_planned() { has_planned_ = true; }
    [[nodiscard]] bool has_planned() const { return has_planned_; }
    void end_planning() { is_planning_done_ = true; }
    // Nothing more is planned in this step: its work is done, or something in it can't wait.
    [[nodiscard]] bool is_planning_over() const { return is_planning_put_off_ || is_planning_done_; }

    // A short search may leave it open: a long one follows, when no gang as important is due. Seats can't wait so long.
    [[nodiscard]] bool may_put_off(const GangState& gang) const;
    [[nodiscard]] solver::SolveOptions budget_for(const GangState& gang) const;
    // One search for a domain to reserve makes several.
    [[nodiscard]] solver::SolveOptions budget_for_reservations() const;

private:
    [[nodiscard]] std::uint64_t of_snapshot() const;

    const Facts& facts_;
    const Ledger& ledger_;
    std::uint64_t worked_ = 0;          // In this step.
    bool has_planned_ = false;          // A gang, in this step.
    bool is_planning_done_ = false;     // In this step: the rest stays due.
    bool is_planning_put_off_ = false;  // In this step: its inputs come first.
    Time rest_at_ = never;
};

}  // namespace echelon::engine
