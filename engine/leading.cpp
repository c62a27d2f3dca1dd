// Who leads acts, who doesn't writes nothing about gangs (I9). What was under way when the lead ended is settled by
// reading alone: the next leader has the word.

#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <utility>
#include <vector>

namespace echelon::engine {

void Engine::State::on(const LeadChanged& changed) {
    leads_until = changed.leads ? changed.until : never;
    if (leads_until <= now)
        return on(LeadChanged{false});  // It was over before it was heard of.
    if (std::exchange(leads, changed.leads) == changed.leads)
        return;
    if (leads && unsynced.empty())
        invalidate_records();
    for (auto& [root, gang] : gangs) {
        touched.insert(root);
        reset_starvation(gang);
        if (leads) {
            if (gang.seats.empty())
                gang.commit = GangState::Commit::none;
            gang.is_adopted = !gang.seats.empty();  // Another leader may have written its record meanwhile.
            gang.due = now;
            dirty.insert(root);
            for (auto& [uid, seat] : gang.seats) {
                if (seat.binding != SeatState::Binding::settling)
                    continue;
                seat.is_next_to_post = false;  // What was read then may be otherwise now.
                seat.retry_at = now;
            }
        } else {
            stop_acting_for(gang);
        }
    }
}

void Engine::State::stop_acting_for(GangState& gang) {
    reset_check(gang);
    std::vector<std::string> idle;
    for (const auto& [uid, seat] : gang.seats) {
        if (!is_under_way(seat))
            idle.push_back(uid);
    }
    for (const auto& uid : idle)
        end_seat(gang, uid, std::string(texts::not_leading));
    if (gang.seats.empty()) {
        gang.commit = GangState::Commit::none;
        gang.expires_at = never;
    }
    see_stage(gang);
}

// Ours alone is what we wrote; another's commit record, written when it led, must not stand over ours.
void Engine::State::rewrite_own_record(GangState& gang, const model::PlanRecord& seen) {
    on_newer_record(gang, seen);
    const bool is_foreign = !seen.holder.empty() && !options.identity.empty() && seen.holder != options.identity;
    // A write that was long on its way, of an earlier run: by then the watch shows whether it is the last word.
    if (gang.written && *gang.written != seen)
        schedule_record(gang, Time{1000});
    if (!is_foreign || !leads || !gang.is_adopted || gang.commit != GangState::Commit::committed)
        return;
    gang.written = seen;
    schedule_record(gang, Time{0});
}

}  // namespace echelon::engine
