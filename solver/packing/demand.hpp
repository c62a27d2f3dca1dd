#pragma once

// What does each group of a gang still need, judged by numbers of members alone?
//
// Free room plays no part here: a group that isn't satisfiable fits into no cluster. A member class is a set of waiting
// members that are interchangeable: one pod class (`pod_class`) and one set of affinity terms (`affinity_class`). Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/packing/inner_room.hpp"
#include "solver/packing/member_conflicts.hpp"

#include <cstdint>
#include <vector>

namespace echelon::solver {

// [resource][node]: what is free now, or would be in an empty cluster.
using Room = std::vector<std::vector<std::int64_t>>;

struct GroupDemand {
    std::int64_t minimum = 0;                // At least 1 for a basic group (N5).
    std::int64_t counting = 0;               // Bound and finished members of the subtree.
    std::int64_t waiting = 0;                // Waiting members of the subtree, satisfiable groups only.
    std::int64_t lacking = 0;                // Leaf: seats that its minimum still asks for.
    std::vector<std::int64_t> waiting_of;    // Leaf: waiting members by class.
    std::vector<model::NodeId> bound_nodes;  // Nodes of the bound members of the subtree, sorted, unique.
    std::vector<model::LevelRef> split;      // Required levels that the bound members already break (D8).
    bool is_satisfied = false;               // Already, without another seat.
    bool is_satisfiable = false;             // Enough members exist, and no level is broken.
    std::uint32_t symmetry_class = 0;        // Groups of one class are interchangeable.
};

struct Demand {
    std::vector<model::PodClassId> classes;  // [member class] its pod class. An index into it is called `member_class`.
    std::vector<std::uint32_t> class_of;     // [member] its member class; nowhere: it is not waiting.
    std::vector<GroupDemand> groups;         // As Gang::groups.
    bool has_floors = false;
    MemberConflicts conflicts;
    InnerRoom inside;
};

// `occupancy`: whether NUMA zones and devices are judged as they are now, or as if they were empty.
[[nodiscard]] Demand demand_of(const model::Snapshot& snapshot, const model::Gang& gang,
                               Occupancy occupancy = Occupancy::now);

// True for a leaf that is satisfiable, like every group above it.
[[nodiscard]] inline bool may_be_placed(const model::Gang& gang, const Demand& demand, std::uint32_t group) {
    bool may_be = gang.groups[group].is_leaf;
    for (std::uint32_t above = group; may_be && above != model::nowhere; above = gang.groups[above].parent) {
        may_be = demand.groups[above].is_satisfiable;
    }
    return may_be;
}

}  // namespace echelon::solver
