#include "solver/search/seating.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace echelon::solver {
namespace {

using Nodes = std::vector<std::vector<model::NodeId>>;  // [size] nodes that a leaf's pods got, in path order.

// Twins may exchange all they have: the first of them gets the first nodes.
void order_twins(const model::Gang& gang, const Demand& needs, std::vector<Nodes>& nodes_of) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> twins;  // By parent and twin.
    for (std::size_t g = 0; g < gang.groups.size(); ++g) {
        if (gang.groups[g].is_leaf && gang.groups[g].parent != model::nowhere) {
            twins[{gang.groups[g].parent, needs.groups[g].twin}].push_back(g);
        }
    }
    for (const auto& [key, groups] : twins) {
        std::vector<Nodes> shares;
        for (const std::size_t g : groups) {
            shares.push_back(std::move(nodes_of[g]));
        }
        std::ranges::stable_sort(shares, [](const Nodes& a, const Nodes& b) {
            const bool a_empty = std::ranges::all_of(a, [](const auto& nodes) { return nodes.empty(); });
            const bool b_empty = std::ranges::all_of(b, [](const auto& nodes) { return nodes.empty(); });
            return a_empty != b_empty ? b_empty : a < b;
        });
        for (std::size_t i = 0; i < groups.size(); ++i) {
            nodes_of[groups[i]] = std::move(shares[i]);
        }
    }
}

}  // namespace

std::vector<Seat> seats_of(const model::Gang& gang, const Demand& needs, std::span<const PodBatch> lots,
                           std::span<const Placement> placements) {
    std::vector<Nodes> nodes_of(gang.groups.size(), Nodes(needs.sizes.size()));
    for (const Placement& placement : placements) {
        const PodBatch& lot = lots[placement.lot];
        auto& nodes = nodes_of[lot.group][lot.size];
        nodes.insert(nodes.end(), static_cast<std::size_t>(placement.count), placement.node);
    }
    for (Nodes& by_size : nodes_of) {
        for (auto& nodes : by_size) {
            std::ranges::sort(nodes);
        }
    }
    order_twins(gang, needs, nodes_of);
    std::vector<Seat> seats;
    for (std::size_t g = 0; g < gang.groups.size(); ++g) {
        std::vector<std::size_t> next(needs.sizes.size(), 0);
        const model::GangGroup& group = gang.groups[g];
        for (std::uint32_t m = group.first_member; m < group.last_member && group.is_leaf; ++m) {
            const std::uint32_t size = needs.size_of[m];
            if (size != model::nowhere && next[size] < nodes_of[g][size].size()) {
                seats.push_back({.member = m, .node = nodes_of[g][size][next[size]++]});
            }
        }
    }
    std::ranges::sort(seats);
    return seats;
}

}  // namespace echelon::solver
