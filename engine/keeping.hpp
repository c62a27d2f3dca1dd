#pragma once

// Which seats of a plan can stay when the facts have changed?
//
// Pure. A seat stays where its node still takes the member and has room, and where the domains that bound members pin
// still hold it (B3, B5, D7).

#include "engine/gang/gang_state.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace echelon::engine {

// The seats of a gang that can stay, as a plan, and the gang with those members fixed to their nodes.
struct Kept {
    solver::Plan plan;
    model::Gang fixed;
    std::vector<std::string> unsound;  // UIDs of seats that can't stay.
    std::vector<std::pair<model::PodClassId, model::NodeId>>
        excused;                             // Refused to others, not to the member at the barrier.
    bool returned_to_previous_node = false;  // Members that were created again are among them.
};

// Members whose bindings are under way are facts: bound, as far as planning goes. Returns who was fixed.
// Requires: the gang's own holds are given back in `snapshot`. Takes their room again.
std::set<std::string> fix_under_way(const GangState& gang, model::Gang& facts, model::Snapshot& snapshot);

// Adds members that were created again, on the nodes of those that bore their names before, as far as these are free.
// Takes their room. False: there are none.
bool return_to_old_places(const GangState& gang, Kept& kept, const model::Gang& facts, model::Snapshot& snapshot);

[[nodiscard]] bool is_at_barrier(const SeatState& seat);

// Takes the room of what is kept. `is_refused`: kube-scheduler's own filters said no, and nothing else does.
[[nodiscard]] Kept keep_valid_seats(
    const GangState& gang, const model::Gang& facts, model::Snapshot& snapshot, bool only_at_barrier,
    const std::function<bool(const std::string& uid, const std::string& node)>& is_refused);

void give_back(model::Snapshot& snapshot, const model::Gang& gang, const solver::Plan& plan);

// What the referee says, who doesn't mind that a member at the barrier sits where others of its shape were refused.
[[nodiscard]] std::vector<std::string> judged(model::Snapshot& snapshot, const model::Gang& gang,
                                              const solver::Plan& plan,
                                              const std::vector<std::pair<model::PodClassId, model::NodeId>>& excused);

}  // namespace echelon::engine
