#pragma once

// Everything that one search works on, wired together: the rooms of a workshop that lives for one call of `solve`.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/packing/capacity_bounds.hpp"
#include "solver/packing/demand.hpp"
#include "solver/packing/packing.hpp"
#include "solver/packing/scopes.hpp"
#include "solver/packing/search_budget.hpp"
#include "solver/search/partial_plan.hpp"
#include "solver/search/search.hpp"

namespace echelon::solver {

// Requires: the arguments outlive it. Not copyable, since its parts refer to each other.
struct SearchContext {
    SearchContext(const model::Snapshot& snapshot_of, const Room& room_of, const model::Gang& gang_of,
                  SearchBudget& steps_of)
        : snapshot(snapshot_of),
          room(room_of),
          gang(gang_of),
          steps(steps_of),
          needs(demand_of(snapshot, gang)),
          scopes(snapshot, gang, needs),
          gauges(snapshot, room, needs, scopes),
          packing(snapshot, room, needs, scopes, gauges, steps),
          draft(snapshot, gang, needs, scopes, gauges, packing),
          // The analyzer doesn't follow the parts' own constructors this deep.
          search(snapshot, room, gang, needs, scopes, gauges, draft, steps) {}  // NOLINT(*.UninitializedObject)
    SearchContext(const SearchContext&) = delete;
    SearchContext& operator=(const SearchContext&) = delete;

    const model::Snapshot& snapshot;
    const Room& room;
    const model::Gang& gang;
    SearchBudget& steps;
    Demand needs;
    Scopes scopes;
    CapacityBounds gauges;
    Packing packing;
    PartialPlan draft;
    Search search;
};

}  // namespace echelon::solver
