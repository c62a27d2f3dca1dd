#pragma once

// How wide an empty domain would a pod break on each node? (SC3)
//
// Every tree counts, since families of labels and several topology objects exist side by side. Pure.

#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace echelon::solver {

// [node] The widest kind of empty domain around it: 0 a host or none, 1 a rack, 2 wider ... `is_used`: [node].
[[nodiscard]] std::vector<std::uint32_t> empty_domains(const model::Snapshot& snapshot,
                                                       std::span<const std::uint8_t> is_used);

}  // namespace echelon::solver
