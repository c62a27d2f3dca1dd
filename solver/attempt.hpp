#pragma once

// Everything that one search works on, wired together: the rooms of a workshop that lives for one call of `solve`.

#include "model/gang.hpp"
#include "model/snapshot.hpp"
#include "solver/draft.hpp"
#include "solver/gauges.hpp"
#include "solver/needs.hpp"
#include "solver/packing.hpp"
#include "solver/scopes.hpp"
#include "solver/search.hpp"
#include "solver/steps.hpp"

namespace echelon::solver {

// Requires: the arguments outlive it. Not copyable, since its parts refer to each other.
struct Attempt {
    Attempt(const model::Snapshot& snapshot_of, const Room& room_of, const model::Gang& gang_of, Steps& steps_of)
        : snapshot(snapshot_of),
          room(room_of),
          gang(gang_of),
          steps(steps_of),
          needs(needs_of(snapshot, gang)),
          scopes(snapshot, gang, needs),
          gauges(snapshot, room, needs, scopes),
          packing(snapshot, room, needs, scopes, gauges, steps),
          draft(snapshot, gang, needs, scopes, gauges, packing),
          // The analyzer doesn't follow the parts' own constructors this deep.
          search(snapshot, room, gang, needs, scopes, gauges, draft, steps) {}  // NOLINT(*.UninitializedObject)
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    const model::Snapshot& snapshot;
    const Room& room;
    const model::Gang& gang;
    Steps& steps;
    Needs needs;
    Scopes scopes;
    Gauges gauges;
    Packing packing;
    Draft draft;
    Search search;
};

}  // namespace echelon::solver
