#pragma once

// What does each group of a gang still need, by the number of its members alone?
//
// Nothing here knows of room; a group that isn't satisfiable can't become so however large the cluster is. Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/packing/member_conflicts.hpp"

#include <cstdint>
#include <vector>

namespace echelon::solver {

// [resource][node]: what is free now, or would be in an empty cluster.
using Room = std::vector<std::vector<std::int64_t>>;

struct GroupDemand {
    std::int64_t minimum = 0;              // As it counts: of a basic group at least 1.
    std::int64_t counting = 0;             // Bound and finished members of the subtree.
    std::int64_t waiting = 0;              // Members of the subtree that may get a seat, satisfiable groups only.
    std::int64_t lacking = 0;              // Leaf: seats that its minimum still asks for.
    std::vector<std::int64_t> waiting_of;  // Leaf: [size] waiting members.
    std::vector<model::NodeId> bound;      // Nodes of the bound members of the subtree, sorted, unique.
    std::vector<model::LevelRef> split;    // Required levels that the bound members already break (D8).
    bool is_satisfied = false;             // As it stands, without one seat more.
    bool is_satisfiable = false;           // Enough members exist, and no level is broken.
    std::uint32_t twin = 0;                // Groups of equal number may be exchanged for one another.
};

struct Demand {
    std::vector<model::PodClassId> sizes;  // Shapes of waiting members, once per kin; "size" is an index into it.
    std::vector<std::uint32_t> size_of;    // [member] or nowhere.
    std::vector<GroupDemand> groups;       // As Gang::groups.
    bool has_floors = false;
    MemberConflicts relations;
};

[[nodiscard]] Demand demand_of(const model::Snapshot& snapshot, const model::Gang& gang);

}  // namespace echelon::solver
