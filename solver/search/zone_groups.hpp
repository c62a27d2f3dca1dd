#pragma once

// Where do groups go whose members share one NUMA zone (NU3)? Each becomes a leaf with one pod that asks for all that
// its members ask for together, so that packing pods into zones packs the groups, too.
//
// Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/packing/search_budget.hpp"
#include "solver/plan.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace echelon::solver {

[[nodiscard]] bool has_zone_groups(const model::Gang& gang);

// How many of a group's waiting members go together: all, or as many as its minimum asks for.
enum class Together : std::uint8_t { all, minimum };

// The gang with one pod for each such group, and the snapshot with the classes of these pods.
struct ZoneGang {
    model::Snapshot snapshot;
    model::Gang gang;
    std::vector<std::vector<std::uint32_t>> members;  // [member of `gang`] indices in the original gang.
    bool leaves_out = false;                          // Some waiting member is in no pod.
    bool is_exact = true;                             // False: other members might have been left out.
};
[[nodiscard]] ZoneGang with_pods_of_groups(const model::Snapshot& snapshot, const model::Gang& gang, Together together);

// The seats of the original members.
[[nodiscard]] std::vector<Seat> seats_of_members(const ZoneGang& zone_gang, const Plan& plan);

}  // namespace echelon::solver
