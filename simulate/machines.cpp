#include "simulate/machines.hpp"

#include "model/facts/eligibility.hpp"
#include "solver/scores/node_room.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace echelon::simulate {

namespace {

constexpr std::string_view model_label = "nvidia.com/gpu.product";

// The pod class of a trace's pods, as kube-scheduler's filters see it.
model::PodClass pod_class_for(const std::vector<std::string>& models) {
    model::PodClass pod_class;
    if (models.empty())
        return pod_class;
    model::Requirement requirement{.key = std::string(model_label), .values = models};
    std::ranges::sort(requirement.values);
    pod_class.node_affinity = {{model::NodeTerm{.labels = {std::move(requirement)}, .fields = {}}}};
    return pod_class;
}

}  // namespace

Machines::Machines(const World& world, const Trace& trace)
    : room_(world.snapshot), closed_(world.nodes.size()), log_(4 * world.nodes.size() + 1) {
    find_devices(world, trace);
    seat_running(world);
    for (const auto& request : trace.requests)
        add_demand(world, request);
}

std::optional<std::size_t> Machines::resource_id(std::string_view name) const {
    const auto found = std::ranges::lower_bound(room_.resources, name);
    if (found == room_.resources.end() || *found != name)
        return std::nullopt;
    return static_cast<std::size_t>(found - room_.resources.begin());
}

// A kind of device is a resource that the trace requests as GPUs, unless a node has too many to be devices. Nodes may
// offer shares of it, too.
void Machines::find_devices(const World& world, const Trace& trace) {
    std::set<std::string> names;
    for (const auto& request : trace.requests) {
        if (!request.gpu_resource.empty())
            names.insert(request.gpu_resource);
    }
    for (const auto& name : room_.resources) {
        if (name.ends_with(".shared") && resource_id(name.substr(0, name.size() - 7)))
            names.insert(name.substr(0, name.size() - 7));
    }
    for (const auto& name : names) {
        const auto whole = resource_id(name);
        if (!whole)
            continue;
        std::vector<std::int64_t> counts;
        for (const auto& node : world.nodes)
            counts.push_back(std::max<std::int64_t>(node.allocatable.of(name), 0));
        if (!counts.empty() && std::ranges::max(counts) > solver::NodeRoom::most_devices)
            continue;
        kinds_.push_back({.resource = name,
                          .whole = *whole,
                          .shared = resource_id(name + ".shared").value_or(SIZE_MAX),
                          .free = Devices(counts)});
    }
}

// Devices of the pods that run already: whole ones first, those that claims have, then shares, each on the device that
// it fits best.
void Machines::seat_running(const World& world) {
    for (auto& kind : kinds_) {
        for (const auto& pod : world.running) {
            const auto count = std::min(pod.requests.of(kind.resource), kind.free.free_whole(pod.node));
            static_cast<void>(kind.free.take(pod.node, count));
        }
        for (model::NodeId node = 0; node < node_count(); ++node) {
            const auto left = std::max<std::int64_t>(0, room_.room[kind.whole][node]);
            static_cast<void>(kind.free.take(node, std::max<std::int64_t>(0, kind.free.free_whole(node) - left)));
        }
        for (const auto& pod : world.running) {
            auto left = std::min(pod.requests.of(kind.resource + ".shared"), kind.free.free_milli(pod.node));
            while (left > 0) {
                auto share = std::min<std::int64_t>(left, Devices::whole);
                while (kind.free.free_shares(pod.node, share) == 0)
                    share /= 2;
                static_cast<void>(kind.free.take_share(pod.node, share));
                left -= share;
            }
        }
        for (model::NodeId node = 0; node < node_count(); ++node)
            write_devices(node, kind);
    }
}

void Machines::write_devices(model::NodeId node, const DeviceKind& kind) {
    room_.room[kind.whole][node] = kind.free.free_whole(node);
    if (kind.shared != SIZE_MAX)
        room_.room[kind.shared][node] = kind.free.free_milli(node);
}

void Machines::add_demand(const World& world, const PodRequest& request) {
    Demand demand;
    const auto add = [&](std::string_view name, std::int64_t amount) {
        if (amount == 0)
            return;
        const auto id = resource_id(name);
        demand.is_offered = demand.is_offered && id.has_value();
        if (id)
            demand.amounts.emplace_back(*id, amount);
    };
    add("cpu", request.cpu_milli);
    add("memory", request.memory_bytes);
    add("pods", 1);
    if (const auto kind = std::ranges::find(kinds_, request.gpu_resource, &DeviceKind::resource);
        kind != kinds_.end()) {
        demand.devices = static_cast<std::size_t>(kind - kinds_.begin());
        demand.whole = request.gpus;
        demand.share = request.gpu_share;
        demand.is_offered = demand.is_offered && (demand.share == 0 || kind->shared != SIZE_MAX);
    } else {
        add(request.gpu_resource, request.gpus);
        demand.is_offered = demand.is_offered && request.gpu_share == 0;
    }
    demand.eligibility = eligibility_of(world, request.gpu_models);
    demands_.push_back(std::move(demand));
}

std::uint32_t Machines::eligibility_of(const World& world, const std::vector<std::string>& models) {
    const auto [found, is_new] = eligibilities_.emplace(models, static_cast<std::uint32_t>(eligible_.size()));
    if (is_new) {
        const auto pod_class = pod_class_for(models);
        auto& eligible = eligible_.emplace_back();
        for (const auto& node : world.nodes)
            eligible.push_back(model::may_host(node, pod_class) ? 1 : 0);
    }
    return found->second;
}

std::int64_t Machines::seats(model::NodeId node, const Demand& demand) const {
    if (!demand.is_offered || closed_[node] != 0 || !may_host(node, demand))
        return 0;
    std::int64_t seats = std::numeric_limits<std::int64_t>::max();
    for (const auto& [resource, amount] : demand.amounts)
        seats = std::min(seats, room_.room[resource][node] / amount);
    if (demand.devices != SIZE_MAX && seats > 0) {
        const auto& kind = kinds_[demand.devices];
        if (demand.share > 0 && room_.capacity[kind.shared][node] == 0)
            return 0;
        seats = std::min(seats, demand.share > 0 ? kind.free.free_shares(node, demand.share)
                                                 : kind.free.free_whole(node) / demand.whole);
    }
    return std::max<std::int64_t>(seats, 0);
}

std::int64_t Machines::seats_when_empty(model::NodeId node, const Demand& demand) const {
    if (!demand.is_offered || !may_host(node, demand))
        return 0;
    std::int64_t seats = std::numeric_limits<std::int64_t>::max();
    for (const auto& [resource, amount] : demand.amounts)
        seats = std::min(seats, room_.capacity[resource][node] / amount);
    if (demand.devices != SIZE_MAX) {
        const auto& kind = kinds_[demand.devices];
        if (demand.share > 0 && room_.capacity[kind.shared][node] == 0)
            return 0;
        const auto devices = std::ssize(kind.free.free_of(node));
        seats = std::min(seats, demand.share > 0 ? devices * (Devices::whole / demand.share) : devices / demand.whole);
    }
    return std::max<std::int64_t>(seats, 0);
}

std::vector<std::uint32_t> Machines::take(model::NodeId node, const Demand& demand) {
    for (const auto& [resource, amount] : demand.amounts)
        room_.room[resource][node] -= amount;
    std::vector<std::uint32_t> devices;
    if (demand.devices != SIZE_MAX) {
        auto& kind = kinds_[demand.devices];
        if (demand.share > 0) {
            devices.push_back(kind.free.take_share(node, demand.share));
        } else {
            devices = kind.free.take(node, demand.whole);
        }
        write_devices(node, kind);
    }
    note_change(node);
    return devices;
}

void Machines::give_back(model::NodeId node, const Demand& demand, std::span<const std::uint32_t> devices) {
    for (const auto& [resource, amount] : demand.amounts)
        room_.room[resource][node] += amount;
    if (demand.devices != SIZE_MAX) {
        auto& kind = kinds_[demand.devices];
        kind.free.give_back(node, devices, demand.share > 0 ? demand.share : Devices::whole);
        write_devices(node, kind);
    }
    note_change(node);
}

void Machines::note_change(model::NodeId node) {
    log_[changes_ % log_.size()] = node;
    ++changes_;
}

void Machines::set_closed(model::NodeId node, std::uint8_t is_closed) {
    if (closed_[node] == is_closed)
        return;
    closed_[node] = is_closed;
    note_change(node);
}

std::vector<std::pair<std::size_t, std::int64_t>> Machines::release_of(const Demand& demand) const {
    auto amounts = demand.amounts;
    if (demand.whole > 0)
        amounts.emplace_back(kinds_[demand.devices].whole, demand.whole);
    return amounts;
}

// The solver gets shares as seats: it knows amounts, and no pod may have parts of two devices.
model::Snapshot& Machines::solver_view(const Demand& demand) {
    room_.pod_classes.resize(1);
    room_.need.assign(1, std::vector<std::int64_t>(room_.resources.size()));
    room_.eligible.assign(1, eligible_[demand.eligibility]);
    for (model::NodeId node = 0; node < node_count(); ++node) {
        if (closed_[node] != 0)
            room_.eligible[0][node] = 0;
    }
    for (const auto& [resource, amount] : demand.amounts)
        room_.need[0][resource] = amount;
    if (demand.devices == SIZE_MAX)
        return room_;
    const auto& kind = kinds_[demand.devices];
    room_.need[0][demand.share > 0 ? kind.shared : kind.whole] = demand.share > 0 ? 1 : demand.whole;
    if (demand.share == 0)
        return room_;
    for (model::NodeId node = 0; node < node_count(); ++node) {
        if (room_.capacity[kind.shared][node] == 0)
            continue;  // The node offers none.
        const auto devices = std::ssize(kind.free.free_of(node));
        room_.room[kind.shared][node] = kind.free.free_shares(node, demand.share);
        room_.capacity[kind.shared][node] = devices * (Devices::whole / demand.share);
    }
    return room_;
}

}  // namespace echelon::simulate
