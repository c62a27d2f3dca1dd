#include "app/gang_decisions.hpp"

#include "base/natural_order.hpp"
#include "base/quoted.hpp"
#include "base/shortened.hpp"
#include "engine/gang/member_queries.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/surroundings.hpp"
#include "kube/membership.hpp"
#include "model/gang/gang_facts.hpp"
#include "model/gang/member_names.hpp"
#include "solver/explain/explain_tree.hpp"
#include "solver/explain/outcome.hpp"
#include "solver/needed_seats.hpp"
#include "solver/preemption/units.hpp"
#include "solver/preemption/victim_names.hpp"
#include "solver/violations.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <variant>

#include <fmt/format.h>

namespace echelon::app {

namespace {

using solver::preemption::Eviction;
using solver::preemption::EvictionAnswer;
using solver::preemption::NoEviction;
using solver::preemption::Victim;

constexpr std::size_t most_explained = 16;  // Refused gangs: a reader looks at a few trees.

// Seats in the order of the report: groups in the gang's order, pods in natural name order.
std::vector<report::SeatRow> seat_rows(const model::Snapshot& snapshot, const model::Gang& gang,
                                       const solver::Plan& plan) {
    const auto hosts = snapshot.trees.front().host_depth();
    std::vector<report::SeatRow> rows;
    for (const auto& group : gang.groups) {
        if (!group.is_leaf)
            continue;
        const auto first = rows.size();
        for (const auto& seat : plan.seats) {
            if (seat.member < group.first_member || seat.member >= group.last_member)
                continue;
            if (gang.members[seat.member].is_placeholder)
                continue;  // The message counts it (Z14).
            rows.push_back({gang.members[seat.member].pod, group.key.name, snapshot.node_names[seat.node],
                            snapshot.path(0, hosts, seat.node)});
        }
        std::ranges::sort(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(), base::NaturalLess{},
                          &report::SeatRow::pod);
    }
    return rows;
}

// Makes the report of one part that of the object.
void report_as(const std::string& object, report::GangReport& part) {
    part.gang = object;
    part.message = "group " + base::quoted(object) + " doesn't exist yet";
    if (part.groups.front().group == object)
        return;
    part.groups.insert(part.groups.begin(), {.group = object, .placed = 0, .minimum = 0, .domain = {}});
    part.depths.assign(part.groups.size(), 1);
    part.depths.front() = 0;
}

// Adds the report of another part of the same object.
void add_part(report::GangReport part, report::GangReport& whole) {
    for (auto& group : part.groups) {
        if (group.group != whole.gang)
            whole.groups.push_back(std::move(group));
    }
    whole.depths.resize(whole.groups.size(), 1);
    whole.milliseconds += part.milliseconds;
}

}  // namespace

GangDecisions::GangDecisions(engine::Facts facts, const std::vector<model::Event>& events, DecisionOptions options,
                             PromisedRoom promised)
    : facts_(std::move(facts)),
      cluster_(facts_.cluster),
      events_(events),
      options_(std::move(options)),
      promised_(std::move(promised)),
      steps_left_(options_.steps_of_all) {
    promised_.keep_what_holds(cluster_);
    take_snapshot();
}

// Q14: the minimum of a gang that has begun, 0 < bound < minimum, goes first. Its extras take their turn.
std::vector<model::GroupKey> GangDecisions::in_order() {
    for (const auto& gang : running().gangs) {
        if (!gang.name.empty() && !solver::preemption::keeps_minimum(gang, {}))
            begun_.emplace(gang.kind, gang.name);
    }
    auto roots = cluster_.roots();
    if (options_.only)
        std::erase_if(roots, [this](const model::GroupKey& root) { return !options_.only->contains(root); });
    std::vector<model::GroupKey> order;
    std::ranges::copy_if(roots, std::back_inserter(order),
                         [&](const model::GroupKey& root) { return begun_.contains(std::pair(root.kind, root.name)); });
    std::ranges::move(roots, std::back_inserter(order));
    return order;
}

bool GangDecisions::finishes(const model::Gang& gang) const {
    return begun_.contains(std::pair(gang.root.kind, gang.root.name));
}

std::vector<model::ExpectedPod> GangDecisions::elsewhere(const model::GroupKey& root) const {
    auto pods = promised_.expected_beside(root);
    pods.reserve(pods.size() + placed_seats_.size());
    for (const auto& seat : placed_seats_)
        pods.push_back({seat.uid, seat.hold.node});
    return pods;
}

model::Gang GangDecisions::gang_of(const model::GroupKey& root) {
    auto gang = cluster_.gang(root, snapshot_, elsewhere(root));
    promised_.seat(gang, snapshot_);
    return gang;
}

void GangDecisions::spend(std::uint64_t steps) {
    steps_left_ -= std::min(steps, steps_left_);
}

solver::Answer GangDecisions::solve(const model::Gang& gang) {
    if (steps_left_ == 0 && !gang.problem) {
        solver::Refusal refusal;
        refusal.reason = model::Reason::out_of_budget;
        refusal.sentence = "its search has no steps left: other gangs of this request used them";
        return refusal;
    }
    auto budget = options_.budget;
    budget.steps = std::min(budget.steps, steps_left_);
    const auto withheld = promised_.withhold(facts_, snapshot_, gang, finishes(gang));
    auto answer = solver::solve(snapshot_, gang, budget);
    spend(std::visit([](const auto& each) { return each.steps; }, answer));
    return answer;
}

base::Result<report::PlanReport> GangDecisions::decide_all() {
    report::PlanReport report;
    std::map<model::GroupKey, std::size_t> rows;
    for (const auto& root : in_order()) {
        if (options_.is_over && options_.is_over())
            return base::failure("the service ends");
        if (!cluster_.has_root(root))
            continue;  // Every pod in it was evicted.
        const auto begin = std::chrono::steady_clock::now();
        const auto [row, is_first_turn] = rows.emplace(root, report.gangs.size());
        if (!is_first_turn && !report.gangs[row->second].is_placed())
            continue;
        auto decided = is_first_turn ? decide(root) : decide_extras(root, report.gangs[row->second]);
        if (!decided)
            return std::unexpected(std::move(decided.error()));
        decided->milliseconds +=
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
        if (!is_first_turn) {
            report.gangs[row->second] = std::move(*decided);
            continue;
        }
        if (const auto object = awaited_object(root)) {
            report_as(object->name, *decided);
            row->second = rows.emplace(*object, row->second).first->second;
            if (row->second < report.gangs.size()) {
                add_part(std::move(*decided), report.gangs[row->second]);
                continue;
            }
        } else if (options_.explains) {
            explain(*decided, root);
        }
        decided->message = base::shortened(std::move(decided->message), facts_.options.limits.message_bytes);
        report.gangs.push_back(std::move(*decided));
    }
    return report;
}

std::optional<model::GroupKey> GangDecisions::awaited_object(const model::GroupKey& root) const {
    if (cluster_.group(root) != nullptr)
        return std::nullopt;
    const auto object = kube::object_of_part(root).value_or(root);
    return cluster_.group(object) == nullptr ? std::optional(object) : std::nullopt;
}

base::Result<report::GangReport> GangDecisions::decide(const model::GroupKey& root) {
    const auto gang = gang_of(root);
    auto answer = solve(gang);
    if (const auto* plan = std::get_if<solver::Plan>(&answer))
        return placed(gang, finishes(gang) ? without_extras(snapshot_, gang, *plan) : *plan);
    const auto& refusal = std::get<solver::Refusal>(answer);
    std::string why_nobody;
    if (options_.preempts && refusal.reason == model::Reason::no_room) {
        const auto choice = eviction_for(gang);
        if (const auto* eviction = std::get_if<Eviction>(&choice)) {
            auto cleared = clear(root, *eviction);
            if (!cleared)
                return std::unexpected(std::move(cleared.error()));
            if (*cleared)
                return std::move(**cleared);
        } else if (const auto& sentence = std::get<NoEviction>(choice).sentence; !sentence.empty()) {
            why_nobody = "; no pod is evicted for it: " + sentence;
        }
    }
    report::GangReport report;
    report.gang = gang.name();
    report.depths = report::depths_of(gang);
    report.reason = refusal.reason;
    report.message = refusal.sentence + why_nobody;
    report.groups = solver::outcome(snapshot_, gang, {});
    return report;
}

// Keeps the seats of the first turn.
base::Result<report::GangReport> GangDecisions::decide_extras(const model::GroupKey& root, report::GangReport first) {
    begun_.erase(std::pair(root.kind, root.name));  // Its extras pass no reservation.
    auto gang = gang_of(root);
    std::unordered_map<std::string_view, std::string_view> node_of;  // By UID.
    for (const auto& seat : placed_seats_)
        node_of.emplace(seat.uid, seat.hold.node);
    solver::Plan seats;
    for (std::uint32_t m = 0; m < gang.members.size(); ++m) {
        auto& member = gang.members[m];
        const auto uid = model::uid_of(gang, m);
        const auto seat = node_of.find(uid);
        const auto node = seat == node_of.end() ? std::nullopt : snapshot_.node(seat->second);
        if (member.state != model::Member::State::waiting || !node)
            continue;
        member.state = model::Member::State::bound;
        member.node = *node;
        seats.seats.push_back({m, *node});
    }
    auto answer = solve(gang);
    auto* plan = std::get_if<solver::Plan>(&answer);
    if (plan == nullptr)
        return first;
    auto report = placed(gang, *plan);
    if (!report)
        return report;
    std::ranges::copy(plan->seats, std::back_inserter(seats.seats));
    std::ranges::sort(seats.seats);
    report->seats = seat_rows(snapshot_, gang, seats);
    report->milliseconds = first.milliseconds;
    return report;
}

// The gang keeps its seats while later gangs are decided.
base::Result<report::GangReport> GangDecisions::placed(const model::Gang& gang, const solver::Plan& plan) {
    if (const auto faults = solver::violations(snapshot_, gang, plan); !faults.empty()) {
        return base::failure(
            fmt::format("the plan of gang \"{}\" doesn't pass the referee: {}", gang.name(), faults.front().sentence));
    }
    report::GangReport report;
    report.gang = gang.name();
    report.depths = report::depths_of(gang);
    report.message = plan.message;  // Says which preferred levels were dropped.
    report.seats = seat_rows(snapshot_, gang, plan);
    report.groups = solver::outcome(snapshot_, gang, plan);
    for (const auto& seat : plan.seats) {
        const auto& pod_class = snapshot_.pod_classes[gang.members[seat.member].pod_class];
        placed_seats_.push_back({.uid = model::uid_of(gang, seat.member),
                                 .pod = model::pod_of(gang, seat.member),
                                 .priority = gang.priority,
                                 .hold = {snapshot_.node_names[seat.node], pod_class.requests, gang.root,
                                          pod_class.alignment, pod_class.devices}});
        engine::shift_hold(snapshot_, seat.node, placed_seats_.back().hold, -1);
    }
    if (!plan.seats.empty())
        seated_.emplace(gang.root.kind, gang.root.name);
    return report;
}

model::RunningGangs GangDecisions::running() const {
    using Foreign = model::Cluster::Foreign;
    return cluster_.running(snapshot_, facts_.options.preemption.foreign ? Foreign::included : Foreign::left_out);
}

EvictionAnswer GangDecisions::eviction_for(const model::Gang& gang) {
    if (engine::has_member_in(gang, model::Member::State::bound))
        return NoEviction{.sentence = "some of its pods run already"};
    if (!model::preempts(cluster_.facts(gang.root)))
        return NoEviction{.sentence = "its preemption policy is Never"};
    if (steps_left_ == 0) {
        return NoEviction{.why = NoEviction::Why::out_of_budget,
                          .sentence = "all searches together took too many steps"};
    }
    auto running = this->running();
    cluster_.relate(gang, snapshot_, elsewhere(gang.root), running);
    // Gangs that were placed in this run keep their seats: they were decided first.
    std::erase_if(running.gangs, [this](const model::RunningGang& other) {
        return seated_.contains(std::pair(other.kind, other.name));
    });
    for (auto& budget : running.budgets) {
        if (const auto spent = spent_.find(budget.name); spent != spent_.end())
            budget.allowed -= spent->second;
    }
    const auto withheld = promised_.withhold(facts_, snapshot_, gang, finishes(gang));
    withheld.closed.protect_pods(running);
    auto answer = solver::preemption::choose_victims(
        snapshot_, gang, running,
        {.most_pods = facts_.options.preemption.most_victims, .budget_of_plan = options_.budget});
    spend(std::visit([](const auto& each) { return each.steps; }, answer));
    return answer;
}

// Removes the victims and plans the gang in the cluster without them, since terms of pod affinity may select victims.
base::Result<std::optional<report::GangReport>> GangDecisions::clear(const model::GroupKey& root,
                                                                     const Eviction& eviction) {
    const auto before = running();
    std::vector<report::VictimRow> rows;
    for (const auto& victim : eviction.victims) {
        rows.push_back({victim.pod, snapshot_.node_names[victim.node], victim.gang, victim.priority});
        static_cast<void>(cluster_.apply(model::PodGone{victim.uid}));
    }
    take_snapshot();
    const auto gang = gang_of(root);
    const auto answer = solve(gang);
    const auto* plan = std::get_if<solver::Plan>(&answer);
    if (plan == nullptr) {
        bring_back(eviction.victims);
        return std::optional<report::GangReport>();
    }
    auto report = placed(gang, *plan);
    if (!report)
        return std::unexpected(std::move(report.error()));
    report->victims = std::move(rows);
    for (const auto& other : before.gangs) {
        for (const auto& pod : other.pods) {
            if (std::ranges::find(eviction.victims, pod.uid, &Victim::uid) == eviction.victims.end())
                continue;
            for (const auto budget : pod.budgets)
                ++spent_[before.budgets[budget].name];
        }
    }
    return std::optional(std::move(*report));
}

void GangDecisions::take_snapshot() {
    snapshot_ = cluster_.snapshot();
    promised_.take(snapshot_);
    for (const auto& seat : placed_seats_) {
        if (const auto node = snapshot_.node(seat.hold.node))
            engine::shift_hold(snapshot_, *node, seat.hold, -1);
    }
}

void GangDecisions::bring_back(const std::vector<Victim>& victims) {
    for (const auto& event : events_) {
        const auto* seen = std::get_if<model::PodSeen>(&event);
        if (seen != nullptr && std::ranges::find(victims, seen->pod.uid.str(), &Victim::uid) != victims.end())
            static_cast<void>(cluster_.apply(event));
    }
    take_snapshot();
}

// Running pods are in the way of a gang, and so are the seats of gangs that were placed before it.
void GangDecisions::explain(report::GangReport& report, const model::GroupKey& root) {
    if (!report.reason || explained_ == most_explained || steps_left_ == 0)
        return;
    ++explained_;
    spend(options_.budget.steps);  // Counted as one more search.
    const auto gang = gang_of(root);
    auto snapshot = snapshot_;
    auto around = engine::context_of(cluster_, snapshot);
    promised_.surround(facts_, snapshot, gang, finishes(gang), around);
    for (const auto& seat : placed_seats_) {
        if (const auto node = snapshot_.node(seat.hold.node)) {
            around.occupants.push_back({.kind = solver::Occupant::Kind::held,
                                        .pod = seat.pod,
                                        .gang = seat.hold.owner.name,
                                        .node = *node,
                                        .requests = seat.hold.requests,
                                        .priority = seat.priority});
        }
    }
    report.explanation = solver::explain_tree(snapshot, gang, *report.reason, around);
    if (report.reason != model::Reason::no_room)
        return;
    const auto choice = eviction_for(gang);
    if (const auto* eviction = std::get_if<Eviction>(&choice))
        report.explanation->without = solver::preemption::names_of(eviction->victims, running());
}

}  // namespace echelon::app
