#include "bench/plain_rules.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace echelon::bench {

namespace {

using model::NodeId;
using simulate::Demand;
using simulate::Devices;
using simulate::Machines;

// The rows of the snapshot that the rules read. These traces have one kind of device.
struct Place {
    explicit Place(const Machines& its) : machines(&its) {
        const auto& names = its.snapshot().resources;
        cpu = static_cast<std::size_t>(std::ranges::find(names, "cpu") - names.begin());
        memory = static_cast<std::size_t>(std::ranges::find(names, "memory") - names.begin());
    }
    [[nodiscard]] double left(std::size_t resource, NodeId node, const Demand& demand) const {
        double amount = 0;
        for (const auto& [id, its] : demand.amounts)
            amount += id == resource ? static_cast<double>(its) : 0;
        return static_cast<double>(machines->snapshot().room[resource][node]) - amount;
    }
    [[nodiscard]] double left_share(std::size_t resource, NodeId node, const Demand& demand) const {
        const auto capacity = machines->snapshot().capacity[resource][node];
        return capacity == 0 ? 0 : left(resource, node, demand) / static_cast<double>(capacity);
    }
    [[nodiscard]] const Devices& devices() const { return machines->device_kinds().front().free; }
    // Free GPUs after the pod is placed.
    [[nodiscard]] double gpus_left(NodeId node, const Demand& demand) const {
        const auto taken = demand.share > 0 ? demand.share : demand.whole * Devices::whole;
        return static_cast<double>(devices().free_milli(node) - taken) / Devices::whole;
    }
    [[nodiscard]] double gpus(NodeId node) const { return static_cast<double>(devices().free_of(node).size()); }

    const Machines* machines;
    std::size_t cpu;
    std::size_t memory;
};

double mean_left(const Place& place, NodeId node, const Demand& demand) {
    const auto gpus = place.gpus(node) > 0 ? place.gpus_left(node, demand) / place.gpus(node) : 0;
    return place.left_share(place.cpu, node, demand) + place.left_share(place.memory, node, demand) + gpus;
}

double least_allocated(const Machines& machines, NodeId node, const Demand& demand) {
    const Place place(machines);
    return place.left_share(place.cpu, node, demand) + place.left_share(place.memory, node, demand);
}

double most_allocated(const Machines& machines, NodeId node, const Demand& demand) {
    return -mean_left(Place(machines), node, demand);
}

// The less is left, the better: each resource as a share of the largest node's.
double best_fit(const Machines& machines, NodeId node, const Demand& demand) {
    const Place place(machines);
    const auto most = [&](std::size_t resource) {
        return static_cast<double>(std::ranges::max(machines.snapshot().capacity[resource]));
    };
    return -(place.left(place.cpu, node, demand) / most(place.cpu) +
             place.left(place.memory, node, demand) / most(place.memory) + place.gpus_left(node, demand) / 8);
}

double fullest_first(const Machines& machines, NodeId node, const Demand& demand) {
    return -Place(machines).gpus_left(node, demand);
}

// Fragmentation gradient descent: the share of free GPUs that a pod of the mix can't use, before less after.
class Fragmentation {
public:
    explicit Fragmentation(const simulate::Trace& trace) : counts_(trace.requests.size()) {
        for (const auto& job : trace.jobs)
            counts_[job.request] += 1.0 / static_cast<double>(trace.jobs.size());
    }

    double score(const Machines& machines, NodeId node, const Demand& demand) {
        const Place place(machines);
        const auto free = place.devices().free_of(node);
        Room room{.cpu = place.left(place.cpu, node, {}),
                  .memory = place.left(place.memory, node, {}),
                  .free = {free.begin(), free.end()}};
        const auto before = of(room, machines, node);
        room.cpu = place.left(place.cpu, node, demand);
        room.memory = place.left(place.memory, node, demand);
        take(room.free, demand);
        return before - of(room, machines, node);
    }

private:
    struct Room {
        double cpu = 0;
        double memory = 0;
        std::vector<std::int32_t> free;
    };

    static void take(std::vector<std::int32_t>& free, const Demand& demand) {
        if (demand.share > 0) {
            auto best = free.end();
            for (auto device = free.begin(); device != free.end(); ++device) {
                if (*device >= demand.share && (best == free.end() || *device < *best))
                    best = device;
            }
            *best -= static_cast<std::int32_t>(demand.share);
            return;
        }
        auto left = demand.whole;
        for (auto& device : free) {
            if (left > 0 && device == Devices::whole) {
                device = 0;
                --left;
            }
        }
    }

    double of(Room& room, const Machines& machines, NodeId node) {
        std::ranges::sort(room.free);
        std::string key(reinterpret_cast<const char*>(room.free.data()), room.free.size() * sizeof(std::int32_t));
        key.append(reinterpret_cast<const char*>(&room.cpu), sizeof(room.cpu));
        key.append(reinterpret_cast<const char*>(&room.memory), sizeof(room.memory));
        const auto kind = kind_of(machines, node);
        key.append(reinterpret_cast<const char*>(&kind), sizeof(kind));
        const auto [found, is_new] = known_.emplace(std::move(key), 0);
        if (is_new)
            found->second = computed(room, machines, node);
        return found->second;
    }

    // Nodes that may host the same requests are of one kind.
    std::uint32_t kind_of(const Machines& machines, NodeId node) {
        if (kinds_.empty()) {
            std::map<std::string, std::uint32_t> known;
            for (NodeId other = 0; other < machines.node_count(); ++other) {
                std::string eligible;
                for (std::uint32_t request = 0; request < counts_.size(); ++request)
                    eligible += machines.may_host(other, machines.demand(request)) ? '1' : '0';
                kinds_.push_back(known.emplace(eligible, static_cast<std::uint32_t>(known.size())).first->second);
            }
        }
        return kinds_[node];
    }

    [[nodiscard]] double computed(const Room& room, const Machines& machines, NodeId node) const {
        double all = 0;
        for (const auto free : room.free)
            all += free;
        double waste = 0;
        for (std::uint32_t request = 0; request < counts_.size(); ++request)
            waste += counts_[request] * unusable(room, machines, node, machines.demand(request), all);
        return waste;
    }

    // Free GPUs that a pod with this request can't use.
    static double unusable(const Room& room, const Machines& machines, NodeId node, const Demand& demand, double all) {
        const Place place(machines);
        const bool has_rest =
            room.cpu + place.left(place.cpu, node, demand) - place.left(place.cpu, node, {}) >= 0 &&
            room.memory + place.left(place.memory, node, demand) - place.left(place.memory, node, {}) >= 0;
        const bool asks = demand.whole > 0 || demand.share > 0;
        if (!asks || !has_rest || !machines.may_host(node, demand))
            return all;
        const auto each = demand.share > 0 ? demand.share : Devices::whole;
        const auto needed = demand.share > 0 ? 1 : demand.whole;
        double too_small = 0;
        std::int64_t large = 0;
        for (const auto free : room.free) {
            large += free >= each ? 1 : 0;
            too_small += free >= each ? 0 : free;
        }
        return large < needed ? all : too_small;
    }

    std::vector<double> counts_;        // [request] Share of all pods.
    std::vector<std::uint32_t> kinds_;  // [node]
    std::unordered_map<std::string, double> known_;
};

}  // namespace

std::vector<NamedPlainRule> plain_rules(const simulate::Trace& trace, std::uint64_t seed) {
    auto random = std::make_shared<std::mt19937_64>(seed);
    auto fragmentation = std::make_shared<Fragmentation>(trace);
    return {{"random", [random](const Machines&, NodeId, const Demand&) { return static_cast<double>((*random)()); }},
            {"MostAllocated", most_allocated},
            {"BestFit", best_fit},
            {"LeastAllocated", least_allocated},
            {"fullest GPU node first", fullest_first},
            {"FGD", [fragmentation](const Machines& machines, NodeId node, const Demand& demand) {
                 return fragmentation->score(machines, node, demand);
             }}};
}

}  // namespace echelon::bench
