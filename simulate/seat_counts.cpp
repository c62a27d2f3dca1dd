#include "simulate/seat_counts.hpp"

#include <algorithm>
#include <limits>

namespace echelon::simulate {

namespace {

std::vector<std::int64_t> sums_in(model::LevelRef level, const model::Snapshot& snapshot,
                                  std::span<const std::int32_t> on) {
    const auto& tree = snapshot.trees[level.tree];
    std::vector<std::int64_t> sums(tree.domains[level.depth].size());
    const auto& domain_of = tree.domain_of[level.depth];
    for (std::size_t node = 0; node < on.size(); ++node) {
        if (domain_of[node] != model::nowhere)
            sums[domain_of[node]] += on[node];
    }
    return sums;
}

std::int64_t most_of(const std::vector<std::int64_t>& sums) {
    return sums.empty() ? 0 : *std::ranges::max_element(sums);
}

}  // namespace

std::int64_t most_in_one(model::LevelRef level, const model::Snapshot& snapshot, std::span<const std::int32_t> on) {
    return most_of(sums_in(level, snapshot, on));
}

void SeatCounts::update(const Machines& machines) {
    if (on_.empty() || machines.changes() - seen_ > machines.changes_kept()) {
        count_all(machines);
    } else {
        for (auto change = seen_; change < machines.changes(); ++change)
            recount(machines.changed_at(change), machines);
    }
    seen_ = machines.changes();
}

void SeatCounts::count_all(const Machines& machines) {
    on_.resize(machines.node_count());
    total_ = 0;
    for (model::NodeId node = 0; node < on_.size(); ++node) {
        on_[node] = seats_on(node, machines);
        total_ += on_[node];
    }
    for (auto& sums : levels_)
        fill(sums, machines.snapshot());
}

std::int32_t SeatCounts::seats_on(model::NodeId node, const Machines& machines) const {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 2;
    return static_cast<std::int32_t>(std::min(machines.seats(node, *demand_), most));
}

void SeatCounts::recount(model::NodeId node, const Machines& machines) {
    const auto difference = seats_on(node, machines) - on_[node];
    if (difference == 0)
        return;
    on_[node] += difference;
    total_ += difference;
    for (auto& sums : levels_) {
        const auto domain = machines.snapshot().trees[sums.level.tree].domain_of[sums.level.depth][node];
        if (domain != model::nowhere)
            sums.in[domain] += difference;
    }
}

void SeatCounts::fill(LevelSums& sums, const model::Snapshot& snapshot) const {
    sums.in = sums_in(sums.level, snapshot, on_);
}

SeatCounts::LevelSums& SeatCounts::sums_of(model::LevelRef level, const model::Snapshot& snapshot) {
    const auto known = std::ranges::find(levels_, level, &LevelSums::level);
    if (known != levels_.end())
        return *known;
    fill(levels_.emplace_back(LevelSums{level, {}}), snapshot);
    return levels_.back();
}

std::int64_t SeatCounts::most_in(model::LevelRef level, const model::Snapshot& snapshot) {
    return most_of(sums_of(level, snapshot).in);
}

}  // namespace echelon::simulate
