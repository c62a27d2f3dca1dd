#pragma once

// Which members, minimums and objects does the tree of a gang have now?
//
// Keeps what the engine needs of a `model::Gang` until the next planning. Not thread-safe.

#include "base/text.hpp"
#include "engine/commit/tree_checker.hpp"
#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/plain/plain_binds.hpp"
#include "engine/queue/plan_queue.hpp"
#include "engine/records/group_conditions.hpp"
#include "engine/release/releaser.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/seats/seating.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"

#include <string_view>

namespace echelon::engine {

class TreeRefresher {
public:
    TreeRefresher(const Facts& facts, Seating& seating, PlanQueue& queue, TreeChecker& checker, Releaser& releaser,
                  PlainBinds& plain, GroupConditions& conditions, const Ledger& ledger)
        : facts_(facts),
          seating_(seating),
          queue_(queue),
          checker_(checker),
          releaser_(releaser),
          plain_(plain),
          conditions_(conditions),
          ledger_(ledger) {}

    void refresh(GangState& gang, const model::Gang& built);
    // Reads the gang's place in the queue order from the facts, for a gang that has seats before its first planning.
    void refresh_order(GangState& gang);
    // Ends the seats of members that no longer wait. `snapshot`: without the holds of the gang, as for `end_seat`.
    void drop_vanished(GangState& gang, const model::Gang& built, model::Snapshot& snapshot);
    // Ends a seat. A binding in flight continues outside the gang until its outcome is known (I4). Until then its room
    // stays taken (I2).
    void end_seat(GangState& gang, const base::Text& uid, std::string_view why, model::Snapshot& snapshot);

private:
    const Facts& facts_;
    Seating& seating_;
    PlanQueue& queue_;
    TreeChecker& checker_;
    Releaser& releaser_;
    PlainBinds& plain_;
    GroupConditions& conditions_;
    const Ledger& ledger_;
};

}  // namespace echelon::engine
