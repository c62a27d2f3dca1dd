#pragma once

// Which limits (D16) and pairs (D17) does a plan break? The part of the referee for rules that count what each domain
// of a level holds.
//
// Pure.

#include "model/gang/gang.hpp"
#include "model/topology/snapshot.hpp"

#include <span>
#include <string>
#include <vector>

namespace echelon::solver {

// A sentence for each broken rule and domain. `seat_of`: the node of each member's seat, or nowhere.
[[nodiscard]] std::vector<std::string> broken_domain_rules(const model::Snapshot& snapshot, const model::Gang& gang,
                                                           std::span<const model::NodeId> seat_of);

}  // namespace echelon::solver
