// From dirty to held or refused: which gangs are planned, in which order, and what becomes of the seats they had.

#include "engine/state.hpp"
#include "engine/texts.hpp"
#include "solver/outcome.hpp"
#include "solver/violations.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

using Rows = std::unordered_map<std::string, std::uint32_t>;  // UID -> member index.

Rows rows_of(const model::Gang& gang) {
    Rows rows;
    for (std::uint32_t m = 0; m < gang.members.size(); ++m)
        rows.emplace(gang.members[m].uid, m);
    return rows;
}

bool fits_everywhere(const model::Snapshot& snapshot, model::NodeId node) {
    return std::ranges::all_of(snapshot.room, [node](const auto& room) { return room[node] >= 0; });
}

void fix(model::Gang& gang, std::uint32_t member, model::NodeId node) {
    gang.members[member].state = model::Member::State::bound;
    gang.members[member].node = node;
}

// Members whose bindings are under way are facts: bound, as far as planning goes. Returns who was fixed.
// Requires: the gang's own holds are given back in `snapshot`. Takes their room again.
std::set<std::string> fix_under_way(const GangState& gang, model::Gang& facts, model::Snapshot& snapshot) {
    std::set<std::string> fixed;
    const auto rows = rows_of(facts);
    for (const auto& [uid, seat] : gang.seats) {
        const auto row = rows.find(uid);
        const auto node = snapshot.node(seat.node);
        if (!is_under_way(seat) || row == rows.end() || !node)
            continue;
        snapshot.take(*node, facts.members[row->second].shape);
        fix(facts, row->second, *node);
        fixed.insert(uid);
    }
    return fixed;
}

// The seats of a gang that can stay, as a plan, and the gang with those members fixed to their nodes.
struct Kept {
    solver::Plan plan;
    model::Gang fixed;
    std::vector<std::string> unsound;  // UIDs of seats that can't stay.
    std::vector<std::pair<model::ShapeId, model::NodeId>>
        excused;                // Refused to others, not to the member at the barrier.
    bool has_returned = false;  // Members that were created again are among them.
};

// Adds members that were created again, on the nodes of those that bore their names before, as far as these are free.
// Takes their room. False: there are none.
bool return_to_old_places(const GangState& gang, Kept& kept, const model::Gang& facts, model::Snapshot& snapshot) {
    const auto before = kept.plan.seats.size();
    for (std::uint32_t m = 0; m < facts.members.size() && !gang.old_places.empty(); ++m) {
        const auto place = gang.old_places.find(facts.members[m].pod);
        const auto known = place == gang.old_places.end() ? std::nullopt : snapshot.node(place->second);
        const auto node = known.value_or(model::nowhere);
        const auto shape = facts.members[m].shape;
        const bool is_wanted =
            kept.fixed.members[m].state == model::Member::State::waiting && !facts.members[m].is_ghost;
        if (node == model::nowhere || !is_wanted || snapshot.eligible[shape][node] == 0 ||
            facts.kinship.is_barred(facts.members[m].kin, node))
            continue;
        snapshot.take(node, shape);
        if (!fits_everywhere(snapshot, node)) {
            snapshot.give_back(node, shape);
            continue;
        }
        fix(kept.fixed, m, node);
        kept.plan.seats.push_back({m, node});
    }
    kept.has_returned = kept.plan.seats.size() > before;
    return kept.has_returned;
}

bool is_at_barrier(const SeatState& seat) {
    return seat.binding == SeatState::Binding::arrived;
}

// Takes the room of what is kept. `is_refused`: kube-scheduler's own filters said no, and nothing else does.
Kept keep_sound(const GangState& gang, const model::Gang& facts, model::Snapshot& snapshot, bool only_at_barrier,
                const std::function<bool(const std::string& uid, const std::string& node)>& is_refused) {
    Kept kept{{}, facts, {}, {}};
    const auto rows = rows_of(facts);
    const auto keep = [&](const std::string& uid, const std::string& name, bool is_there) {
        const auto row = rows.find(uid);
        const auto node = snapshot.node(name);
        if (row != rows.end() && facts.members[row->second].state == model::Member::State::bound)
            return;
        if (row == rows.end() || !node) {
            kept.unsound.push_back(uid);
            return;
        }
        if (only_at_barrier && !is_there)
            return;
        const auto shape = facts.members[row->second].shape;
        const bool is_excused = snapshot.eligible[shape][*node] == 0 && is_there && is_refused(uid, name);
        snapshot.take(*node, shape);
        const bool is_barred = facts.kinship.is_barred(facts.members[row->second].kin, *node);
        if (is_barred || (snapshot.eligible[shape][*node] == 0 && !is_excused) || !fits_everywhere(snapshot, *node)) {
            snapshot.give_back(*node, shape);
            kept.unsound.push_back(uid);
            return;
        }
        if (is_excused)
            kept.excused.emplace_back(shape, *node);
        fix(kept.fixed, row->second, *node);
        kept.plan.seats.push_back({row->second, *node});
    };
    for (const auto& [uid, seat] : gang.seats)
        keep(uid, seat.node, is_at_barrier(seat));
    for (const auto& [name, seat] : gang.ghosts)
        keep(name, seat.node, false);
    return kept;
}

void give_back(model::Snapshot& snapshot, const model::Gang& gang, const solver::Plan& plan) {
    for (const auto& seat : plan.seats)
        snapshot.give_back(seat.node, gang.members[seat.member].shape);
}

// What the referee says, who doesn't mind that a member at the barrier sits where others of its shape were refused.
std::vector<std::string> judged(model::Snapshot& snapshot, const model::Gang& gang, const solver::Plan& plan,
                                const std::vector<std::pair<model::ShapeId, model::NodeId>>& excused) {
    for (const auto& [shape, node] : excused)
        snapshot.eligible[shape][node] = 1;
    auto faults = solver::violations(snapshot, gang, plan);
    for (const auto& [shape, node] : excused)
        snapshot.eligible[shape][node] = 0;
    return faults;
}

bool is_anyone_bound(const model::Gang& gang) {
    return std::ranges::any_of(gang.members,
                               [](const model::Member& member) { return member.state == model::Member::State::bound; });
}

}  // namespace

model::Snapshot Engine::State::planning_snapshot() const {
    auto snapshot = cluster.snapshot();
    ledger.apply(snapshot);
    for (const auto& refusal : refused_nodes) {
        const auto node = snapshot.node(refusal.node);
        if (!node)
            continue;
        for (std::size_t shape = 0; shape < snapshot.shapes.size(); ++shape) {
            if (snapshot.shapes[shape] == refusal.shape)
                snapshot.eligible[shape][*node] = 0;
        }
    }
    return snapshot;
}

void Engine::State::plan_due() {
    if (!may_decide())
        return;
    const auto is_due = [this](const model::GroupKey& root) { return gangs.at(root).due <= now; };
    if (std::ranges::none_of(dirty, is_due))
        return;
    for (const auto& root : dirty)
        adopt(gangs.at(root));

    auto snapshot = planning_snapshot();
    struct Candidate {
        GangState* gang;
        model::Gang built;
    };
    std::vector<Candidate> due;
    std::vector<Candidate> settling;
    for (const auto& root : dirty) {
        auto& gang = gangs.at(root);
        if (gang.due > now && gang.first_arrival == never)
            continue;
        auto& list = gang.due <= now ? due : settling;
        list.push_back({&gang, build(gang, snapshot)});
    }
    // Gangs that have begun come before new ones (B6), then Q1.
    const auto order = [](const Candidate& c) {
        const bool has_begun = c.gang->commit != GangState::Commit::none ||
                               std::ranges::any_of(c.built.members, [](const model::Member& member) {
                                   return member.state == model::Member::State::bound;
                               });
        return std::tuple(!has_begun, -c.built.priority, c.built.created, c.built.root);
    };
    std::ranges::sort(due, {}, order);
    for (auto& candidate : due) {
        // A more important gang that is complete but still settles isn't overtaken; it settles within a bound.
        Time wait = Time{0};
        for (const auto& other : settling) {
            const bool is_ahead = !other.built.problem && other.gang->not_before <= now &&
                                  other.gang->first_arrival != never && other.gang->seats.empty() &&
                                  other.built.priority > candidate.built.priority;
            if (is_ahead)
                wait = std::max(wait, other.gang->due);
        }
        if (wait > now && candidate.gang->seats.empty()) {
            candidate.gang->due = wait;
            touched.insert(candidate.gang->root);
            continue;
        }
        if (cluster.has_terms() && &candidate != &due.front())
            candidate.built = build(*candidate.gang, snapshot);  // Those before it hold seats by now.
        plan(*candidate.gang, candidate.built, snapshot);
    }
}

void Engine::State::plan_now(GangState& gang) {
    if (!may_decide())
        return;
    adopt(gang);
    auto snapshot = planning_snapshot();
    plan(gang, build(gang, snapshot), snapshot);
}

void Engine::State::plan(GangState& gang, const model::Gang& built, model::Snapshot& snapshot) {
    gang.due = never;
    gang.first_arrival = never;
    dirty.erase(gang.root);
    touched.insert(gang.root);
    look(gang, built);
    see_stage(gang);
    const bool finishes = is_anyone_bound(built) && !is_bound(gang);  // Claims don't hinder what has begun (B6).
    const auto may_use = [&](Time until) { return finishes || ends_by(built, until); };
    const auto claimed = claims.take_room(snapshot, gang.root, may_use);
    ledger.give_back(snapshot, gang.root);
    drop_vanished(gang, built);
    take_over_ghosts(gang, built, snapshot);
    model::Gang facts = built;
    const auto under_way = fix_under_way(gang, facts, snapshot);
    decide(gang, facts, snapshot);
    see_stage(gang);
    gang.barrier_stale = true;
    for (const auto& uid : under_way) {
        const auto* claim = ledger.find(uid);
        if (claim == nullptr)
            continue;
        if (const auto node = snapshot.node(claim->node))
            shift_room(snapshot, *node, claim->requests, 1);
    }
    ledger.apply_owner(snapshot, gang.root);
    Claims::give_back(snapshot, claimed);
}

Engine::State::Found Engine::State::answer_for(GangState& gang, const model::Gang& facts, model::Snapshot& snapshot,
                                               bool has_begun) {
    const auto is_refused = [this](const auto& uid, const auto& node) { return is_refused_only(uid, node); };
    Found found;
    // A plan around seats that stay, which must not break a promise: a group that lost members is no longer satisfied
    // by the seats that are left (N4).
    const auto build_on = [&](const Kept& kept) {
        found.excused = kept.excused;
        found.answer = solver::solve(snapshot, kept.fixed, options.budget);
        give_back(snapshot, facts, kept.plan);
        auto* plan = std::get_if<solver::Plan>(&found.answer);
        if (plan == nullptr || kept.plan.seats.empty())
            return plan != nullptr;
        plan->seats.insert(plan->seats.end(), kept.plan.seats.begin(), kept.plan.seats.end());
        std::ranges::sort(plan->seats);
        return judged(snapshot, facts, *plan, kept.excused).empty();
    };
    auto kept = keep_sound(gang, facts, snapshot, false, is_refused);
    found.unsound = kept.unsound;
    // Committed, or all seats sound: the rest is planned around what stands, in the domains that it pins.
    if (gang.commit != GangState::Commit::none || found.unsound.empty()) {
        if (!gang.old_places.empty()) {
            if (return_to_old_places(gang, kept, facts, snapshot) && build_on(kept))
                return found;
            if (kept.has_returned)
                kept = keep_sound(gang, facts, snapshot, false, is_refused);
        }
        if (build_on(kept) || (gang.seats.empty() && gang.ghosts.empty()))
            return found;
    } else {
        give_back(snapshot, facts, kept.plan);
    }
    if (std::ranges::any_of(gang.seats, [](const auto& entry) { return is_at_barrier(entry.second); })) {
        // Members at the barrier stay where they are, if a whole plan can be had around them.
        if (build_on(keep_sound(gang, facts, snapshot, true, is_refused)))
            return found;
    }
    if (!has_begun)
        gang.commit = GangState::Commit::none;  // A new plan is as good as the old one.
    found.excused.clear();
    found.answer = solver::solve(snapshot, facts, options.budget);
    return found;
}

// A committed gang keeps its seats while it is Incomplete or Invalid, but not those that facts have broken (B5).
void Engine::State::end_unsound(GangState& gang, const model::Gang& facts, model::Snapshot& snapshot) {
    const auto is_refused = [this](const auto& uid, const auto& node) { return is_refused_only(uid, node); };
    const auto kept = keep_sound(gang, facts, snapshot, false, is_refused);
    give_back(snapshot, facts, kept.plan);
    for (const auto& uid : kept.unsound)
        end_seat(gang, uid, std::string(texts::plan_changed));
}

void Engine::State::decide(GangState& gang, const model::Gang& facts, model::Snapshot& snapshot) {
    const bool has_begun = is_anyone_bound(facts);
    if (!has_begun) {
        gang.was_bound = false;  // Another attempt, or all are lost: it begins anew.
        gang.are_ghosts_over = false;
        gang.ghosts_until = never;
        if (facts.problem || gang.seats.empty())
            gang.commit = GangState::Commit::none;
    }
    if (facts.problem) {
        if (gang.commit != GangState::Commit::none)
            end_unsound(gang, facts, snapshot);
        solver::Refusal refusal;
        refusal.reason = facts.problem->reason;
        refusal.sentence = facts.problem->sentence;
        return refuse(gang, facts, snapshot, std::move(refusal));
    }
    auto found = answer_for(gang, facts, snapshot, has_begun);
    auto& answer = found.answer;
    if (auto* refusal = std::get_if<solver::Refusal>(&answer)) {
        ++(refusal->is_proved() ? stats.solves_infeasible : stats.solves_out_of_budget);
        for (const auto& uid : found.unsound)
            end_seat(gang, uid, std::string(texts::plan_changed));
        return refuse(gang, facts, snapshot, std::move(*refusal));
    }
    const auto& plan = std::get<solver::Plan>(answer);
    if (const auto faults = judged(snapshot, facts, plan, found.excused); !faults.empty()) {
        ++stats.plans_rejected_by_referee;
        note(Note::Level::bug, &gang, fmt::format("the referee rejects the plan: {}", faults.front()));
        solver::Refusal refusal;
        refusal.reason = model::Reason::out_of_budget;
        refusal.group = facts.root.name;
        refusal.sentence = "no plan that holds every promise was found";
        return refuse(gang, facts, snapshot, std::move(refusal));
    }
    ++stats.solves_placed;
    hold(gang, facts, snapshot, plan);
}

void Engine::State::hold(GangState& gang, const model::Gang& built, model::Snapshot& snapshot,
                         const solver::Plan& plan) {
    std::map<std::string, std::pair<std::uint32_t, std::string>> wanted;  // UID -> (member, node name).
    for (const auto& seat : plan.seats) {
        wanted.emplace(built.members[seat.member].uid, std::pair(seat.member, snapshot.node_names[seat.node]));
    }
    bool has_changed = false;
    std::vector<std::string> ended;
    for (const auto& [uid, seat] : gang.seats) {
        auto found = wanted.find(uid);
        const bool stays = found != wanted.end() && found->second.second == seat.node;
        if (!stays && !is_under_way(seat))
            ended.push_back(uid);
    }
    for (const auto& uid : ended)
        end_seat(gang, uid, std::string(texts::plan_changed));
    for (const auto& [uid, target] : wanted) {
        const auto& [member, node] = target;
        const auto* pod = cluster.pod(uid);
        if (pod == nullptr || gang.seats.contains(uid))
            continue;
        give_seat(gang, *pod, node);
        has_changed = true;
    }
    hold_ghosts(gang, built, snapshot, plan);
    if (has_changed || !ended.empty()) {
        ++gang.epoch;
        void_check(gang);
        gang.expires_at = now + options.hold_lifetime;
    }
    if (gang.seats.empty())
        gang.expires_at = never;
    if (has_changed)
        note(Note::Level::info, &gang, fmt::format("holds {} seats", gang.seats.size()));
    gang.refusal.reset();
    gang.refusals = 0;
    rejuvenate(gang);
    gang.message = plan.message;
    gang.groups = solver::outcome(snapshot, built, plan);
    gang.wants_room = std::ranges::any_of(built.members, [&](const model::Member& member) {
        const bool waits = member.state == model::Member::State::waiting && !member.is_ghost;
        return waits && !wanted.contains(member.uid);
    });
    gang.verdicts_stale = true;
    want_record(gang, Time{100});
    finish_commit(gang);
}

}  // namespace echelon::engine
