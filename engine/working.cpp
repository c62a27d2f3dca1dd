// What one step of the engine may take (BD4). Everything that grows with the cluster is counted in steps of the solver;
// once `Options::step_work` of them are used, the rest stays due, in its order, and the next step goes on.

#include "engine/state.hpp"

#include <algorithm>

namespace echelon::engine {

namespace {

// Shares of a step's work. A search that takes more is repeated with the whole budget, in a separate step.
constexpr std::uint64_t short_search_share = 2;
constexpr std::uint64_t claim_share = 16;  // One search for a claim makes several.

constexpr Time longest_put_off{1000};  // Equals come before a long search for so long at most.

// A caller or a commit waits for the result.
bool is_urgent(const Input& input) {
    return !std::holds_alternative<Observed>(input) && !std::holds_alternative<Ticked>(input) &&
           !std::holds_alternative<Filtered>(input);
}

}  // namespace

// A step with urgent inputs plans nothing, unless the step before planned nothing either: so planning always goes on.
void Engine::State::begin_step(std::span<const Input> inputs) {
    worked = 0;
    planned = 0;
    is_planning_done = false;
    is_planning_put_off =
        options.step_work > 0 && rest_at != never && !is_planning_put_off && std::ranges::any_of(inputs, is_urgent);
}

solver::SolveOptions Engine::State::budget_for(const GangState& gang) const {
    if (!may_put_off(gang))
        return options.budget;
    const auto share = std::max<std::uint64_t>(1, options.step_work / short_search_share);
    return {std::min(options.budget.steps, share)};
}

solver::SolveOptions Engine::State::budget_for_claims() const {
    if (options.step_work == 0)
        return options.budget;
    return {std::min(options.budget.steps, std::max<std::uint64_t>(1, options.step_work / claim_share))};
}

void Engine::State::put_off(GangState& gang) {
    gang.hard_until = now + longest_put_off;
    gang.due = now;
    dirty.insert(gang.root);
}

// A copy of all nodes, and every seat that is promised.
std::uint64_t Engine::State::work_of_snapshot() const {
    return 1 + cluster.node_count() / 4 + ledger.size() / 2;
}

}  // namespace echelon::engine
