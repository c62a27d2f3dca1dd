#pragma once

// How many pods of one pod class does each node hold? One pass over the arrays; the innermost loop of every decision.
// Pure.

#include "model/topology/snapshot.hpp"
#include "solver/packing/demand.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace echelon::solver {

// The slots of a node for pods that need nothing: more than any gang has, and small enough that sums don't overflow.
inline constexpr std::int64_t most_slots = std::int64_t{1} << 32U;

[[nodiscard]] std::vector<std::int64_t> slots_per_node(const model::Snapshot& snapshot, const Room& room,
                                                       model::PodClassId shape);

// Prefix sums in node order, which is the order of the first tree: [n] is the sum over the nodes before n. A bare
// array, since a vector would be zeroed first, which takes a good part of a decision.
using Running = std::unique_ptr<std::int64_t[]>;

// Prefix sums of slots.
[[nodiscard]] Running running_slots(const model::Snapshot& snapshot, const Room& room, model::PodClassId shape);
// Prefix sums of what is free of one resource on usable nodes. Wraps on overflow.
[[nodiscard]] Running running_room(const model::Snapshot& snapshot, const std::vector<std::int64_t>& room);

// The resource of which these pods take the largest share of what is free on usable nodes. `counts`: pods of each of
// `shapes`. "pods" only if they need nothing else. In a large cluster a few hundred evenly spaced nodes are sampled.
[[nodiscard]] std::size_t scarcest(const model::Snapshot& snapshot, const Room& room,
                                   std::span<const model::PodClassId> shapes, std::span<const std::int64_t> counts);

}  // namespace echelon::solver
