#pragma once

// Which room may one gang use, and does it get a plan or a refusal?
//
// Not thread-safe.

#include "engine/commit/barrier.hpp"
#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/plan/placeholders.hpp"
#include "engine/plan/plan_outcome.hpp"
#include "engine/plan/plan_search.hpp"
#include "engine/plan/starvation.hpp"
#include "engine/plan/tree_refresher.hpp"
#include "engine/preempt/clearings.hpp"
#include "engine/preempt/preemptor.hpp"
#include "engine/preempt/yielding_seats.hpp"
#include "engine/publish/figures.hpp"
#include "engine/queue/plan_queue.hpp"
#include "engine/queue/step_work.hpp"
#include "engine/reserve/closed_nodes.hpp"
#include "engine/reserve/domain_reservations.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/reserve/node_room.hpp"
#include "engine/reserve/refused_nodes.hpp"
#include "engine/seats/seating.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"

#include <optional>
#include <string>
#include <vector>

namespace echelon::engine {

// What planning one gang needs: its room, the steps of planning, and their limits.
struct GangPlannerParts {
    const Facts& facts;
    Figures& figures;
    const Ledger& ledger;
    const DomainReservations& reservations;
    const NodeRoom& room;
    const RefusedNodes& refused_nodes;
    PlanQueue& queue;
    StepWork& work;
    Seating& seating;
    Placeholders& placeholders;
    const Barrier& barrier;
    TreeRefresher& tree;
    PlanSearch& search;
    LongSearches& long_searches;
    YieldingSeats& yielding_seats;
    const Clearings& clearings;
    Preemptor& preemptor;
    PlanOutcome& outcome;
};

class GangPlanner {
public:
    explicit GangPlanner(const GangPlannerParts& parts) : p_(parts) {}

    // Builds the gang from the facts of the cluster and the holds of other gangs. Placeholders are left out once their
    // time is over.
    [[nodiscard]] model::Gang build(const GangState& gang, const model::Snapshot& snapshot) const;
    // Requires: `snapshot` is as `NodeRoom::snapshot` gives it, and `built` is as `build` gives it. Afterwards the
    // snapshot differs by the changes to the ledger, and by nothing else.
    void plan(GangState& gang, model::Gang built, model::Snapshot& snapshot);
    // Ends seats of a gang that facts have broken, without planning it: a search of another gang goes first.
    // Nobody waits at a node that is closed or full by now. Requires: as `plan`.
    void end_broken_seats(GangState& gang, model::Gang built, model::Snapshot& snapshot);
    // Nothing holds up a gang that is bound in part, not even reservations of other gangs (B6). Requires: `built` is as
    // `build` gives it.
    [[nodiscard]] static bool ignores_reservations(const GangState& gang, const model::Gang& built);

private:
    // The same for a gang that is being planned. Requires: `fix_under_way` was called.
    void end_unsound(GangState& gang, const model::Gang& built, model::Snapshot& snapshot);
    // Begins a new attempt if no member is bound any more. Gives up an unbound commit that has no seats left.
    void begin_anew(GangState& gang, const model::Gang& built, bool has_begun);
    // If the minimum finds no room, seats of less important extras may yield (Q11). `closed`: their room is taken.
    PlanSearch::Found search(const GangState& gang, const model::Gang& built, const ClosedNodes& closed,
                             model::Snapshot& snapshot);
    void decide(GangState& gang, const model::Gang& built, const ClosedNodes& closed, model::Snapshot& snapshot);
    // No plan fits the present room. The gang goes on waiting for its victims, or gets victims, or is refused.
    void decide_without_plan(GangState& gang, const model::Gang& built, const ClosedNodes& closed,
                             model::Snapshot& snapshot, PlanSearch::Found found);
    // True if pods went or are to go for the present seats, and these fit by now.
    [[nodiscard]] bool keeps_cleared_seats(GangState& gang, const model::Gang& built, model::Snapshot& snapshot);
    // True if they will fit once the victims are gone.
    [[nodiscard]] bool goes_on_clearing(GangState& gang, const model::Gang& built, model::Snapshot& snapshot);
    void note_refused_nodes(const GangState& gang, solver::Refusal& refusal) const;
    // A plan that contains all present seats and fits once the victims are gone; nullopt: there is none any more.
    [[nodiscard]] std::optional<solver::Plan> plan_without_victims(const GangState& gang, const model::Gang& built,
                                                                   model::Snapshot& snapshot);
    void end_all(GangState& gang, const std::vector<std::string>& uids, model::Snapshot& snapshot);
    // Counts the result of a planning.
    SolveResult count(const PlanSearch::Found& found, bool is_sound);

    GangPlannerParts p_;
};

}  // namespace echelon::engine
