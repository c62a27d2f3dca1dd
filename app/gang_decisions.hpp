#pragma once

// What becomes of each gang when all are decided one after another, without a clock? The work behind `echelon plan`,
// and behind `POST /v1/plan` of a running service (Z40).
//
// The minimums of gangs that have begun come first, then all others by priority, age and name (Q14); the extras of the
// first take their turn among the others. Works on its own copy of the cluster: pods that a preemption evicts are gone
// for the gangs that follow.

#include "app/promised_room.hpp"
#include "base/result.hpp"
#include "engine/facts.hpp"
#include "engine/reserve/holds.hpp"
#include "model/cluster/cluster.hpp"
#include "model/facts/event.hpp"
#include "model/gang/running_gang.hpp"
#include "report/report.hpp"
#include "solver/explain/blockers.hpp"
#include "solver/preemption/victims.hpp"
#include "solver/solve.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace echelon::app {

struct DecisionOptions {
    solver::SolveOptions budget = {};         // Budget of one search.
    std::uint64_t steps_of_all = UINT64_MAX;  // Budget of all searches; once used up, gangs are `OutOfBudget`.
    bool explains = false;                    // Refusals get the tree behind them.
    bool preempts = false;                    // Gangs that find no room evict pods of lower priority.
    std::optional<std::set<model::GroupKey>> only = {};  // Roots that are decided; absent: all.
    std::function<bool()> is_over = {};                  // Asked between gangs; true: no further gang is decided.
};

class GangDecisions {
public:
    // Requires: `events` outlives it, and the cluster in `facts` was made of them.
    GangDecisions(engine::Facts facts, const std::vector<model::Event>& events, DecisionOptions options,
                  PromisedRoom promised = {});
    GangDecisions(const GangDecisions&) = delete;
    GangDecisions& operator=(const GangDecisions&) = delete;

    // An error means that a plan did not pass the referee: nothing of the report may be used.
    [[nodiscard]] base::Result<report::PlanReport> decide_all();

private:
    // A seat of a gang that was placed in this run. By names, since numbers change when pods go.
    struct PlacedSeat {
        base::Text uid;
        base::Text pod;
        std::int64_t priority = 0;
        engine::Hold hold;
    };

    [[nodiscard]] std::vector<model::GroupKey> in_order();
    // Pods of other gangs with a seat that are not bound. Views, good until the next seat.
    [[nodiscard]] std::vector<model::ExpectedPod> elsewhere(const model::GroupKey& root) const;
    [[nodiscard]] model::Gang gang_of(const model::GroupKey& root);
    [[nodiscard]] bool finishes(const model::Gang& gang) const;  // True if it is bound in part, below its minimum.
    [[nodiscard]] solver::Answer solve(const model::Gang& gang);
    [[nodiscard]] base::Result<report::GangReport> decide(const model::GroupKey& root);
    // The second turn of a gang whose minimum went first.
    [[nodiscard]] base::Result<report::GangReport> decide_extras(const model::GroupKey& root, report::GangReport first);
    [[nodiscard]] base::Result<report::GangReport> placed(const model::Gang& gang, const solver::Plan& plan);
    [[nodiscard]] model::RunningGangs running() const;
    // Without a sentence if pods may not be evicted for this gang.
    [[nodiscard]] solver::preemption::EvictionAnswer eviction_for(const model::Gang& gang);
    [[nodiscard]] base::Result<std::optional<report::GangReport>> clear(const model::GroupKey& root,
                                                                        const solver::preemption::Eviction& eviction);
    void explain(report::GangReport& report, const model::GroupKey& root);
    // The object that the pods of a gang name, if it doesn't exist. Pods may name several parts of it.
    [[nodiscard]] std::optional<model::GroupKey> awaited_object(const model::GroupKey& root) const;
    void take_snapshot();  // Without what is promised, and without the seats of this run.
    void spend(std::uint64_t steps);
    void bring_back(const std::vector<solver::preemption::Victim>& victims);

    engine::Facts facts_;
    model::Cluster& cluster_;  // The cluster in `facts_`.
    const std::vector<model::Event>& events_;
    DecisionOptions options_;
    PromisedRoom promised_;
    std::uint64_t steps_left_;
    model::Snapshot snapshot_;
    std::set<std::pair<std::string, std::string>> begun_;  // Kind and name of gangs that are bound below their minimum.
    std::vector<PlacedSeat> placed_seats_;
    std::map<std::string, std::int64_t> spent_;             // Evictions of each disruption budget.
    std::set<std::pair<std::string, std::string>> seated_;  // Kind and name of gangs that got seats in this run.
    std::size_t explained_ = 0;
};

}  // namespace echelon::app
