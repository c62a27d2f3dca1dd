#pragma once

// How are victims named to people? Whole gangs by their name, parts of gangs by how many pods they lose.
//
// Pure.

#include "model/gang/running_gang.hpp"
#include "solver/preemption/victims.hpp"

#include <string>
#include <vector>

namespace echelon::solver::preemption {

// "default/low", "2 pods of default/web", then pods of no gang: "default/plain-0".
[[nodiscard]] std::vector<std::string> names_of(const std::vector<Victim>& victims, const model::RunningGangs& running);

}  // namespace echelon::solver::preemption
