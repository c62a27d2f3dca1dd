#pragma once

// Is there a plan for a gang, and which present seats stay in the plan?
//
// Not thread-safe.

#include "base/text.hpp"
#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/plan/kept_seats.hpp"
#include "engine/plan/long_searches.hpp"
#include "engine/queue/step_work.hpp"
#include "engine/reserve/refused_nodes.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

#include <optional>
#include <string>
#include <vector>

namespace echelon::engine {

class PlanSearch {
public:
    PlanSearch(const Facts& facts, const RefusedNodes& refused_nodes, LongSearches& long_searches, StepWork& work)
        : facts_(facts), refused_nodes_(refused_nodes), long_searches_(long_searches), work_(work) {}

    struct Found {
        solver::Answer answer = solver::Refusal{};
        std::vector<std::string> unsound;                   // UIDs of seats that can't stay.
        Excused excused;                                    // Nodes that only members at the barrier there may use.
        bool is_cut = false;                                // A search ended at its budget.
        bool is_open = false;                               // A long search is running: there is no answer yet.
        bool has_missed_room = false;                       // Room has come since a long search began.
        bool is_new = false;                                // No plan around the present seats was found.
        std::chrono::nanoseconds took_in_long_searches{0};  // Time that long searches took.
    };
    // Seats stay where they can, those at the barrier first. Requires: the gang's own holds are given back in
    // `snapshot`.
    [[nodiscard]] Found find(const GangState& gang, const model::Gang& built, model::Snapshot& snapshot);
    // The present seats, if they alone keep every rule and meet every minimum. No search is needed. Requires: the
    // gang's own holds are given back in `snapshot`.
    [[nodiscard]] std::optional<solver::Plan> present_seats(const GangState& gang, const model::Gang& built,
                                                            model::Snapshot& snapshot) const;
    // UIDs of seats that can't stay. Requires: the gang's own holds are given back in `snapshot`.
    [[nodiscard]] std::vector<std::string> unsound(const GangState& gang, const model::Gang& built,
                                                   model::Snapshot& snapshot) const;

private:
    // Solves here or in a long search.
    void solve(const GangState& gang, const model::Snapshot& snapshot, const model::Gang& wanted, Found& found);
    [[nodiscard]] KeptSeats keep(const GangState& gang, const model::Gang& built, model::Snapshot& snapshot,
                                 Seats which) const;
    // True if kube-scheduler's refusal is all that speaks against the node.
    [[nodiscard]] bool is_refused_only(const GangState& gang, const base::Text& uid, const std::string& node) const;

    const Facts& facts_;
    const RefusedNodes& refused_nodes_;
    LongSearches& long_searches_;
    StepWork& work_;
};

}  // namespace echelon::engine
