#pragma once

// What is the object of a gang told? Events, one for each step of its way, and how well its levels were met.
//
// An event is not repeated that was written a short while ago. Not thread-safe.

#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/publish/outbox.hpp"
#include "model/facts/plan_record.hpp"
#include "model/facts/write.hpp"

namespace echelon::engine {

class Teller {
public:
    Teller(const Facts& facts, Outbox& outbox) : facts_(facts), outbox_(outbox) {}

    void tell(GangState& gang, const model::PlanRecord& record);
    // A pod was evicted for the gang: said on the pod, and once on the object of its gang.
    void tell_preempted(GangState& gang, const model::RecordedVictim& victim);
    // The echelon that wrote the record has said so already.
    void note_told(GangState& gang, const model::PlanRecord& record);
    void on_event_written(const model::Outcome& outcome);
    // How well its levels were met, into the object of a gang that is bound, where that has a place for it.
    void write_score(GangState& gang);
    // False: it is to be written again, after a while.
    [[nodiscard]] bool on_score_written(GangState& gang, const model::Outcome& outcome);

private:
    const Facts& facts_;
    Outbox& outbox_;
    bool is_refused_ = false;  // Events can't be written; said once.
};

}  // namespace echelon::engine
