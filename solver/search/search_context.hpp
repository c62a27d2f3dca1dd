#pragma once

// What does one search work on? All its parts, wired together for one call of `solve`.

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
    // `room_of`: the room or the capacity of the snapshot itself.
    SearchContext(const model::Snapshot& snapshot_of, const Room& room_of, const model::Gang& gang_of,
                  SearchBudget& steps_of)
        : snapshot(snapshot_of),
          room(room_of),
          gang(gang_of),
          budget(steps_of),
          demand(demand_of(snapshot, gang, &room == &snapshot.capacity ? Occupancy::empty : Occupancy::now)),
          scopes(snapshot, gang, demand),
          bounds(snapshot, room, demand, scopes),
          packing(snapshot, room, demand, scopes, bounds, budget),
          partial_plan(snapshot, room, gang, demand, scopes, bounds, packing),
          // The analyzer doesn't follow the parts' own constructors this deep.
          search(snapshot, room, gang, demand, scopes, bounds, partial_plan, budget) {
    }  // NOLINT(*.UninitializedObject)
    SearchContext(const SearchContext&) = delete;
    SearchContext& operator=(const SearchContext&) = delete;

    const model::Snapshot& snapshot;
    const Room& room;
    const model::Gang& gang;
    SearchBudget& budget;
    Demand demand;
    Scopes scopes;
    CapacityBounds bounds;
    Packing packing;
    PartialPlan partial_plan;
    Search search;
};

}  // namespace echelon::solver
