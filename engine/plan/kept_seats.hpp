#pragma once

// Which seats of a plan can stay when the facts have changed?
//
// Pure. A seat stays where its node still takes the member and has room, and where the domains that bound members pin
// still hold it (B3, B5, D7).

#include "engine/gang/gang_state.hpp"
#include "engine/reserve/taken_room.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"
#include "solver/violations.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace echelon::engine {

// Nodes that are refused to pods of a shape, but not to the members that are at the barrier there.
using Excused = std::vector<std::pair<model::PodClassId, model::NodeId>>;

// The seats of a gang that can stay, as a plan, and the gang with those members fixed to their nodes.
struct KeptSeats {
    solver::Plan plan;
    model::Gang fixed;
    std::vector<std::string> unsound;  // UIDs of seats that can't stay.
    Excused excused;
    bool returned_to_previous_node = false;  // Members that were created again are among them.
    TakenRoom room;                          // Of the plan.
};

// Members whose bindings are under way are facts: bound, as far as planning goes. Returns their room.
// Requires: the gang's own holds are given back in `snapshot`.
[[nodiscard]] TakenRoom fix_under_way(const GangState& gang, model::Gang& facts, model::Snapshot& snapshot);

// Adds members that were created again, on the nodes of those that bore their names before, as far as these are free.
// False: there are none.
bool return_to_old_places(const GangState& gang, KeptSeats& kept, const model::Gang& facts,
                          const model::Snapshot& snapshot);

// Which seats are looked at.
enum class Seats : std::uint8_t { all, at_barrier };

// `is_refused`: kube-scheduler's own filters said no, and nothing else does.
[[nodiscard]] KeptSeats keep_valid_seats(
    const GangState& gang, const model::Gang& facts, model::Snapshot& snapshot, Seats which,
    const std::function<bool(const std::string& uid, const std::string& node)>& is_refused);

// What the referee finds. A member at the barrier may sit where others of its shape were refused.
[[nodiscard]] std::vector<solver::Violation> found_by_referee(model::Snapshot& snapshot, const model::Gang& gang,
                                                              const solver::Plan& plan, const Excused& excused);

}  // namespace echelon::engine
