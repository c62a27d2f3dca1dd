#pragma once

// How many pods of one kind fit: on each node, in all, and in each domain of the levels that are asked for?
//
// Updated from the changes since the last update, so that an update costs no more than those changes. Pure.

#include "model/topology/snapshot.hpp"
#include "simulate/machines.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace echelon::simulate {

class SeatCounts {
public:
    // `demand`: of the machines that `update` gets.
    explicit SeatCounts(const Demand& demand) : demand_(&demand) {}

    void update(const Machines& machines);

    // As of the last update.
    [[nodiscard]] std::int64_t on(model::NodeId node) const { return on_[node]; }
    [[nodiscard]] std::int64_t total() const { return total_; }
    // The most in one domain of the level. The first question about a level costs a walk over all nodes.
    [[nodiscard]] std::int64_t most_in(model::LevelRef level, const model::Snapshot& snapshot);

private:
    struct LevelSums {
        model::LevelRef level;
        std::vector<std::int64_t> in;  // [domain]
    };

    void count_all(const Machines& machines);
    [[nodiscard]] std::int32_t seats_on(model::NodeId node, const Machines& machines) const;
    void recount(model::NodeId node, const Machines& machines);
    [[nodiscard]] LevelSums& sums_of(model::LevelRef level, const model::Snapshot& snapshot);
    void fill(LevelSums& sums, const model::Snapshot& snapshot) const;

    const Demand* demand_;
    std::vector<std::int32_t> on_;
    std::int64_t total_ = 0;
    std::vector<LevelSums> levels_;
    std::uint64_t seen_ = 0;  // Changes of the machines.
};

// The most seats in one domain of the level, if there are `on[node]` on each node.
[[nodiscard]] std::int64_t most_in_one(model::LevelRef level, const model::Snapshot& snapshot,
                                       std::span<const std::int32_t> on);

}  // namespace echelon::simulate
