// What becomes of a gang that isn't placed, and how seats are given back.

#include "base/shortened.hpp"
#include "engine/state.hpp"
#include "engine/texts.hpp"
#include "solver/explain/outcome.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

void Engine::State::refuse(GangState& gang, const model::Gang& built, const model::Snapshot& snapshot,
                           solver::Refusal refusal) {
    refusal.sentence = base::shortened(std::move(refusal.sentence), options.limits.message_bytes);
    if (gang.commit == GangState::Commit::none)
        release_hold(gang, "aborted, " + refusal.sentence);
    if (refusal.reason == model::Reason::no_room || refusal.reason == model::Reason::impossible)
        fail_waiting_calls(gang);
    const bool is_same = gang.refusal && gang.refusal->reason == refusal.reason &&
                         gang.refusal->group == refusal.group && gang.refusal->level == refusal.level &&
                         !needs_facts(refusal.reason);
    if (needs_facts(refusal.reason) && !(gang.refusal && needs_facts(gang.refusal->reason)) && !gang.seats.empty())
        gang.expires_at = now + hold_lifetime(gang);  // Of a committed gang: so long its seats wait for the facts.
    if (!is_same) {
        if (!gang.refusal || gang.refusal->reason != refusal.reason) {
            note(Note::Level::info, &gang, fmt::format("{}: {}", model::to_string(refusal.reason), refusal.sentence));
        }
        gang.refusal = RefusalState{refusal.reason, refusal.group, refusal.level, refusal.sentence};
        gang.answers_stale = true;
    }
    age(gang, built, snapshot, refusal);
    ++gang.refusals;
    gang.message.clear();
    gang.has_unseated_members = !needs_facts(refusal.reason);
    gang.groups = solver::outcome(snapshot, built, {});
    schedule_record(gang, Time{100});
}

// It is proved that no plan has the seats of a committed gang in it: members that went there could break a level (I5).
void Engine::State::fail_waiting_calls(GangState& gang) {
    std::vector<std::string> waiting;
    for (const auto& [uid, seat] : gang.seats) {
        if (!is_under_way(seat))
            waiting.push_back(uid);
    }
    for (const auto& uid : waiting)
        end_seat(gang, uid, std::string(texts::plan_changed));
}

void Engine::State::release_hold(GangState& gang, const std::string& why) {
    if (!gang.seats.empty())
        figures.add(&Stats::holds_broken);
    while (!gang.seats.empty()) {
        const std::string uid = gang.seats.begin()->first;
        end_seat(gang, uid, why);
    }
    release_placeholders(gang);
    gang.expires_at = never;
    gang.answers_stale = true;
    see_stage(gang);
}

void Engine::State::end_seat(GangState& gang, const std::string& uid, const std::string& why) {
    auto found = gang.seats.find(uid);
    if (found == gang.seats.end())
        return;
    if (found->second.call != 0) {
        answer(found->second.call, BindResult::rejected, texts::about(gang.root.name, why));
    }
    end_wait(found->second, WaitResult::aborted);
    if (const auto* claim = ledger.find(uid); claim != nullptr && claim->owner == gang.root)
        ledger.release(uid);
    gang.seats.erase(found);
    gang.is_bound_known.reset();
    gang.answers_stale = true;
    touched.insert(gang.root);
    capacity_may_be_free = true;
}

}  // namespace echelon::engine
