#pragma once

// Which gangs are planned in this step, and in which order?
//
// Not thread-safe.

#include "engine/facts.hpp"
#include "engine/gang/gangs.hpp"
#include "engine/plan/gang_planner.hpp"
#include "engine/plan/tree_refresher.hpp"
#include "engine/preempt/clearings.hpp"
#include "engine/queue/plan_queue.hpp"
#include "engine/queue/step_work.hpp"
#include "engine/records/plan_records.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/reserve/node_room.hpp"
#include "engine/wakeups.hpp"
#include "model/topology/snapshot.hpp"

#include <span>

namespace echelon::engine {

class Planner {
public:
    Planner(const Facts& facts, Gangs& gangs, NodeRoom& room, StepWork& work, PlanQueue& queue, PlanRecords& records,
            Clearings& clearings, LongSearches& long_searches, Ledger& ledger, TreeRefresher& tree,
            GangPlanner& gang_planner, Wakeups& wakeups)
        : facts_(facts),
          gangs_(gangs),
          room_(room),
          work_(work),
          queue_(queue),
          records_(records),
          clearings_(clearings),
          long_searches_(long_searches),
          ledger_(ledger),
          tree_(tree),
          gang_planner_(gang_planner),
          wakeups_(wakeups) {}

    // Plans what is due, in queue order.
    void plan_due();
    // Plans the gang at once, since a bind call or a commit waits. It is still due afterwards if it takes a long
    // search; even so, seats that facts have broken are gone. False: nothing may be planned now.
    bool plan_now(GangState& gang);
    // A long search has ended: its gang is planned with the result.
    void on_search_ended(std::uint64_t search);

    // All records are adopted before any gang is planned, so that the room that they promise is taken.
    void adopt_all();

private:
    // When the last complete gang of higher priority, which this one must not overtake, has settled; 0: there is none.
    [[nodiscard]] Time waits_until(const GangState& gang, const PlanQueue::Order& order,
                                   const model::Snapshot& snapshot);

    // Puts holds anew whose pods have come to ask for something else. Once for each change of facts about the gang, and
    // before the snapshot is taken.
    void renew(GangState& gang);
    // They are planned after the search of the first. Seats that facts have broken end now, or in the next step, which
    // goes on with the rest of the gangs. Requires: `snapshot` is as `NodeRoom::snapshot` gives it.
    void wait_behind_search(std::span<GangState* const> gangs, model::Snapshot& snapshot);

    const Facts& facts_;
    Gangs& gangs_;
    NodeRoom& room_;
    StepWork& work_;
    PlanQueue& queue_;
    PlanRecords& records_;
    Clearings& clearings_;
    LongSearches& long_searches_;
    Ledger& ledger_;
    TreeRefresher& tree_;
    GangPlanner& gang_planner_;
    Wakeups& wakeups_;
};

}  // namespace echelon::engine
