#include "simulate/plain_placer.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace echelon::simulate {

namespace {

// The weight in the shipped scheduler configurations, times 10: kube-scheduler multiplies an extender's scores by both.
constexpr std::int64_t prioritize_weight = 200 * 10;

}  // namespace

PlainPlacer::PlainPlacer(const Machines& machines, StockScoring scoring, PlainRule rule)
    : stock_(scoring, machines), rule_(std::move(rule)), by_name_(machines.node_count()) {
    std::iota(by_name_.begin(), by_name_.end(), 0U);
    std::ranges::sort(by_name_, {}, [&](model::NodeId node) { return machines.snapshot().node_names[node]; });
}

std::optional<model::NodeId> PlainPlacer::place(const Demand& demand, const Machines& machines, const SeatCounts& seats,
                                                std::span<const std::uint8_t> packing) const {
    const auto score_of = [&](model::NodeId node) {
        if (rule_)
            return rule_(machines, node, demand);
        const auto stock = stock_.score(machines, node, demand);
        return static_cast<double>(packing.empty() ? stock : stock + prioritize_weight * packing[node]);
    };
    std::optional<model::NodeId> best;
    double best_score = 0;
    for (const auto node : by_name_) {
        if (seats.on(node) == 0)
            continue;
        const auto score = score_of(node);
        if (!best || score > best_score) {
            best = node;
            best_score = score;
        }
    }
    return best;
}

}  // namespace echelon::simulate
