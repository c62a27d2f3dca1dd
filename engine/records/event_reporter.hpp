#pragma once

// What do the events on a gang's object say, and which score is written there? One event for each new phase or reason.
//
// An event is not repeated within a short time. Not thread-safe.

#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/publish/outbox.hpp"
#include "model/facts/plan_record.hpp"
#include "model/facts/write.hpp"

namespace echelon::engine {

class EventReporter {
public:
    EventReporter(const Facts& facts, Outbox& outbox) : facts_(facts), outbox_(outbox) {}

    void report(GangState& gang, const model::PlanRecord& record);
    // A pod was evicted for the gang: an event on the pod, and once on the object of the pod's gang.
    void report_preempted(GangState& gang, const model::RecordedVictim& victim);
    // The echelon that wrote the record has reported it already.
    void note_reported(GangState& gang, const model::PlanRecord& record);
    void on_event_written(const model::Outcome& outcome);
    // Writes how well preferred levels are met into the object of a bound gang, if the object has a field for that
    // score.
    void write_score(GangState& gang);
    // False: the score has to be written again, after a delay.
    [[nodiscard]] bool on_score_written(GangState& gang, const model::Outcome& outcome);

private:
    const Facts& facts_;
    Outbox& outbox_;
    bool is_refused_ = false;  // The API server refuses events; logged once.
};

}  // namespace echelon::engine
