#include "simulate/pack_scorer.hpp"

#include "solver/scores/empty_domains.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace echelon::simulate {

namespace {

constexpr std::size_t most_cells = 12'000'000;  // Losses of requests, over all nodes: 200 MB.

}  // namespace

PackScorer::PackScorer(const World& world, const Machines& machines) : pods_(machines.node_count()) {
    for (const auto& pod : world.running)
        on_start(pod.node);
    choose_scarce(world, machines);
    for (std::uint32_t request = 0; request < machines.demand_count(); ++request)
        needs_.push_back(need_of(machines.demand(request)));
    sort_nodes(machines);
}

// Devices come first, of several kinds the one that there is most of; else cpu (SC4).
void PackScorer::choose_scarce(const World& world, const Machines& machines) {
    const auto kinds = machines.device_kinds();
    std::int64_t most = 0;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        std::int64_t count = 0;
        for (model::NodeId node = 0; node < machines.node_count(); ++node)
            count += std::ssize(kinds[kind].free.free_of(node));
        if (count > most)
            scarce_devices_ = kind;
        most = std::max(most, count);
    }
    std::set<std::size_t> resources;
    for (std::uint32_t request = 0; request < machines.demand_count(); ++request) {
        const Demand& demand = machines.demand(request);
        for (const auto& [resource, amount] : demand.amounts)
            resources.insert(resource);
        if (demand.devices < kinds.size() && demand.devices != scarce_devices_)
            resources.insert(demand.share > 0 ? kinds[demand.devices].shared : kinds[demand.devices].whole);
    }
    resources.erase(SIZE_MAX);
    resources_.assign(resources.begin(), resources.end());
    for (std::size_t i = 0; i < resources_.size(); ++i) {
        if (world.snapshot.resources[resources_[i]] == "cpu")
            cpu_ = i;
    }
}

// Nodes that may host the same requests are of one kind.
void PackScorer::sort_nodes(const Machines& machines) {
    std::map<std::vector<std::uint8_t>, std::uint32_t> known;
    for (model::NodeId node = 0; node < machines.node_count(); ++node) {
        std::vector<std::uint8_t> may_host;
        for (std::uint32_t request = 0; request < needs_.size(); ++request) {
            const Demand& demand = machines.demand(request);
            may_host.push_back(demand.is_offered && machines.may_host(node, demand) ? 1 : 0);
        }
        const auto [found, is_new] = known.emplace(std::move(may_host), static_cast<std::uint32_t>(eligible_.size()));
        if (is_new)
            eligible_.push_back(found->first);
        kind_of_.push_back(found->second);
    }
}

solver::PodNeed PackScorer::need_of(const Demand& demand) const {
    solver::PodNeed need;
    need.amounts.resize(resources_.size());
    for (const auto& [resource, amount] : demand.amounts) {
        const auto found = std::ranges::lower_bound(resources_, resource);
        need.amounts[static_cast<std::size_t>(found - resources_.begin())] = amount;
    }
    if (demand.devices != SIZE_MAX && demand.devices == scarce_devices_) {
        need.whole = static_cast<std::int32_t>(demand.whole);
        need.share = static_cast<std::int32_t>(demand.share);
        need.scarce = static_cast<double>(demand.share > 0 ? demand.share : demand.whole * Devices::whole);
    } else if (scarce_devices_ == SIZE_MAX && cpu_ != SIZE_MAX) {
        need.scarce = static_cast<double>(need.amounts[cpu_]);
    }
    return need;
}

solver::NodeRoom PackScorer::room_of(model::NodeId node, const Machines& machines) const {
    solver::NodeRoom room{.amounts = {}, .devices = {}, .kind = kind_of_[node]};
    for (const auto resource : resources_)
        room.amounts.push_back(machines.snapshot().room[resource][node]);
    if (scarce_devices_ != SIZE_MAX) {
        const auto free = machines.device_kinds()[scarce_devices_].free.free_of(node);
        room.devices.assign(free.begin(), free.end());
        std::ranges::sort(room.devices);
    }
    return room;
}

void PackScorer::on_arrival(const Job& job) {
    window_.add(job.request, job.pods);
}

void PackScorer::learn_mix(const Machines& machines) {
    if (room_value_ && !window_.has_moved())
        return;
    window_.mark();
    auto counts = window_.counts();
    counts.resize(needs_.size());
    room_value_.emplace(solver::RequestMix{.needs = needs_, .counts = std::move(counts), .eligible = eligible_});
    losses_.assign(machines.demand_count(), {});
    counted_ = 0;
}

std::optional<double> PackScorer::loss_on(model::NodeId node, std::uint32_t request, const Machines& machines) {
    if (eligible_[kind_of_[node]][request] == 0 || machines.seats(node, machines.demand(request)) == 0)
        return std::nullopt;
    return room_value_->loss(room_of(node, machines), needs_[request]);
}

const PackScorer::Losses& PackScorer::losses_of(std::uint32_t request, const Machines& machines) {
    auto& losses = losses_[request];
    if (losses.on.empty() && ++counted_ > most_cells / machines.node_count()) {
        std::ranges::fill(losses_, Losses{});
        counted_ = 1;
    }
    if (losses.on.empty() || machines.changes() - losses.seen > machines.changes_kept()) {
        losses.on.resize(machines.node_count());
        for (model::NodeId node = 0; node < losses.on.size(); ++node)
            losses.on[node] = loss_on(node, request, machines);
    } else {
        for (auto change = losses.seen; change < machines.changes(); ++change) {
            const auto node = machines.changed_at(change);
            losses.on[node] = loss_on(node, request, machines);
        }
    }
    losses.seen = machines.changes();
    return losses;
}

std::vector<std::uint8_t> PackScorer::scores(std::uint32_t request, const Machines& machines) {
    learn_mix(machines);
    const auto& losses = losses_of(request, machines);
    std::vector<std::uint8_t> is_used;
    for (const auto pods : pods_)
        is_used.push_back(pods > 0 ? 1 : 0);
    const auto breaks = solver::empty_domains(machines.snapshot(), is_used);
    const bool counts_free = needs_[request].scarce == 0 && scarce_devices_ != SIZE_MAX;
    std::vector<std::optional<solver::NodeCost>> costs(losses.on.size());
    for (model::NodeId node = 0; node < costs.size(); ++node) {
        if (!losses.on[node])
            continue;
        auto& cost = costs[node].emplace(
            solver::NodeCost{.breaks = breaks[node], .loss = *losses.on[node], .breaks_host = pods_[node] == 0});
        if (counts_free)
            cost.free_scarce = static_cast<double>(machines.device_kinds()[scarce_devices_].free.free_milli(node));
    }
    return solver::scores_of(costs);
}

}  // namespace echelon::simulate
