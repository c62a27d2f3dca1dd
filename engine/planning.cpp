// From dirty to held or refused: which gangs are planned, in which order, and what becomes of the seats they had.

#include "engine/state.hpp"
#include "engine/texts.hpp"
#include "solver/outcome.hpp"
#include "solver/violations.hpp"

#include <algorithm>
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
};

// Takes the room of what is kept.
Kept keep_sound(const GangState& gang, const model::Gang& facts, model::Snapshot& snapshot) {
    Kept kept{{}, facts, {}};
    const auto rows = rows_of(facts);
    for (const auto& [uid, seat] : gang.seats) {
        const auto row = rows.find(uid);
        const auto node = snapshot.node(seat.node);
        if (row != rows.end() && facts.members[row->second].state == model::Member::State::bound)
            continue;
        if (row == rows.end() || !node) {
            kept.unsound.push_back(uid);
            continue;
        }
        const auto shape = facts.members[row->second].shape;
        snapshot.take(*node, shape);
        if (snapshot.eligible[shape][*node] == 0 || !fits_everywhere(snapshot, *node)) {
            snapshot.give_back(*node, shape);
            kept.unsound.push_back(uid);
            continue;
        }
        fix(kept.fixed, row->second, *node);
        kept.plan.seats.push_back({row->second, *node});
    }
    return kept;
}

void give_back(model::Snapshot& snapshot, const model::Gang& gang, const solver::Plan& plan) {
    for (const auto& seat : plan.seats)
        snapshot.give_back(seat.node, gang.members[seat.member].shape);
}

bool is_anyone_bound(const model::Gang& gang) {
    return std::ranges::any_of(gang.members,
                               [](const model::Member& member) { return member.state == model::Member::State::bound; });
}

}  // namespace

model::Snapshot Engine::State::planning_snapshot() {
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
        list.push_back({&gang, cluster.gang(root, snapshot)});
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
        plan(*candidate.gang, candidate.built, snapshot);
    }
}

void Engine::State::plan_now(GangState& gang) {
    if (!may_decide())
        return;
    adopt(gang);
    auto snapshot = planning_snapshot();
    plan(gang, cluster.gang(gang.root, snapshot), snapshot);
}

void Engine::State::plan(GangState& gang, const model::Gang& built, model::Snapshot& snapshot) {
    gang.due = never;
    gang.first_arrival = never;
    dirty.erase(gang.root);
    touched.insert(gang.root);
    look(gang, built);

    ledger.give_back(snapshot, gang.root);
    drop_vanished(gang, built);
    model::Gang facts = built;
    const auto under_way = fix_under_way(gang, facts, snapshot);
    decide(gang, facts, snapshot);
    gang.barrier_stale = true;
    for (const auto& uid : under_way) {
        const auto* claim = ledger.find(uid);
        if (claim == nullptr)
            continue;
        if (const auto node = snapshot.node(claim->node))
            shift_room(snapshot, *node, claim->requests, 1);
    }
    ledger.apply_owner(snapshot, gang.root);
}

void Engine::State::decide(GangState& gang, const model::Gang& facts, model::Snapshot& snapshot) {
    const bool has_begun = is_anyone_bound(facts);
    if (!has_begun) {
        gang.was_bound = false;  // Another attempt, or all are lost: it begins anew.
        if (facts.problem || gang.seats.empty())
            gang.commit = GangState::Commit::none;
    }
    if (facts.problem) {
        solver::Refusal refusal;
        refusal.reason = facts.problem->reason;
        refusal.sentence = facts.problem->sentence;
        return refuse(gang, facts, snapshot, std::move(refusal));
    }
    auto kept = keep_sound(gang, facts, snapshot);
    // Committed, or all seats sound: the rest is planned around what stands, in the domains that it pins.
    const bool builds_on = gang.commit != GangState::Commit::none || kept.unsound.empty();
    solver::Answer answer = solver::Refusal{};
    if (builds_on)
        answer = solver::solve(snapshot, kept.fixed, options.budget);
    give_back(snapshot, facts, kept.plan);
    auto* more = std::get_if<solver::Plan>(&answer);
    if (more != nullptr) {
        more->seats.insert(more->seats.end(), kept.plan.seats.begin(), kept.plan.seats.end());
        std::ranges::sort(more->seats);
    }
    // What is kept may have lost its point: a group that lost members is no longer satisfied by its seats (N4).
    const bool is_sound =
        more != nullptr && (gang.seats.empty() || solver::violations(snapshot, facts, *more).empty());
    if (!is_sound && !gang.seats.empty()) {
        if (!has_begun)
            gang.commit = GangState::Commit::none;  // A new plan is as good as the old one.
        answer = solver::solve(snapshot, facts, options.budget);
    }
    if (auto* refusal = std::get_if<solver::Refusal>(&answer)) {
        ++(refusal->is_proved() ? stats.solves_infeasible : stats.solves_out_of_budget);
        for (const auto& uid : kept.unsound)
            end_seat(gang, uid, std::string(texts::plan_changed));
        return refuse(gang, facts, snapshot, std::move(*refusal));
    }
    const auto& found = std::get<solver::Plan>(answer);
    if (const auto faults = solver::violations(snapshot, facts, found); !faults.empty()) {
        ++stats.plans_rejected_by_referee;
        note(Note::Level::bug, &gang, fmt::format("the referee rejects the plan: {}", faults.front()));
        solver::Refusal refusal;
        refusal.reason = model::Reason::out_of_budget;
        refusal.group = facts.root.name;
        refusal.sentence = "no plan that holds every promise was found";
        return refuse(gang, facts, snapshot, std::move(refusal));
    }
    ++stats.solves_placed;
    hold(gang, facts, snapshot, found);
}

void Engine::State::look(GangState& gang, const model::Gang& built) {
    // The minimums of an Invalid tree, or of one that lacks a group, mean nothing; those of the last sound one stay.
    const bool is_invalid = built.problem && built.problem->reason == model::Reason::invalid;
    const bool is_known = std::ranges::all_of(
        built.groups, [this](const model::GangGroup& group) { return cluster.group(group.key) != nullptr; });
    if (!is_invalid && is_known)
        gang.quorum = Quorum(built);
    gang.priority = built.priority;
    gang.created = built.created;
    gang.members.clear();
    for (const auto& member : built.members) {
        const auto* pod = cluster.pod(member.uid);
        const bool is_bound = member.state == model::Member::State::bound;
        gang.members.push_back(
            {member.uid, member.pod, is_bound && pod != nullptr ? pod->node : "", gang.quorum.leaf_of(member.uid)});
    }
    for (auto& [uid, seat] : gang.seats)
        seat.leaf = gang.quorum.leaf_of(uid);
    see_objects(gang, objects_of(built));
    const auto* root = cluster.group(gang.root);
    gang.generation = root != nullptr ? root->generation : 0;
    gang.verdicts_stale = true;
}

void Engine::State::drop_vanished(GangState& gang, const model::Gang& built) {
    const auto rows = rows_of(built);
    std::vector<std::string> vanished;
    for (const auto& [uid, seat] : gang.seats) {
        const auto row = rows.find(uid);
        const bool waits = row != rows.end() && built.members[row->second].state == model::Member::State::waiting;
        if (!waits)
            vanished.push_back(uid);
    }
    for (const auto& uid : vanished)
        end_seat(gang, uid, std::string(texts::not_waiting));
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
        SeatState seat;
        seat.pod = {pod->ns, pod->name, pod->uid};
        seat.node = node;
        seat.was_refused = refused.contains(uid);
        seat.leaf = gang.quorum.leaf_of(uid);
        gang.seats.emplace(uid, std::move(seat));
        ledger.put(uid, {node, pod->shape.requests, gang.root});
        has_changed = true;
    }
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
    gang.message = plan.message;
    gang.groups = solver::outcome(snapshot, built, plan);
    gang.wants_room = std::ranges::any_of(built.members, [&](const model::Member& member) {
        return member.state == model::Member::State::waiting && !wanted.contains(member.uid);
    });
    gang.verdicts_stale = true;
    want_record(gang, Time{100});
    finish_commit(gang);
}

void Engine::State::refuse(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                           solver::Refusal refusal) {
    if (gang.commit == GangState::Commit::none)
        give_hold_back(gang, "aborted, " + refusal.sentence);
    const bool is_same = gang.refusal && gang.refusal->reason == refusal.reason &&
                         gang.refusal->group == refusal.group && gang.refusal->level == refusal.level &&
                         refusal.reason != model::Reason::incomplete && refusal.reason != model::Reason::invalid;
    if (!is_same) {
        if (!gang.refusal || gang.refusal->reason != refusal.reason) {
            note(Note::Level::info, &gang, fmt::format("{}: {}", model::to_string(refusal.reason), refusal.sentence));
        }
        gang.refusal = RefusalState{refusal.reason, refusal.group, refusal.level, refusal.sentence};
        gang.verdicts_stale = true;
    }
    ++gang.refusals;
    gang.message.clear();
    gang.wants_room = refusal.reason != model::Reason::invalid && refusal.reason != model::Reason::incomplete;
    gang.groups = solver::outcome(snapshot, built, {});
    want_record(gang, Time{100});
}

void Engine::State::give_hold_back(GangState& gang, const std::string& why) {
    if (!gang.seats.empty())
        ++stats.holds_broken;
    while (!gang.seats.empty()) {
        const std::string uid = gang.seats.begin()->first;
        end_seat(gang, uid, why);
    }
    gang.expires_at = never;
    gang.verdicts_stale = true;
}

void Engine::State::end_seat(GangState& gang, const std::string& uid, const std::string& why) {
    auto found = gang.seats.find(uid);
    if (found == gang.seats.end())
        return;
    if (found->second.call != 0) {
        answer(found->second.call, BindResult::rejected, texts::about(gang.root.name, why));
    }
    if (const auto* claim = ledger.find(uid); claim != nullptr && claim->owner == gang.root)
        ledger.release(uid);
    gang.seats.erase(found);
    gang.verdicts_stale = true;
    touched.insert(gang.root);
    room_may_have_come = true;
}

}  // namespace echelon::engine
