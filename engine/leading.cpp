// Changes of leadership. Only the leader writes about gangs (I9). Bindings that were in flight when the lead ended are
// settled by reading alone; everything else is left to the next leader.

#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <utility>

namespace echelon::engine {

void Engine::State::on(const LeadChanged& changed) {
    facts_.leads_until = changed.leads ? changed.until : never;
    if (facts_.leads_until <= facts_.now)
        return on(LeadChanged{false});  // The lead had ended before this input was handled.
    if (std::exchange(facts_.leads, changed.leads) == changed.leads)
        return;
    if (facts_.leads && facts_.unsynced.empty())
        records_.schedule_orphan_deletions();
    for (auto& [root, gang] : gangs_.all()) {
        wakeups_.touch(root);
        starvation_.reset(gang);
        if (!facts_.leads) {
            stop_acting_for(gang);
            continue;
        }
        if (gang.roster.seats().empty() && gang.lifecycle.is_committing())
            gang.lifecycle.commit_given_up(gang.roster);
        records_.on_lead(gang);
        queue_.plan_at(gang, facts_.now);
        committer_.reread_unresolved(gang);
    }
}

void Engine::State::stop_acting_for(GangState& gang) {
    checker_.reset_check(gang);
    clearings_.stop(gang);
    seating_.end_unposted_seats(gang, texts::not_leading);
    committer_.release_callers(gang);
    if (gang.roster.seats().empty()) {
        if (gang.lifecycle.is_committing())
            gang.lifecycle.commit_given_up(gang.roster);
        seating_.clear_expiry(gang);
    }
    gang.lifecycle.members_changed(gang.roster);
}

void Engine::State::on(const Draining&) {
    facts_.is_draining = true;
    for (auto& [root, gang] : gangs_.all()) {
        barrier_.drain(gang);
        wakeups_.touch(root);
    }
}

}  // namespace echelon::engine
