#pragma once

// Which member sits where? Members by rank onto nodes in path order; twins in the order of their domains (O5). Pure.

#include "model/gang/gang.hpp"
#include "solver/packing/demand.hpp"
#include "solver/packing/packing.hpp"
#include "solver/plan.hpp"

#include <span>
#include <vector>

namespace echelon::solver {

[[nodiscard]] std::vector<Seat> seats_of(const model::Gang& gang, const Demand& needs, std::span<const PodBatch> lots,
                                         std::span<const Placement> placements);

}  // namespace echelon::solver
