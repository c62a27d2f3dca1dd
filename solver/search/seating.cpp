#include "solver/search/seating.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace echelon::solver {
namespace {

using Nodes = std::vector<std::vector<model::NodeId>>;  // [class] nodes that a leaf's pods got, in path order.

// Interchangeable groups may exchange their nodes: the first of them gets the first nodes.
void order_interchangeable(const model::Gang& gang, const Demand& demand, std::vector<Nodes>& nodes_of) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>>
        interchangeable;  // By parent and symmetry class.
    for (std::size_t g = 0; g < gang.groups.size(); ++g) {
        if (gang.groups[g].is_leaf && gang.groups[g].parent != model::nowhere) {
            interchangeable[{gang.groups[g].parent, demand.groups[g].symmetry_class}].push_back(g);
        }
    }
    for (const auto& [key, groups] : interchangeable) {
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

std::vector<Seat> seats_of(const model::Gang& gang, const Demand& demand, std::span<const PodBatch> batches,
                           std::span<const Placement> placements) {
    std::vector<Nodes> nodes_of(gang.groups.size(), Nodes(demand.classes.size()));
    for (const Placement& placement : placements) {
        const PodBatch& batch = batches[placement.batch];
        auto& nodes = nodes_of[batch.group][batch.member_class];
        nodes.insert(nodes.end(), static_cast<std::size_t>(placement.count), placement.node);
    }
    for (Nodes& by_class : nodes_of) {
        for (auto& nodes : by_class) {
            std::ranges::sort(nodes);
        }
    }
    order_interchangeable(gang, demand, nodes_of);
    std::vector<Seat> seats;
    for (std::size_t g = 0; g < gang.groups.size(); ++g) {
        std::vector<std::size_t> next(demand.classes.size(), 0);
        const model::GangGroup& group = gang.groups[g];
        for (std::uint32_t m = group.first_member; m < group.last_member && group.is_leaf; ++m) {
            const std::uint32_t member_class = demand.class_of[m];
            if (member_class != model::nowhere && next[member_class] < nodes_of[g][member_class].size()) {
                seats.push_back({.member = m, .node = nodes_of[g][member_class][next[member_class]++]});
            }
        }
    }
    std::ranges::sort(seats);
    return seats;
}

}  // namespace echelon::solver
