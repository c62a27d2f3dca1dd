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

// How the slots of a node follow from its room.
struct SlotRule {
    // A resource of which a pod needs more than one unit.
    struct Limit {
        const std::int64_t* room;
        std::int64_t need;
    };
    std::vector<const std::int64_t*> pieces;  // One unit for each pod: the free amount is the number of slots.
    std::vector<Limit> limits;
    std::int64_t most = most_slots;
    const std::uint8_t* eligible = nullptr;
};

[[nodiscard]] std::vector<std::int64_t> slots_per_node(const model::Snapshot& snapshot, const Room& room,
                                                       model::PodClassId pod_class);

// What a range of nodes has for pods of one class.
struct RangeRoom {
    std::int64_t slots = 0;
    std::int64_t free = 0;     // Of one resource, on usable nodes. Wraps on overflow.
    std::int64_t largest = 0;  // Free of it on the freest node.
};

// What ranges of nodes have for pods of one class. Nothing is kept for single nodes: arrays as long as the cluster
// would take a good part of a decision. Snapshot and room must outlive it.
class RangeScan {
public:
    RangeScan(const model::Snapshot& snapshot, const Room& room, model::PodClassId pod_class, std::size_t resource);

    // Requires: first <= last <= number of nodes.
    [[nodiscard]] RangeRoom of(std::size_t first, std::size_t last) const;
    // The same without `slots`, which are most of the work.
    [[nodiscard]] RangeRoom free_in(std::size_t first, std::size_t last) const;

private:
    SlotRule rule_;
    const std::int64_t* free_;
    const std::uint8_t* usable_;
};

// Prefix sums of what is free of one resource on usable nodes, in node order: [n] is the sum over the nodes before n.
// Wraps on overflow. A bare array, since a vector would be zeroed first.
using Running = std::unique_ptr<std::int64_t[]>;
[[nodiscard]] Running running_room(const model::Snapshot& snapshot, const std::vector<std::int64_t>& room);

// The resource of which these pods take the largest share of what is free on usable nodes. `counts`: pods of each of
// `pod_classes`. "pods" only if they need nothing else. In a large cluster a few hundred evenly spaced nodes are
// sampled.
[[nodiscard]] std::size_t scarcest(const model::Snapshot& snapshot, const Room& room,
                                   std::span<const model::PodClassId> pod_classes,
                                   std::span<const std::int64_t> counts);

}  // namespace echelon::solver
