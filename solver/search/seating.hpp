#pragma once

// Which member gets which node? Members by rank, onto nodes in path order. Interchangeable groups come in the order of
// their nodes (O5). Pure.

#include "model/gang/gang.hpp"
#include "solver/packing/demand.hpp"
#include "solver/packing/packing.hpp"
#include "solver/plan.hpp"

#include <span>
#include <vector>

namespace echelon::solver {

[[nodiscard]] std::vector<Seat> seats_of(const model::Gang& gang, const Demand& demand,
                                         std::span<const PodBatch> batches, std::span<const Placement> placements);

}  // namespace echelon::solver
