#include "engine/plan/plan_search.hpp"

#include "model/facts/eligibility.hpp"
#include "solver/solve.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

namespace echelon::engine {

namespace {

// Nodes for a step. A refusal is explained by walks over all nodes, which the solver doesn't count.
constexpr std::size_t explained_nodes_per_step = 32;

}  // namespace

bool PlanSearch::is_refused_only(const GangState& gang, const base::Text& uid, const std::string& node) const {
    const auto* pod = facts_.cluster.pod(uid);
    if (pod == nullptr || !refused_nodes_.contains(gang.root(), pod->pod_class, node))
        return false;
    const auto facts = facts_.cluster.node(node);
    return facts && model::may_host(*facts, pod->pod_class);
}

void PlanSearch::solve(const GangState& gang, const model::Snapshot& snapshot, const model::Gang& wanted,
                       Found& found) {
    const auto budget = work_.budget_for(gang);
    const auto steps_of = [](const solver::Answer& answer) {
        return std::visit([](const auto& each) { return each.steps; }, answer);
    };
    if (!long_searches_.takes(gang)) {
        found.answer = solver::solve(snapshot, wanted, budget);
        work_.add(steps_of(found.answer));
        if (!std::holds_alternative<solver::Plan>(found.answer))
            work_.add(snapshot.node_count() / explained_nodes_per_step);
    } else {
        auto result = long_searches_.next(gang, snapshot, wanted, budget);
        found.is_open = !result.answer;
        if (found.is_open)
            return;
        found.answer = std::move(*result.answer);
        found.has_missed_room = result.has_missed_room;
        found.took_in_long_searches += result.took;
    }
    found.is_cut = found.is_cut || steps_of(found.answer) >= budget.steps;
}

KeptSeats PlanSearch::keep(const GangState& gang, const model::Gang& built, model::Snapshot& snapshot,
                           Seats which) const {
    const auto is_refused = [&](const auto& uid, const auto& node) { return is_refused_only(gang, uid, node); };
    return keep_valid_seats(gang, built, snapshot, which, is_refused);
}

PlanSearch::Found PlanSearch::find(const GangState& gang, const model::Gang& built, model::Snapshot& snapshot) {
    const auto keep_seats = [&](Seats which) { return keep(gang, built, snapshot, which); };
    Found found;
    // Plans the rest around the kept seats. False: another search has to follow, since there is no plan or it breaks a
    // rule. The seats that are left may be too few for a group that has lost members (N4).
    const auto build_on = [&](KeptSeats& kept) {
        found.excused = kept.excused;
        solve(gang, snapshot, kept.fixed ? *kept.fixed : built, found);
        kept.room.give_back();
        if (found.is_open)
            return true;
        auto* plan = std::get_if<solver::Plan>(&found.answer);
        if (plan == nullptr || kept.plan.seats.empty())
            return plan != nullptr;
        plan->seats.insert(plan->seats.end(), kept.plan.seats.begin(), kept.plan.seats.end());
        std::ranges::sort(plan->seats);
        return found_by_referee(snapshot, built, *plan, kept.excused).empty();
    };
    auto kept = keep_seats(Seats::all);
    found.unsound = kept.unsound;
    // Committed, or every seat is sound: the rest is planned around the present seats, in the domains that they pin.
    if (gang.lifecycle.is_committing() || found.unsound.empty()) {
        if (!gang.tree().previous_nodes.empty()) {
            if (return_to_previous_nodes(gang, kept, built, snapshot) && build_on(kept))
                return found;
            if (kept.returned_to_previous_node)
                kept = keep_seats(Seats::all);
        }
        if (build_on(kept) || (gang.roster.seats().empty() && gang.hold().placeholders.empty()))
            return found;
    }
    kept.room.give_back();
    if (gang.roster.counts().at_barrier() > 0) {
        // Members at the barrier keep their seats if there is a whole plan around them.
        auto at_barrier = keep_seats(Seats::at_barrier);
        if (build_on(at_barrier))
            return found;
    }
    found.is_new = true;
    found.excused.clear();
    solve(gang, snapshot, built, found);
    return found;
}

std::vector<std::string> PlanSearch::unsound(const GangState& gang, const model::Gang& built,
                                             model::Snapshot& snapshot) const {
    return keep(gang, built, snapshot, Seats::all).unsound;
}

std::optional<solver::Plan> PlanSearch::present_seats(const GangState& gang, const model::Gang& built,
                                                      model::Snapshot& snapshot) const {
    auto kept = keep(gang, built, snapshot, Seats::all);
    kept.room.give_back();
    if (!kept.unsound.empty())
        return std::nullopt;
    std::ranges::sort(kept.plan.seats);
    const bool is_sound = found_by_referee(snapshot, built, kept.plan, kept.excused).empty();
    return is_sound ? std::optional(std::move(kept.plan)) : std::nullopt;
}

}  // namespace echelon::engine
