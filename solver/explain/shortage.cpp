#include "solver/explain/shortage.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

namespace echelon::solver {

using model::NodeId;

namespace {

constexpr std::int64_t most_slots = std::int64_t{1} << 20U;  // Of a node; a sum over nodes can't overflow.

// Slots of a node by one resource that the pods need.
std::int64_t slots_of(const model::Snapshot& snapshot, const Room& room, model::PodClassId pod_class, NodeId node,
                      std::size_t resource) {
    return std::min(most_slots, std::max<std::int64_t>(0, room[resource][node]) / snapshot.need[pod_class][resource]);
}

// The resource that gives these nodes the fewest slots by itself. Nullopt: there is no node.
std::optional<std::size_t> shortest_of(const model::Snapshot& snapshot, const Room& room, model::PodClassId pod_class,
                                       std::span<const NodeId> nodes) {
    std::optional<std::size_t> shortest;
    std::int64_t fewest = 0;
    for (std::size_t resource = 0; resource < snapshot.resources.size() && !nodes.empty(); ++resource) {
        if (snapshot.need[pod_class][resource] <= 0) {
            continue;
        }
        std::int64_t slots = 0;
        for (const NodeId node : nodes) {
            slots += slots_of(snapshot, room, pod_class, node, resource);
        }
        if (!shortest || slots < fewest) {
            shortest = resource;
            fewest = slots;
        }
    }
    return shortest;
}

}  // namespace

std::vector<std::int64_t> Shortage::smallest_seats(std::uint32_t group) const {
    return seats_of(smallest_picks(group));
}

std::vector<std::uint32_t> Shortage::easiest_first() const {
    std::vector<std::uint32_t> order(demand_.classes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::uint32_t s) { return ease_of(s); });
    return order;
}

std::vector<std::int64_t> Shortage::seats_of(const std::vector<Pick>& picks) const {
    std::vector<std::int64_t> seats(demand_.classes.size(), 0);
    const std::vector<std::uint32_t> order = easiest_first();
    for (auto [leaf, left] : picks) {
        for (const std::uint32_t member_class : order) {
            const std::int64_t taken = std::min(left, demand_.groups[leaf].waiting_of[member_class]);
            seats[member_class] += taken;
            left -= taken;
        }
    }
    return seats;
}

std::int64_t Shortage::weight_of(const std::vector<Pick>& picks) const {
    constexpr std::int64_t whole_cluster = std::int64_t{1} << 30U;
    const std::vector<std::int64_t> seats = seats_of(picks);
    std::int64_t weight = 0;
    for (std::uint32_t member_class = 0; member_class < seats.size(); ++member_class) {
        weight += seats[member_class] * (whole_cluster / std::max<std::int64_t>(1, ease_of(member_class)));
    }
    return weight;
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
    const std::int64_t chosen = std::min(demand_.groups[group].minimum, std::ssize(below));
    if (chosen < std::ssize(below)) {
        std::vector<std::pair<std::pair<std::int64_t, std::int64_t>, std::size_t>> order;
        order.reserve(below.size());
        for (std::size_t i = 0; i < below.size(); ++i) {
            order.push_back({{total_of(below[i]), weight_of(below[i])}, i});
        }
        std::ranges::sort(order);
        std::vector<std::vector<Pick>> sorted;
        sorted.reserve(below.size());
        for (const auto& [cost, index] : order) {
            sorted.push_back(std::move(below[index]));
        }
        below = std::move(sorted);
    }
    std::vector<Pick> picks;
    for (std::int64_t i = 0; i < chosen; ++i) {
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

template <typename Where>
std::int64_t Shortage::room_in(std::span<const std::int64_t> seats, const Where& where) const {
    const std::int64_t all = std::accumulate(seats.begin(), seats.end(), std::int64_t{0});
    const std::vector<std::int64_t> amounts = bounds_.amounts(seats);
    std::int64_t most = all;
    for (std::uint32_t member_class = 0; member_class < seats.size(); ++member_class) {
        const std::size_t bound = CapacityBounds::slots_bound(member_class);
        const std::int64_t as_large = amounts[bound];
        most = std::min(most, all - as_large + std::min(as_large, bounds_.capacity(bound, where)));
    }
    // Classes that fit one by one may be too much together.
    for (std::size_t bound = seats.size(); most == all && bound < bounds_.count(); ++bound) {
        most = most_in(bound, seats, bounds_.capacity(bound, where));
    }
    return most;
}

std::int64_t Shortage::room_for(std::span<const std::int64_t> seats, ScopeId scope) const {
    return room_in(seats, scope);
}

std::optional<NodeId> Shortage::node_with_most_room(model::LevelRef level, ScopeId first,
                                                    std::span<const std::int64_t> seats,
                                                    std::span<const std::int64_t> amounts) const {
    const auto admits = [&](const Place& place) {
        for (std::size_t bound = 0; bound < amounts.size(); ++bound) {
            if (amounts[bound] > 0 && amounts[bound] > bounds_.capacity(bound, place)) {
                return false;
            }
        }
        return true;
    };
    const auto [begin, end] = scopes_.range_of(first);
    const model::Tree& tree = snapshot_.trees[level.tree];
    std::pair<std::int64_t, bool> best{-1, false};  // Seats, and whether the domain is in `first`.
    std::optional<NodeId> node;
    for (std::uint32_t d = 0; d < tree.domains[level.depth].size(); ++d) {
        const model::Domain& domain = tree.domains[level.depth][d];
        const Place place{.level = level, .domain = d};
        if (admits(place)) {
            return std::nullopt;
        }
        const std::pair here{room_in(seats, place), domain.first >= begin && domain.last <= end};
        if (best < here) {
            best = here;
            node = tree.order[domain.first];
        }
    }
    return node;
}

bool Shortage::can_seat(std::span<const std::int64_t> seats, ScopeId scope, std::int64_t count) const {
    constexpr std::size_t most_steps = 100'000;
    std::vector<std::uint32_t> order = easiest_first();
    std::erase_if(order, [&](std::uint32_t member_class) { return seats[member_class] == 0; });
    if (order.size() <= 1 || count == 0) {
        return true;  // `room_for` has counted slots of one size.
    }
    const std::vector<NodeId> nodes = scopes_.nodes_of(scope);
    if (nodes.size() * order.size() * snapshot_.resources.size() > most_steps) {
        return false;
    }
    if (fills(order, seats, nodes, count)) {
        return true;
    }
    std::ranges::reverse(order);
    return fills(order, seats, nodes, count);
}

bool Shortage::fills(std::span<const std::uint32_t> order, std::span<const std::int64_t> seats,
                     std::span<const NodeId> nodes, std::int64_t count) const {
    std::vector<std::int64_t> left(seats.begin(), seats.end());
    std::vector<std::int64_t> room(snapshot_.resources.size());
    for (auto node = nodes.begin(); node != nodes.end() && count > 0; ++node) {
        for (std::size_t r = 0; r < room.size(); ++r) {
            room[r] = room_[r][*node];
        }
        for (const std::uint32_t member_class : order) {
            const auto& need = snapshot_.need[demand_.classes[member_class]];
            std::int64_t fits = std::min(left[member_class], bounds_.slots(member_class, *node));
            for (std::size_t r = 0; r < room.size(); ++r) {
                fits = need[r] > 0 ? std::min(fits, std::max<std::int64_t>(0, room[r]) / need[r]) : fits;
            }
            for (std::size_t r = 0; r < room.size(); ++r) {
                room[r] -= fits * need[r];
            }
            left[member_class] -= fits;
            count -= fits;
        }
    }
    return count <= 0;
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

std::uint32_t Shortage::scarcest(ScopeId scope, std::span<const std::int64_t> seats) const {
    std::uint32_t answer = hardest(seats);
    if (!demand_.conflicts.exist()) {
        return answer;
    }
    const std::vector<std::int64_t> amounts = bounds_.amounts(seats);
    const auto lacking = [&](std::uint32_t member_class) {
        const std::size_t bound = CapacityBounds::slots_bound(member_class);
        return seats[member_class] > 0 ? std::max<std::int64_t>(0, amounts[bound] - bounds_.capacity(bound, scope)) : 0;
    };
    for (std::uint32_t member_class = 0; member_class < seats.size(); ++member_class) {
        answer = lacking(member_class) > lacking(answer) ? member_class : answer;
    }
    return answer;
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
    const std::uint32_t member_class = scarcest(scope, seats);
    const model::PodClassId pod_class = demand_.classes[member_class];
    const std::int64_t wanted = bounds_.amounts(seats)[CapacityBounds::slots_bound(member_class)];
    const AffinityLoss loss = affinity_loss(scope, seats);
    if (loss.takes_slots() && !loss.is_scarce && loss.by_amounts >= wanted) {
        return std::nullopt;
    }
    std::vector<NodeId> nodes = scopes_.nodes_of(scope);
    std::erase_if(nodes, [&](NodeId node) { return snapshot_.eligible[pod_class][node] == 0; });
    const auto slots_if_unlimited = [&](std::size_t resource) {
        std::pair<std::int64_t, std::int64_t> slots{0, 0};  // Beside pod affinity, and without it.
        for (const NodeId node : nodes) {
            const std::int64_t here = slots_without(pod_class, node, resource);
            slots.first += std::min(here, demand_.conflicts.limit(member_class, node));
            slots.second += here;
        }
        return slots;
    };
    std::optional<std::size_t> answer;
    auto most = slots_if_unlimited(snapshot_.resources.size());
    for (std::size_t resource = 0; resource < snapshot_.resources.size(); ++resource) {
        const auto slots = snapshot_.need[pod_class][resource] > 0 ? slots_if_unlimited(resource) : most;
        if (slots > most) {
            most = slots;
            answer = resource;
        }
    }
    return answer ? answer : shortest_of(snapshot_, room_, pod_class, nodes);
}

AffinityLoss Shortage::affinity_loss(ScopeId scope, std::span<const std::int64_t> seats) const {
    AffinityLoss loss;
    const std::uint32_t member_class = demand_.classes.empty() ? 0 : scarcest(scope, seats);
    if (!demand_.conflicts.touch(member_class)) {
        return loss;
    }
    const model::PodClassId pod_class = demand_.classes[member_class];
    const std::vector<std::uint8_t> elsewhere =
        kept_elsewhere(snapshot_, gang_, affinity_class_of(gang_, demand_, member_class));
    for (const NodeId node : scopes_.nodes_of(scope)) {
        if (snapshot_.eligible[pod_class][node] != 0) {
            loss.add_node(slots_without(pod_class, node, snapshot_.resources.size()),
                          demand_.conflicts.limit(member_class, node), elsewhere[node] != 0);
        }
    }
    return loss;
}

std::int64_t Shortage::slots_without(model::PodClassId pod_class, NodeId node, std::size_t without) const {
    std::int64_t slots = most_slots;
    for (std::size_t r = 0; r < snapshot_.resources.size(); ++r) {
        if (snapshot_.need[pod_class][r] > 0 && r != without) {
            slots = std::min(slots, slots_of(snapshot_, room_, pod_class, node, r));
        }
    }
    return slots;
}

bool are_kept_apart(const Demand& demand, const Shortage& shortage, ScopeId scope,
                    std::span<const std::int64_t> seats) {
    bool has_conflicts = false;
    for (std::uint32_t member_class = 0; member_class < seats.size(); ++member_class) {
        has_conflicts =
            has_conflicts || (seats[member_class] > 0 && !demand.conflicts.conflicts_of(member_class).empty());
    }
    const std::int64_t all = std::accumulate(seats.begin(), seats.end(), std::int64_t{0});
    return has_conflicts && !demand.inside.exist() && shortage.room_for(seats, scope) >= all &&
           shortage.can_seat(seats, scope, all);
}

std::uint32_t affinity_class_of(const model::Gang& gang, const Demand& demand, std::uint32_t member_class) {
    const auto member = std::ranges::find(demand.class_of, member_class) - demand.class_of.begin();
    return gang.members[static_cast<std::size_t>(member)].affinity_class;
}

}  // namespace echelon::solver
