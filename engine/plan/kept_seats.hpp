#pragma once

// Which seats of a plan can stay after facts have changed?
//
// Pure. A seat stays if its node still accepts the member, has room, and lies in the domains that bound members pin
// (B3, B5, D7).

#include "base/text.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/reserve/taken_room.hpp"
#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"
#include "solver/violations.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace echelon::engine {

// Nodes that kube-scheduler refuses for a pod class. Members whose bind calls wait for such a node keep their seats
// there.
using Excused = std::vector<std::pair<model::PodClassId, model::NodeId>>;

// The seats of a gang that can stay, as a plan, and the gang with those members fixed to their nodes.
struct KeptSeats {
    solver::Plan plan;
    std::optional<model::Gang> fixed;  // Absent: no seat stays, and the gang is as it was.
    std::vector<std::string> unsound;  // UIDs of seats that can't stay.
    Excused excused;
    bool returned_to_previous_node = false;  // Some seats are on nodes of predecessors.
    TakenRoom room;                          // Room that the plan takes.
};

// Treats members whose bindings are in flight as bound, and takes their room. Requires: the gang's own holds are given
// back in `snapshot`.
[[nodiscard]] TakenRoom fix_under_way(const GangState& gang, model::Gang& built, model::Snapshot& snapshot);

// Adds seats for re-created members on the nodes where members of the same name were, if there is room. False: none was
// added.
bool return_to_previous_nodes(const GangState& gang, KeptSeats& kept, const model::Gang& built,
                              const model::Snapshot& snapshot);

// Which seats are considered.
enum class Seats : std::uint8_t { all, at_barrier };

// `is_refused`: kube-scheduler's own filters refuse the node, and nothing else does.
[[nodiscard]] KeptSeats keep_valid_seats(
    const GangState& gang, const model::Gang& built, model::Snapshot& snapshot, Seats which,
    const std::function<bool(const base::Text& uid, const std::string& node)>& is_refused);

// The violations that the referee finds. A member at the barrier may sit on a node that is refused for its class.
[[nodiscard]] std::vector<solver::Violation> found_by_referee(model::Snapshot& snapshot, const model::Gang& gang,
                                                              const solver::Plan& plan, const Excused& excused);

}  // namespace echelon::engine
