#include "solver/explain/shortage.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>

namespace echelon::solver {

using model::NodeId;

std::vector<std::int64_t> Shortage::smallest_seats(std::uint32_t group) const {
    std::vector<std::int64_t> seats(demand_.classes.size(), 0);
    std::vector<std::uint32_t> order(seats.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::uint32_t s) { return ease_of(s); });
    for (auto [leaf, left] : smallest_picks(group)) {
        for (const std::uint32_t member_class : order) {
            const std::int64_t taken = std::min(left, demand_.groups[leaf].waiting_of[member_class]);
            seats[member_class] += taken;
            left -= taken;
        }
    }
    return seats;
}

std::vector<Shortage::Pick> Shortage::smallest_picks(std::uint32_t group) const {
    const model::GangGroup& source = gang_.groups[group];
    if (source.is_leaf) {
        return {{.leaf = group, .seats = demand_.groups[group].lacking}};
    }
    std::vector<std::vector<Pick>> below;
    for (const std::uint32_t child : source.children) {
        if (demand_.groups[child].is_satisfiable) {
            below.push_back(smallest_picks(child));
        }
    }
    std::ranges::stable_sort(below, {}, total_of);
    std::vector<Pick> picks;
    for (std::int64_t i = 0; i < demand_.groups[group].minimum && i < std::ssize(below); ++i) {
        std::ranges::copy(below[static_cast<std::size_t>(i)], std::back_inserter(picks));
    }
    add_for_floor(group, picks);
    return picks;
}

std::int64_t Shortage::total_of(const std::vector<Pick>& picks) {
    return std::accumulate(picks.begin(), picks.end(), std::int64_t{0},
                           [](std::int64_t sum, const Pick& pick) { return sum + pick.seats; });
}

// A floor counts pods of whole leaves (Z37). Adds pods of the leaves that are picked already, then other leaves, the
// smallest first.
void Shortage::add_for_floor(std::uint32_t group, std::vector<Pick>& picks) const {
    std::int64_t missing = gang_.groups[group].floor - demand_.groups[group].counting - total_of(picks);
    const auto waiting = [&](std::uint32_t leaf) {
        const auto& of = demand_.groups[leaf].waiting_of;
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
        return !demand_.groups[leaf].is_satisfiable || std::ranges::find(picks, leaf, &Pick::leaf) != picks.end();
    });
    std::ranges::stable_sort(others, {}, [&](std::uint32_t leaf) { return demand_.groups[leaf].lacking; });
    for (auto leaf = others.begin(); leaf != others.end() && missing > 0; ++leaf) {
        const std::int64_t most = std::min(missing, waiting(*leaf));
        picks.push_back({.leaf = *leaf, .seats = std::max(demand_.groups[*leaf].lacking, most)});
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

std::int64_t Shortage::ease_of(std::uint32_t member_class) const {
    return bounds_.capacity(CapacityBounds::slots_bound(member_class), everywhere);
}

std::int64_t Shortage::room_for(std::span<const std::int64_t> seats, ScopeId scope) const {
    const std::int64_t all = std::accumulate(seats.begin(), seats.end(), std::int64_t{0});
    const std::vector<std::int64_t> amounts = bounds_.amounts(seats);
    std::int64_t most = all;
    for (std::uint32_t member_class = 0; member_class < seats.size(); ++member_class) {
        const std::size_t bound = CapacityBounds::slots_bound(member_class);
        const std::int64_t as_large = amounts[bound];
        most = std::min(most, all - as_large + std::min(as_large, bounds_.capacity(bound, scope)));
    }
    // Classes that fit one by one may be too much together.
    for (std::size_t bound = seats.size(); most == all && bound < bounds_.count(); ++bound) {
        most = most_in(bound, seats, bounds_.capacity(bound, scope));
    }
    return most;
}

std::int64_t Shortage::most_in(std::size_t bound, std::span<const std::int64_t> seats, std::int64_t left) const {
    std::vector<std::uint32_t> order(seats.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {},
                             [&](std::uint32_t member_class) { return bounds_.weight_of(bound, member_class); });
    std::int64_t most = 0;
    for (const std::uint32_t member_class : order) {
        const std::int64_t each = bounds_.weight_of(bound, member_class);
        const std::int64_t fits =
            each == 0 ? seats[member_class] : std::min(seats[member_class], std::max<std::int64_t>(0, left) / each);
        most += fits;
        left -= fits * each;
    }
    return most;
}

std::uint32_t Shortage::hardest(std::span<const std::int64_t> seats) const {
    std::uint32_t hardest = 0;
    for (std::uint32_t member_class = 0; member_class < seats.size(); ++member_class) {
        hardest = seats[member_class] > 0 && (seats[hardest] == 0 || ease_of(member_class) < ease_of(hardest))
                      ? member_class
                      : hardest;
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
    if (demand_.classes.empty()) {
        return std::nullopt;
    }
    const model::PodClassId shape = demand_.classes[hardest(seats)];
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

std::string Shortage::missing_in_words(ScopeId scope, std::span<const std::int64_t> seats) const {
    if (const std::string in_zones = missing_in_zones(scope, seats); !in_zones.empty()) {
        return "one NUMA zone of " + in_zones;
    }
    if (const std::string together = missing_together(scope, seats); !together.empty()) {
        return together;
    }
    const auto resource = missing_in(scope, seats);
    return resource ? snapshot_.resources[*resource] : "no eligible node";
}

std::string Shortage::missing_in_zones(ScopeId scope, std::span<const std::int64_t> seats) const {
    if (!demand_.inside.zones().exist()) {
        return {};
    }
    const std::uint32_t member_class = hardest(seats);
    const model::PodClassId shape = demand_.classes[member_class];
    std::map<std::string, std::int64_t> lost;  // Slots, by the resource that takes them.
    for (const NodeId node : scopes_.nodes_of(scope)) {
        if (snapshot_.eligible[shape][node] == 0 || !demand_.inside.zones().bind(member_class, node)) {
            continue;
        }
        const std::int64_t by_amounts = slots_without(shape, node, snapshot_.resources.size());
        const std::int64_t by_zones = demand_.inside.zones().limit(member_class, node);
        if (by_zones < by_amounts) {
            lost[demand_.inside.zones().scarcest(member_class, node)] += by_amounts - by_zones;
        }
    }
    const auto most = std::ranges::max_element(lost, {}, [](const auto& entry) { return entry.second; });
    return most == lost.end() ? std::string() : most->first;
}

std::string Shortage::missing_together(ScopeId scope, std::span<const std::int64_t> seats) const {
    const DeviceRoom& devices = demand_.inside.devices();
    if (!devices.exist()) {
        return {};
    }
    const std::uint32_t member_class = hardest(seats);
    const model::PodClassId shape = demand_.classes[member_class];
    const auto takes_slots = [&](NodeId node) {
        return snapshot_.eligible[shape][node] != 0 && devices.bind(member_class, node) &&
               devices.most(member_class, node, {}) < slots_without(shape, node, snapshot_.resources.size());
    };
    return std::ranges::any_of(scopes_.nodes_of(scope), takes_slots) ? devices.words(member_class) : std::string();
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
