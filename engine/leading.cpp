// The leader acts; any other echelon writes nothing about gangs (I9). What was under way when the lead ended is settled
// by reading alone: the next leader has the word.

#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <utility>

namespace echelon::engine {

void Engine::State::on(const LeadChanged& changed) {
    facts_.leads_until = changed.leads ? changed.until : never;
    if (facts_.leads_until <= facts_.now)
        return on(LeadChanged{false});  // It was over before it was heard of.
    if (std::exchange(facts_.leads, changed.leads) == changed.leads)
        return;
    if (facts_.leads && facts_.unsynced.empty())
        records_.doubt();
    for (auto& [root, gang] : gangs_.all()) {
        wakeups_.touch(root);
        starvation_.reset(gang);
        if (!facts_.leads) {
            stop_acting_for(gang);
            continue;
        }
        if (gang.roster.seats().empty() && gang.lifecycle.is_committing())
            gang.lifecycle.commit_given_up(gang.roster);
        records_.lead(gang);
        queue_.plan_at(gang, facts_.now);
        committer_.read_again(gang);
    }
}

void Engine::State::stop_acting_for(GangState& gang) {
    checker_.reset_check(gang);
    clearings_.stop(gang);
    seating_.fail_waiting_calls(gang, texts::not_leading);
    if (gang.roster.seats().empty()) {
        if (gang.lifecycle.is_committing())
            gang.lifecycle.commit_given_up(gang.roster);
        seating_.keep(gang);
    }
    gang.lifecycle.members_changed(gang.roster);
}

}  // namespace echelon::engine
