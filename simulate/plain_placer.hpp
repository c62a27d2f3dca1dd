#pragma once

// Where does a pod of no gang go? This class replaces kube-scheduler. Of the nodes that the pod fits on, it takes the
// one with the best score, `prioritize` included; of equals, the first by name.
//
// Pure.

#include "simulate/machines.hpp"
#include "simulate/seat_counts.hpp"
#include "simulate/stock_scoring.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace echelon::simulate {

// The rule of another scheduler, for measurements: the higher the better.
using PlainRule = std::function<double(const Machines& machines, model::NodeId node, const Demand& demand)>;

class PlainPlacer {
public:
    // `rule`: in place of all scores; empty: none.
    PlainPlacer(const Machines& machines, StockScoring scoring, PlainRule rule);

    // nullopt: it fits nowhere. `seats` are up to date. `packing`: [node] what prioritize answers; empty: nothing.
    [[nodiscard]] std::optional<model::NodeId> place(const Demand& demand, const Machines& machines,
                                                     const SeatCounts& seats,
                                                     std::span<const std::uint8_t> packing) const;

private:
    StockScorer stock_;
    PlainRule rule_;
    std::vector<model::NodeId> by_name_;
};

}  // namespace echelon::simulate
