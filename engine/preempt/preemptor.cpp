#include "engine/preempt/preemptor.hpp"

#include "engine/gang/member_queries.hpp"
#include "engine/preempt/clearing_domains.hpp"
#include "engine/preempt/without_pods.hpp"
#include "model/facts/usage.hpp"
#include "solver/violations.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

namespace echelon::engine {

namespace {

using solver::preemption::Eviction;
using solver::preemption::NoEviction;

constexpr Time choice_pause{10'000};    // Between two choices for one gang: each walks over all pods.
constexpr Time budget_pause{60'000};    // Until disruption budgets may allow more.
constexpr Time changing_pause{60'000};  // While a gang changes for longer, as when its binding hangs.
constexpr std::uint64_t choice_steps = 25'000;

// Which pods a budget selects, by UID.
std::map<std::string_view, bool> budgeted(const model::RunningGangs& running) {
    std::map<std::string_view, bool> found;
    for (const auto& gang : running.gangs) {
        for (const auto& pod : gang.pods)
            found.emplace(pod.uid, pod.selecting_budgets > 0);
    }
    return found;
}

}  // namespace

// Seats that yield cost no pod, so nothing but U5 keeps the gang from them (V3).
std::optional<Preemptor::Choice> Preemptor::choose(GangState& gang, const model::Gang& built, const ClosedNodes& closed,
                                                   model::Snapshot& snapshot, const solver::Refusal& refusal) {
    if (!preempts(gang, built, refusal))
        return std::nullopt;
    const auto lower = yielding_seats_.below(built.priority, closed, snapshot, YieldingSeats::Which::with_holds);
    const auto opened = yielding_seats_.open(snapshot, lower);
    if (!lower.empty()) {
        auto plan = plan_in(snapshot, built, work_.budget_for(gang));
        if (plan && solver::violations(snapshot, built, *plan).empty()) {
            yielding_seats_.end_on_nodes_of(*plan, snapshot, lower);
            return Choice{.plan = std::move(*plan), .victims = {}};
        }
    }
    if (!may_choose_victims(gang, built) || waits_for_ending_pods(gang, built, closed, snapshot))
        return std::nullopt;
    auto choice = choose_victims(gang, built, closed, snapshot);
    if (choice)
        yielding_seats_.end_on_nodes_of(choice->plan, snapshot, lower);
    return choice;
}

bool Preemptor::preempts(const GangState& gang, const model::Gang& built, const solver::Refusal& refusal) const {
    return facts_.may_act() && refusal.reason == model::Reason::no_room && refusal.is_proved() &&
           gang.lifecycle.stage() == Stage::pending && gang.roster.counts().under_way() == 0 &&
           !has_member_in(built, model::Member::State::bound) && clearings_.may_preempt(gang);
}

bool Preemptor::may_choose_victims(GangState& gang, const model::Gang& built) const {
    // What it lacks there may be no room at all.
    if (refused_nodes_.count(gang.root()) > 0) {
        clearings_.put_off_choice(gang, facts_.now, never, "the refused nodes may lack something else than room");
        return false;
    }
    const auto& state = gang.clearing();
    const auto earliest = std::max(state.not_before, state.next_choice);
    if (earliest > facts_.now) {
        clearings_.put_off_choice(gang, earliest, earliest, state.sentence);
        return false;
    }
    if (auto why = clearings_.why_blocked(gang, model::narrowest_required(built.groups.front()).has_value());
        !why.empty()) {
        clearings_.put_off_choice(gang, facts_.now, never, std::move(why));
        return false;
    }
    return true;
}

std::optional<solver::Plan> Preemptor::plan_in(const model::Snapshot& snapshot, const model::Gang& built,
                                               const solver::SolveOptions& budget) {
    auto answer = solver::solve(snapshot, built, budget);
    work_.add(std::visit([](const auto& each) { return each.steps; }, answer));
    auto* plan = std::get_if<solver::Plan>(&answer);
    return plan == nullptr ? std::nullopt : std::optional(std::move(*plan));
}

std::vector<const model::Pod*> Preemptor::ending_pods(const model::Snapshot& snapshot) const {
    auto pods = facts_.cluster.occupants();
    std::erase_if(pods, [&](const model::Pod* pod) {
        return !pod->deleting || pod->is_of_node || !snapshot.node(pod->node) || clearings_.is_victim(pod->full_name());
    });
    return pods;
}

TakenRoom Preemptor::room_of(const std::vector<const model::Pod*>& pods, const ClosedNodes& closed,
                             model::Snapshot& snapshot) {
    TakenRoom room(snapshot);
    for (const auto* pod : pods) {
        const auto node = snapshot.node(pod->node);
        if (closed.contains(*node))
            continue;
        for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
            if (const auto amount = pod->pod_class.requests.of(snapshot.resources[r]); amount > 0)
                room.take(*node, r, -model::freed(snapshot.room[r][*node], amount));
        }
    }
    return room;
}

bool Preemptor::waits_for_ending_pods(GangState& gang, const model::Gang& built, const ClosedNodes& closed,
                                      model::Snapshot& snapshot) {
    work_.add(1 + facts_.cluster.pod_count() / 16);
    const auto ending = ending_pods(snapshot);
    const auto room = room_of(ending, closed, snapshot);
    const auto opened = without_pods(facts_.cluster, ledger_, built, snapshot, ending);
    // A short search might miss a plan, and pods would be evicted for nothing.
    const bool fits =
        (!room.empty() || opened) && plan_in(snapshot, opened ? *opened : built, facts_.options.budget).has_value();
    const auto since = clearings_.track_wait_for_ending_pods(gang, fits);
    if (!fits || facts_.now - since >= facts_.options.preemption.timeout)
        return false;
    clearings_.put_off_choice(gang, facts_.now + choice_pause, since + facts_.options.preemption.timeout,
                              "pods that are ending leave enough room");
    return true;
}

bool Preemptor::is_changing(const model::RunningGang& running) const {
    const auto* state = gangs_.find({running.kind, running.name});
    if (state != nullptr && state->lifecycle.is_committing())
        return true;
    // How many pods it keeps is unknown until the other clearing ends.
    return std::ranges::any_of(running.pods, [this](const auto& pod) { return clearings_.is_victim(pod.pod); });
}

model::RunningGangs Preemptor::running(const model::Snapshot& snapshot, const model::Gang& built) const {
    const auto foreign =
        facts_.options.preemption.foreign ? model::Cluster::Foreign::included : model::Cluster::Foreign::left_out;
    auto running = facts_.cluster.running(snapshot, foreign);
    facts_.cluster.relate(built, snapshot, ledger_.placed_by_others(built.root), running);
    for (auto& other : running.gangs) {
        const bool stays = is_changing(other);
        for (auto& pod : other.pods) {
            // The API server evicts no pod that two budgets select.
            if (stays || pod.selecting_budgets > 1)
                pod.is_protected = true;
            for (const auto budget : clearings_.is_victim(pod.pod) ? pod.budgets : std::vector<std::uint32_t>{})
                --running.budgets[budget].allowed;
        }
    }
    return running;
}

std::optional<Preemptor::Choice> Preemptor::choose_victims(GangState& gang, const model::Gang& built,
                                                           const ClosedNodes& closed, const model::Snapshot& whole) {
    auto pods = running(whole, built);
    closed.protect_pods(pods);
    const auto ongoing = clearings_.ongoing(gang);
    std::optional<model::Snapshot> rest;
    if (!ongoing.domains.empty()) {
        const auto others = overlapping(whole, *model::narrowest_required(built.groups.front()), ongoing.domains);
        others.take_room(rest.emplace(whole)).keep();
        others.protect_pods(pods);
    }
    const auto& snapshot = rest ? *rest : whole;
    auto answer = solver::preemption::choose_victims(snapshot, built, pods,
                                                     {.most_pods = facts_.options.preemption.most_victims,
                                                      .budget = {.steps = choice_steps},
                                                      .budget_of_plan = facts_.options.budget});
    if (const auto* none = std::get_if<NoEviction>(&answer)) {
        work_.add(none->steps);
        if (rest) {
            clearings_.put_off_choice(gang, facts_.now + choice_pause, never, ongoing.sentence);
        } else {
            put_off(gang, built.priority, *none, pods);
        }
        return std::nullopt;
    }
    auto& eviction = std::get<Eviction>(answer);
    work_.add(eviction.steps);
    const auto with_budget = budgeted(pods);
    Choice choice{.plan = std::move(eviction.plan), .victims = {}};
    for (auto& victim : eviction.victims) {
        const bool has_budget = with_budget.at(victim.uid);
        choice.victims.push_back({.facts = {.pod = std::move(victim.pod),
                                            .uid = victim.uid,
                                            .node = snapshot.node_names[victim.node],
                                            .gang = std::move(victim.gang),
                                            .priority = victim.priority},
                                  .requests = std::move(victim.requests),
                                  .has_budget = has_budget});
    }
    return choice;
}

void Preemptor::put_off(GangState& gang, std::int64_t priority, const NoEviction& none,
                        const model::RunningGangs& running) {
    const auto is_lower_and_changing = [&](const model::RunningGang& other) {
        return other.priority < priority && is_changing(other);
    };
    const auto is_lower_and_being_bound = [&](const auto& entry) {  // It may have no pod on a node yet.
        return entry.second.lifecycle.is_committing() && entry.second.tree().priority < priority;
    };
    const Time soon = facts_.now + choice_pause;
    if (std::ranges::any_of(running.gangs, is_lower_and_changing) ||
        std::ranges::any_of(gangs_.all(), is_lower_and_being_bound)) {
        const bool was_just_judged = facts_.now < gang.clearing().next_choice + changing_pause;
        clearings_.put_off_choice(gang, soon, was_just_judged ? facts_.now + changing_pause : soon, none.sentence);
    } else if (!running.budgets.empty() || none.why != NoEviction::Why::not_enough) {
        clearings_.put_off_choice(gang, soon, facts_.now + budget_pause, none.sentence);
    } else {
        clearings_.await_evictable(gang, soon, none.sentence);
    }
}

}  // namespace echelon::engine
