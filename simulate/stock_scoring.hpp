#pragma once

// How does kube-scheduler's own scoring rate a node? NodeResourcesFit over cpu and memory, as shipped.
//
// Pure.

#include "model/topology/snapshot.hpp"
#include "simulate/machines.hpp"

#include <cstdint>

namespace echelon::simulate {

enum class StockScoring : std::uint8_t { least_allocated, most_allocated };

// 0 to 100: the mean of both resources, in whole numbers as kube-scheduler computes them.
class StockScorer {
public:
    StockScorer(StockScoring scoring, const Machines& machines);

    [[nodiscard]] std::int64_t score(const Machines& machines, model::NodeId node, const Demand& demand) const;

private:
    StockScoring scoring_;
    std::vector<std::size_t> resources_;  // Ids of cpu and memory.
};

}  // namespace echelon::simulate
