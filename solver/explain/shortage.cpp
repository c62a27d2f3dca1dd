#include "solver/explain/shortage.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

namespace echelon::solver {

using model::NodeId;

std::vector<std::int64_t> Shortage::smallest_seats(std::uint32_t group) const {
    std::vector<std::int64_t> seats(needs_.sizes.size(), 0);
    std::vector<std::uint32_t> order(seats.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::uint32_t s) { return ease_of(s); });
    for (auto [leaf, left] : smallest_picks(group)) {
        for (const std::uint32_t size : order) {
            const std::int64_t taken = std::min(left, needs_.groups[leaf].waiting_of[size]);
            seats[size] += taken;
            left -= taken;
        }
    }
    return seats;
}

std::vector<Shortage::Pick> Shortage::smallest_picks(std::uint32_t group) const {
    const model::GangGroup& source = gang_.groups[group];
    if (source.is_leaf) {
        return {{.leaf = group, .seats = needs_.groups[group].lacking}};
    }
    std::vector<std::vector<Pick>> below;
    for (const std::uint32_t child : source.children) {
        if (needs_.groups[child].is_satisfiable) {
            below.push_back(smallest_picks(child));
        }
    }
    std::ranges::stable_sort(below, {}, total_of);
    std::vector<Pick> picks;
    for (std::int64_t i = 0; i < needs_.groups[group].minimum && i < std::ssize(below); ++i) {
        std::ranges::copy(below[static_cast<std::size_t>(i)], std::back_inserter(picks));
    }
    add_for_floor(group, picks);
    return picks;
}

std::int64_t Shortage::total_of(const std::vector<Pick>& picks) {
    return std::accumulate(picks.begin(), picks.end(), std::int64_t{0},
                           [](std::int64_t sum, const Pick& pick) { return sum + pick.seats; });
}

// A floor counts pods of whole leaves (Z37): first more of the leaves that are there anyway, then other leaves, the
// smallest first.
void Shortage::add_for_floor(std::uint32_t group, std::vector<Pick>& picks) const {
    std::int64_t missing = gang_.groups[group].floor - needs_.groups[group].counting - total_of(picks);
    const auto waiting = [&](std::uint32_t leaf) {
        const auto& of = needs_.groups[leaf].waiting_of;
        return std::accumulate(of.begin(), of.end(), std::int64_t{0});
    };
    for (Pick& pick : picks) {
        const std::int64_t more = std::max<std::int64_t>(0, std::min(missing, waiting(pick.leaf) - pick.seats));
        pick.seats += more;
        missing -= more;
    }
    std::vector<std::uint32_t> others;
    append_leaves(group, others);
    std::erase_if(others, [&](std::uint32_t leaf) {
        return !needs_.groups[leaf].is_satisfiable || std::ranges::find(picks, leaf, &Pick::leaf) != picks.end();
    });
    std::ranges::stable_sort(others, {}, [&](std::uint32_t leaf) { return needs_.groups[leaf].lacking; });
    for (auto leaf = others.begin(); leaf != others.end() && missing > 0; ++leaf) {
        const std::int64_t most = std::min(missing, waiting(*leaf));
        picks.push_back({.leaf = *leaf, .seats = std::max(needs_.groups[*leaf].lacking, most)});
        missing -= picks.back().seats;
    }
}

void Shortage::append_leaves(std::uint32_t group, std::vector<std::uint32_t>& leaves) const {
    for (const std::uint32_t child : gang_.groups[group].children) {
        if (gang_.groups[child].is_leaf) {
            leaves.push_back(child);
        } else {
            append_leaves(child, leaves);
        }
    }
}

std::int64_t Shortage::ease_of(std::uint32_t size) const {
    return gauges_.cap(CapacityBounds::slots_bound(size), everywhere);
}

std::int64_t Shortage::room_for(std::span<const std::int64_t> seats, ScopeId scope) const {
    const std::int64_t all = std::accumulate(seats.begin(), seats.end(), std::int64_t{0});
    std::int64_t most = all;
    for (std::uint32_t size = 0; size < seats.size(); ++size) {
        const std::size_t gauge = CapacityBounds::slots_bound(size);
        const std::int64_t as_large = gauges_.weight(gauge, seats);
        most = std::min(most, all - as_large + std::min(as_large, gauges_.cap(gauge, scope)));
    }
    // Sizes that have slots one by one may be too much together.
    for (std::size_t gauge = seats.size(); most == all && gauge < gauges_.count(); ++gauge) {
        most = most_in(gauge, seats, gauges_.cap(gauge, scope));
    }
    return most;
}

std::int64_t Shortage::most_in(std::size_t gauge, std::span<const std::int64_t> seats, std::int64_t left) const {
    std::vector<std::uint32_t> order(seats.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t size) { return gauges_.weight_of(gauge, size); });
    std::int64_t most = 0;
    for (const std::uint32_t size : order) {
        const std::int64_t each = gauges_.weight_of(gauge, size);
        const std::int64_t fits =
            each == 0 ? seats[size] : std::min(seats[size], std::max<std::int64_t>(0, left) / each);
        most += fits;
        left -= fits * each;
    }
    return most;
}

std::uint32_t Shortage::hardest(std::span<const std::int64_t> seats) const {
    std::uint32_t hardest = 0;
    for (std::uint32_t size = 0; size < seats.size(); ++size) {
        hardest = seats[size] > 0 && (seats[hardest] == 0 || ease_of(size) < ease_of(hardest)) ? size : hardest;
    }
    return hardest;
}

std::vector<NodeId> Shortage::nodes_without_level(std::uint32_t group, ScopeId outer) const {
    const auto level = narrowest_required(gang_.groups[group]);
    if (!level) {
        return {};
    }
    const auto& domain_of = snapshot_.trees[level->tree].domain_of[level->depth];
    std::vector<NodeId> nodes = scopes_.nodes_of(outer);
    std::erase_if(nodes, [&](NodeId node) { return domain_of[node] != model::nowhere || snapshot_.usable[node] == 0; });
    return nodes;
}

std::optional<std::size_t> Shortage::missing_in(ScopeId scope, std::span<const std::int64_t> seats) const {
    if (needs_.sizes.empty()) {
        return std::nullopt;
    }
    const model::PodClassId shape = needs_.sizes[hardest(seats)];
    const std::vector<NodeId> nodes = scopes_.nodes_of(scope);
    std::optional<std::size_t> answer;
    std::int64_t most = 0;
    for (std::size_t without = 0; without < snapshot_.resources.size(); ++without) {
        if (snapshot_.need[shape][without] <= 0) {
            continue;
        }
        std::int64_t slots = 0;
        for (const NodeId node : nodes) {
            slots += snapshot_.eligible[shape][node] != 0 ? slots_without(shape, node, without) : 0;
        }
        if (slots > most) {
            most = slots;
            answer = without;
        }
    }
    return answer;
}

std::int64_t Shortage::slots_without(model::PodClassId shape, NodeId node, std::size_t without) const {
    std::int64_t slots = std::int64_t{1} << 20U;
    for (std::size_t r = 0; r < snapshot_.resources.size(); ++r) {
        if (const std::int64_t need = snapshot_.need[shape][r]; need > 0 && r != without) {
            slots = std::min(slots, std::max<std::int64_t>(0, room_[r][node]) / need);
        }
    }
    return slots;
}

std::optional<model::LevelRef> narrowest_required(const model::GangGroup& group) {
    if (group.required.empty()) {
        return std::nullopt;
    }
    return *std::ranges::max_element(group.required, {}, &model::LevelRef::depth);
}

}  // namespace echelon::solver
