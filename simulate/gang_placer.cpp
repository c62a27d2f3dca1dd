#include "simulate/gang_placer.hpp"

#include "solver/violations.hpp"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace echelon::simulate {

model::Gang gang_of(const JobClass& asked, const World& world) {
    model::Gang gang;
    gang.root = {"podgroup", "default/gang"};
    model::GangGroup leaf;
    leaf.key = gang.root;
    leaf.minimum = asked.pods;
    leaf.last_member = asked.pods;
    leaf.required = world.levels[asked.levels].required;
    leaf.preferred = world.levels[asked.levels].preferred;
    gang.groups.push_back(std::move(leaf));
    gang.members.resize(asked.pods);
    for (std::uint32_t i = 0; i < asked.pods; ++i) {
        gang.members[i].uid = std::to_string(i);
        gang.members[i].pod = "default/" + gang.members[i].uid;
    }
    return gang;
}

std::optional<std::vector<model::NodeId>> GangPlacer::place(const JobClass& gang, Machines& machines,
                                                            SeatCounts& seats) const {
    const auto pods = static_cast<std::int64_t>(gang.pods);
    if (seats.total() < pods)
        return std::nullopt;
    for (const auto& level : world_->levels[gang.levels].required) {
        if (seats.most_in(level, machines.snapshot()) < pods)
            return std::nullopt;
    }
    if (rule_)
        return rule_(gang, machines, seats);
    const auto& view = machines.solver_view(machines.demand(gang.request));
    const auto built = gang_of(gang, *world_);
    const auto answer = solver::solve(view, built, budget_);
    const auto* plan = std::get_if<solver::Plan>(&answer);
    if (plan == nullptr || plan->seats.size() != gang.pods)
        return std::nullopt;
    assert(solver::violations(view, built, *plan).empty());
    std::vector<model::NodeId> nodes(gang.pods);
    for (const auto& seat : plan->seats)
        nodes[seat.member] = seat.node;
    return nodes;
}

bool GangPlacer::may_ever_fit(const JobClass& gang, const Machines& machines) const {
    const auto& demand = machines.demand(gang.request);
    const auto pods = static_cast<std::int64_t>(gang.pods);
    std::vector<std::int32_t> seats(machines.node_count());
    std::int64_t total = 0;
    for (model::NodeId node = 0; node < seats.size(); ++node) {
        // Never more than the gang has pods: sums stay small.
        seats[node] = static_cast<std::int32_t>(std::min(machines.seats_when_empty(node, demand), pods));
        total += seats[node];
    }
    return total >= pods && std::ranges::all_of(world_->levels[gang.levels].required, [&](model::LevelRef level) {
               return most_in_one(level, machines.snapshot(), seats) >= pods;
           });
}

}  // namespace echelon::simulate
