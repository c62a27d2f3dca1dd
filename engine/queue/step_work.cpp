#include "engine/queue/step_work.hpp"

#include <algorithm>
#include <variant>

namespace echelon::engine {

namespace {

// A short search may use 1/2 of a step's work, a reservation 1/16. A search that needs more is repeated with the whole
// budget, in a separate step.
constexpr std::uint64_t short_search_share = 2;
constexpr std::uint64_t reservation_share = 16;

// True if a caller or a commit waits for the outcome of the step.
bool is_urgent(const Input& input) {
    return !std::holds_alternative<Observed>(input) && !std::holds_alternative<Ticked>(input) &&
           !std::holds_alternative<Filtered>(input);
}

}  // namespace

void StepWork::add_build(std::size_t members) {
    add(2 + members / 2 + (facts_.cluster.depends_on_other_pods() ? ledger_.size() / 2 : 0));
}

bool StepWork::fills_step(std::size_t members) const {
    return is_bounded() && members * steps_of_member > facts_.options.step_work;
}

void StepWork::begin_step(std::span<const Input> inputs) {
    worked_ = 0;
    has_planned_ = false;
    is_planning_done_ = false;
    is_planning_deferred_ =
        is_bounded() && rest_at_ != never && !is_planning_deferred_ && std::ranges::any_of(inputs, is_urgent);
}

void StepWork::end_step(bool is_any_due) {
    rest_at_ = is_bounded() && is_any_due ? facts_.now : never;
}

bool StepWork::searches_apart(const GangState& gang) const {
    return is_bounded() && facts_.options.async_searches && !gang.lifecycle.is_clearing();
}

bool StepWork::may_defer_long_search(const GangState& gang) const {
    const bool has_no_seats = gang.roster.seats().empty() && gang.hold().placeholders.empty();
    return is_bounded() && !gang.due().defers_until && (has_no_seats || searches_apart(gang));
}

solver::SolveOptions StepWork::budget_for(const GangState& gang) const {
    const auto& options = facts_.options;
    const bool must_be_short = options.async_searches && !searches_apart(gang);
    return is_bounded() && (must_be_short || may_defer_long_search(gang)) ? short_budget() : options.budget;
}

solver::SolveOptions StepWork::short_budget() const {
    const auto& options = facts_.options;
    return {std::min(options.budget.steps, std::max<std::uint64_t>(1, options.step_work / short_search_share))};
}

solver::SolveOptions StepWork::budget_for_reservations() const {
    const auto& options = facts_.options;
    if (!is_bounded())
        return options.budget;
    return {std::min(options.budget.steps, std::max<std::uint64_t>(1, options.step_work / reservation_share))};
}

std::uint64_t StepWork::snapshot_cost() const {
    return 1 + facts_.cluster.node_count() / 4 + ledger_.size() / 2;
}

}  // namespace echelon::engine
