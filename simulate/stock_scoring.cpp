#include "simulate/stock_scoring.hpp"

#include <algorithm>
#include <string_view>

namespace echelon::simulate {

namespace {

constexpr std::int64_t best = 100;

std::int64_t amount_of(std::size_t resource, const Demand& demand) {
    for (const auto& [id, amount] : demand.amounts) {
        if (id == resource)
            return amount;
    }
    return 0;
}

}  // namespace

StockScorer::StockScorer(StockScoring scoring, const Machines& machines) : scoring_(scoring) {
    const auto& names = machines.snapshot().resources;
    for (const std::string_view name : {"cpu", "memory"}) {
        if (const auto found = std::ranges::find(names, name); found != names.end())
            resources_.push_back(static_cast<std::size_t>(found - names.begin()));
    }
}

std::int64_t StockScorer::score(const Machines& machines, model::NodeId node, const Demand& demand) const {
    std::int64_t sum = 0;
    std::int64_t count = 0;
    for (const auto resource : resources_) {
        const auto capacity = machines.snapshot().capacity[resource][node];
        if (capacity <= 0)
            continue;
        const auto left = machines.snapshot().room[resource][node] - amount_of(resource, demand);
        const auto counted = scoring_ == StockScoring::least_allocated ? left : capacity - left;
        sum += std::clamp<std::int64_t>(counted, 0, capacity) * best / capacity;
        ++count;
    }
    return count == 0 ? 0 : sum / count;
}

}  // namespace echelon::simulate
