#pragma once

// How many pods of one shape does each node hold? One pass over the arrays; the innermost loop of every decision. Pure.

#include "model/topology/snapshot.hpp"
#include "solver/packing/demand.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace echelon::solver {

// What a node holds of a shape that needs nothing: more pods than any gang has, and sums stay far from overflow.
inline constexpr std::int64_t most_slots = std::int64_t{1} << 32U;

[[nodiscard]] std::vector<std::int64_t> slots_per_node(const model::Snapshot& snapshot, const Room& room,
                                                       model::PodClassId shape);

// Running sums in the order of the first tree, which is that of the nodes: [n] is what nodes before n have. Bare, since
// a vector would be cleared first, and that is a good part of a decision.
using Running = std::unique_ptr<std::int64_t[]>;

// Of slots.
[[nodiscard]] Running running_slots(const model::Snapshot& snapshot, const Room& room, model::PodClassId shape);
// Of what is free of one resource on usable nodes. Wraps rather than overflows.
[[nodiscard]] Running running_room(const model::Snapshot& snapshot, const std::vector<std::int64_t>& room);

// The resource of which these pods, so many of each shape, take the largest part of what usable nodes have free; "pods"
// only if they need nothing else. Of a large cluster some hundred nodes tell, spread evenly.
[[nodiscard]] std::size_t scarcest(const model::Snapshot& snapshot, const Room& room,
                                   std::span<const model::PodClassId> shapes, std::span<const std::int64_t> counts);

}  // namespace echelon::solver
