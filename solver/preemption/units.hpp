#pragma once

// Which pods are evicted together? A unit is the smallest set that is lost with one pod (U1).
//
// The loss of a pod spreads in its gang by two rules, from the leaves to the root. A group of mode `all` that loses a
// pod loses every pod. A group that loses a pod and does not keep its minimum loses every pod, too: half a gang is
// useless. Pods above the minimums can be lost one by one. Pure.

#include "model/gang/running_gang.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace echelon::solver::preemption {

// Pods of one gang that go together, by their index in it.
using Unit = std::vector<std::uint32_t>;

// Adds to the lost pods all that are lost with them. `lost`: [pod] 1: lost. Costs as much as a walk over pods and
// groups.
void spread_loss(const model::RunningGang& gang, std::vector<std::uint8_t>& lost);

// Every unit of the gang: what is lost with each pod, each set once, by first pod. Protected pods are not left out.
[[nodiscard]] std::vector<Unit> units_of(const model::RunningGang& gang);

// True if the gang has its minimum at the root without the lost pods. An empty `lost` means that no pod is lost.
[[nodiscard]] bool keeps_minimum(const model::RunningGang& gang, std::span<const std::uint8_t> lost);

}  // namespace echelon::solver::preemption
