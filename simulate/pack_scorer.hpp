#pragma once

// Which score does `prioritize` give each node for a pod of no gang? The scores of the service (`scores: pack`), with
// single devices.
//
// Later jobs have no influence: the mix of requests is that of the jobs so far. Pure.

#include "simulate/machines.hpp"
#include "simulate/trace.hpp"
#include "simulate/world.hpp"
#include "solver/scores/request_window.hpp"
#include "solver/scores/room_value.hpp"
#include "solver/scores/score_bands.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace echelon::simulate {

class PackScorer {
public:
    PackScorer(const World& world, const Machines& machines);

    void on_arrival(const Job& job);
    void on_start(model::NodeId node) { ++pods_[node]; }
    void on_end(model::NodeId node) { --pods_[node]; }

    // [node] 0 to 10.
    [[nodiscard]] std::vector<std::uint8_t> scores(std::uint32_t request, const Machines& machines);

private:
    // The cost of a pod of one request on each node, as far as the node alone decides it.
    struct Losses {
        std::vector<std::optional<double>> on;  // [node]
        std::uint64_t seen = 0;                 // Changes of the machines.
    };

    void choose_scarce(const World& world, const Machines& machines);
    void sort_nodes(const Machines& machines);
    [[nodiscard]] solver::PodNeed need_of(const Demand& demand) const;
    [[nodiscard]] solver::NodeRoom room_of(model::NodeId node, const Machines& machines) const;
    void learn_mix(const Machines& machines);
    [[nodiscard]] const Losses& losses_of(std::uint32_t request, const Machines& machines);
    [[nodiscard]] std::optional<double> loss_on(model::NodeId node, std::uint32_t request, const Machines& machines);

    std::vector<std::uint32_t> pods_;                  // [node] That run there.
    std::vector<std::size_t> resources_;               // Ids of the amounts that rooms and needs have.
    std::size_t scarce_devices_ = SIZE_MAX;            // The kind of device that is scarce; SIZE_MAX: cpu is.
    std::size_t cpu_ = SIZE_MAX;                       // Index into `resources_`.
    std::vector<solver::PodNeed> needs_;               // [request]
    std::vector<std::uint32_t> kind_of_;               // [node]
    std::vector<std::vector<std::uint8_t>> eligible_;  // [kind][request]
    solver::RequestWindow window_;
    std::optional<solver::RoomValue> room_value_;
    std::size_t counted_ = 0;     // How many of `losses_` are computed.
    std::vector<Losses> losses_;  // [request]; empty: not computed since the mix moved.
};

}  // namespace echelon::simulate
