#pragma once

// What becomes of each gang when all are decided one after another, without a clock? The work behind `echelon plan`.
//
// Gangs that have begun and are below their minimum come first, then all others by priority, age and name (Q14). Works
// on its own copy of the cluster: pods that a preemption evicts are gone for the gangs that follow.

#include "base/result.hpp"
#include "model/cluster/cluster.hpp"
#include "model/facts/event.hpp"
#include "report/report.hpp"
#include "solver/explain/blockers.hpp"
#include "solver/preemption/victims.hpp"
#include "solver/solve.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace echelon::cli {

class GangDecisions {
public:
    // Requires: `events` outlives it, and `cluster` is what they say.
    GangDecisions(model::Cluster cluster, const std::vector<model::Event>& events, solver::SolveOptions budget);

    // An error means that a plan did not pass the referee: nothing of the report may be used. `explains`: each refusal
    // with the tree behind it. `preempts`: gangs that find no room evict pods of lower priority.
    [[nodiscard]] base::Result<report::PlanReport> decide_all(bool explains, bool preempts);

private:
    // A seat that was given in this run, by names: numbers change when pods go.
    struct Given {
        std::string uid;
        std::string pod;
        std::string gang;
        std::string node;
        model::Amounts requests;
        std::int64_t priority = 0;
    };

    [[nodiscard]] std::vector<model::GroupKey> in_order() const;
    [[nodiscard]] model::Gang gang_of(const model::GroupKey& root) const;
    [[nodiscard]] base::Result<report::GangReport> decide(const model::GroupKey& root, bool preempts);
    [[nodiscard]] base::Result<report::GangReport> placed(const model::Gang& gang, const solver::Plan& plan);
    // Nullopt: nobody is evicted for it.
    [[nodiscard]] std::optional<solver::preemption::Eviction> eviction_for(const model::Gang& gang) const;
    [[nodiscard]] base::Result<std::optional<report::GangReport>> clear(const model::GroupKey& root,
                                                                        const solver::preemption::Eviction& eviction);
    void explain(report::GangReport& report, const model::GroupKey& root);
    void retake_seats();
    void bring_back(const std::vector<solver::preemption::Victim>& victims);

    model::Cluster cluster_;
    const std::vector<model::Event>& events_;
    solver::SolveOptions budget_;
    model::Snapshot snapshot_;
    std::vector<Given> shares_assigned_;
    std::map<std::string, std::int64_t> spent_;             // Evictions of each disruption budget.
    std::set<std::pair<std::string, std::string>> seated_;  // Kind and name of gangs that got seats in this run.
    std::size_t explained_ = 0;
};

}  // namespace echelon::cli
