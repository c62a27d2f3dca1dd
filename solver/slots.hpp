#pragma once

// How many pods of one shape does each node hold? One pass over the arrays; the innermost loop of every decision. Pure.

#include "model/snapshot.hpp"
#include "solver/needs.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace echelon::solver {

// What a node holds of a shape that needs nothing: more pods than any gang has, and sums stay far from overflow.
inline constexpr std::int64_t most_slots = std::int64_t{1} << 32U;

[[nodiscard]] std::vector<std::int64_t> slots_per_node(const model::Snapshot& snapshot, const Room& room,
                                                       model::ShapeId shape);

// The resource of which a pod takes the largest part of what these nodes have; "pods" only if nothing else.
[[nodiscard]] std::size_t scarcest(const model::Snapshot& snapshot, model::ShapeId shape,
                                   std::span<const model::NodeId> nodes);

}  // namespace echelon::solver
